// From a value and its uncertainty to a decision (METROLOGY S9; JCGM 106:2012, ISO 14253-1:2017).
#pragma once

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// Probability that the true value lies within the limits of `check`, for a normal distribution of standard
/// deviation u about the value: Phi((upper - y)/u) - Phi((lower - y)/u). For u = 0: 1 within, 0 outside. The
/// one place with a transcendental function (erfc), after the integer stage and on the host, so every backend
/// runs the same one.
double conformance_probability(const Check& check, double value, double u);

/// Within the limits, limits included: PASS, else FAIL.
Decision decide_simple(const Check& check, double value);

/// PASS where p >= confidence, FAIL where p <= 1 - confidence, else INCONCLUSIVE.
Decision decide_guarded(double p_conform, double confidence);

/// C_m = T / (4 u), T by tolerance_of; 0 where there is no T or u = 0.
double capability_of(const Check& check, double u);

/// Fills decision, decision_simple, p_conform and capability from value and u. INVALID(UNCERTAINTY) where C_m
/// < 1; a detail says so where C_m < 4. A value or u that is not finite is INVALID(INTERNAL).
void decide(CheckVerdict& verdict, DecisionRule rule, double confidence);

/// Decision of a component from its checks, and of a board from its components: the worst; INVALID where
/// there is none.
Decision worst_of(const std::vector<CheckVerdict>& checks);
Decision worst_of(const std::vector<ComponentVerdict>& components);

/// Why a board is not PASS, in a line: its own reason, or its worst components with what made them so, such as
/// "C3 median, L1 median" or "U1 FLOOR_SIDES"; at most five, then how many more. Empty for PASS.
std::string why_not_pass(const BoardVerdict& verdict);

}  // namespace datum

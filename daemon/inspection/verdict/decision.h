// Decision from a value and its uncertainty (daemon/inspection/METROLOGY.md, S9; JCGM 106:2012; ISO
// 14253-1:2017).
#pragma once

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// Probability that the true value lies within the limits of `check`, for a normal distribution with standard
/// deviation u about the value: Phi((upper - y)/u) - Phi((lower - y)/u) (JCGM 106, 7). For u = 0: 1 within, 0
/// outside. Its erfc runs on the host after the integer stage, so every backend gives the same bits.
double conformance_probability(const Check& check, double value, double u);

/// Within the limits, including them: PASS, else FAIL.
Decision decide_simple(const Check& check, double value);

/// PASS where p >= confidence, FAIL where p <= 1 - confidence, else INCONCLUSIVE.
Decision decide_guarded(double p_conform, double confidence);

/// C_m = T / (4 u), T from tolerance_of; 0 where T is unknown or u = 0.
double capability_of(const Check& check, double u);

/// Sets decision, decision_simple, p_conform and capability from value and u. INVALID(UNCERTAINTY) where C_m
/// < 1; a remark where C_m < 4. A value or u that is not finite is INVALID(INTERNAL).
void decide(CheckVerdict& verdict, DecisionRule rule, double confidence);

/// Decision of a component from its checks, or of a board from its components: the worst; INVALID if there is
/// none.
Decision worst_of(const std::vector<CheckVerdict>& checks);
Decision worst_of(const std::vector<ComponentVerdict>& components);

/// Holds what follows from an unconfirmed nominal height (Component::nominal_confirmed): checks of a height or of presence that
/// were decided become INCONCLUSIVE (NOMINAL_UNCONFIRMED), with their values; neither PASS nor FAIL can be told by limits that
/// nobody stands behind. INVALID checks, tilts and forms stay.
void hold_unconfirmed(BoardVerdict& verdict, const Recipe& recipe);

/// Why a board is not PASS, in one line: its own reason, or its worst components with their causes, such as
/// "C3 median, L1 median" or "U1 FLOOR_SIDES"; at most five, then the number of others. Empty for PASS.
std::string why_not_pass(const BoardVerdict& verdict);

}  // namespace datum

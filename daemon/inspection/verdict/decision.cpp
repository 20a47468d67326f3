#include "daemon/inspection/verdict/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/inspection/verdict/fault_text.h"
#include "daemon/inspection/verdict/normal.h"

namespace datum {
double conformance_probability(const Check& check, double value, double u) {
  if (!(u > 0)) return decide_simple(check, value) == Decision::pass ? 1 : 0;
  const double below_upper = check.upper ? normal_share_below((*check.upper - value) / u) : 1;
  const double below_lower = check.lower ? normal_share_below((*check.lower - value) / u) : 0;
  return below_upper - below_lower;
}

Decision decide_simple(const Check& check, double value) {
  const bool within = (!check.lower || value >= *check.lower) && (!check.upper || value <= *check.upper);
  return within ? Decision::pass : Decision::fail;
}

Decision decide_guarded(double p_conform, double confidence) {
  if (p_conform >= confidence) return Decision::pass;
  return p_conform <= 1 - confidence ? Decision::fail : Decision::inconclusive;
}

double capability_of(const Check& check, double u) { return u > 0 ? tolerance_of(check) / (4 * u) : 0; }

namespace {

std::string tolerance_text(const Check& check) {
  const double tolerance = tolerance_of(check);
  const char* unit = unit_of(check.characteristic);
  if (check.lower && check.upper) return fmt::format("the limits are {:g} {} apart", tolerance, unit);
  return fmt::format("the {} limit lies {:g} {} from {} {:g}", check.lower ? "lower" : "upper", tolerance / 2,
                     unit, check.nominal ? "the nominal" : "a good part's", best_of(check).value_or(0));
}

}  // namespace

void decide(CheckVerdict& v, DecisionRule rule, double confidence) {
  if (!std::isfinite(v.value) || !std::isfinite(v.u)) {
    v.reason = Reason::internal;
    v.detail = "the value or its uncertainty is not a number";
    v.value = v.u = 0;
    return;
  }
  v.capability = capability_of(v.check, v.u);
  v.p_conform = conformance_probability(v.check, v.value, v.u);
  v.decision_simple = decide_simple(v.check, v.value);
  const char* unit = unit_of(v.check.characteristic);
  if (v.capability > 0 && v.capability < 4)
    v.detail = fmt::format("C_m = {:.2f} is below 4: the limits are tight for U = {:.4g} {}", v.capability,
                           2 * v.u, unit);
  if (v.capability > 0 && v.capability < 1) {
    v.reason = Reason::uncertainty;
    v.detail =
        fmt::format("C_m = {:.2f} is below 1: {} but U = {:.4g} {}; widen the tolerance or measure better",
                    v.capability, tolerance_text(v.check), 2 * v.u, unit);
    return;
  }
  v.decision = rule == DecisionRule::simple ? v.decision_simple : decide_guarded(v.p_conform, confidence);
}

namespace {

template <class Parts>
Decision worst(const Parts& parts) {
  if (parts.empty()) return Decision::invalid;
  Decision worst = Decision::pass;
  for (const auto& part : parts) worst = std::max(worst, part.decision);
  return worst;
}

}  // namespace

Decision worst_of(const std::vector<CheckVerdict>& checks) { return worst(checks); }
Decision worst_of(const std::vector<ComponentVerdict>& components) { return worst(components); }

void hold_unconfirmed(BoardVerdict& verdict, const Recipe& recipe) {
  bool any = false;
  for (std::size_t i = 0; i < std::min(recipe.components.size(), verdict.components.size()); ++i) {
    const Component& c = recipe.components[i];
    ComponentVerdict& held = verdict.components[i];
    if (c.nominal_confirmed || held.reference != c.reference) continue;
    for (CheckVerdict& v : held.checks) {
      const bool follows =
          is_height(v.check.characteristic) || v.check.characteristic == Characteristic::presence;
      if (!follows || v.decision == Decision::invalid) continue;
      v.decision = Decision::inconclusive;
      v.reason = Reason::nominal_unconfirmed;
      v.detail = fmt::format(
          "measured {:.4g} {}; nominal_um = {:g} is from {} and nobody has confirmed it: check it, then "
          "remove "
          "nominal_confirmed = false",
          v.value, unit_of(v.check.characteristic), c.nominal_height_um,
          c.nominal_source.empty() ? "an unstated source" : c.nominal_source);
    }
    held.decision = worst_of(held.checks);
    any = true;
  }
  if (any && verdict.reason == Reason::none) verdict.decision = worst_of(verdict.components);
}

std::string why_not_pass(const BoardVerdict& verdict) {
  if (verdict.reason != Reason::none) return std::string(name_of(verdict.reason)) + ": " + verdict.detail;
  if (verdict.decision == Decision::pass) return "";
  constexpr int most_named = 5;
  std::string text;
  int found = 0;
  for (const ComponentVerdict& c : verdict.components) {
    if (c.decision != verdict.decision || is_skipped(c) || ++found > most_named) continue;
    const auto culprit = std::find_if(c.checks.begin(), c.checks.end(), [&](const CheckVerdict& check) {
      return check.decision == c.decision;
    });
    if (!text.empty()) text += ", ";
    text += c.reference;
    if (culprit == c.checks.end()) continue;
    text += std::string(" ") + (culprit->reason == Reason::none ? name_of(culprit->check.characteristic)
                                                                : name_of(culprit->reason));
  }
  if (found > most_named) text += ", " + std::to_string(found - most_named) + " more";
  return text;
}

}  // namespace datum

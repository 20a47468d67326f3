#include "daemon/checks/check_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace datum {
namespace {

const CheckVerdict* find(const BoardVerdict& verdict, const CertifiedValue& value) {
  for (const ComponentVerdict& c : verdict.components) {
    if (c.reference != value.component) continue;
    for (const CheckVerdict& v : c.checks)
      if (v.check.characteristic == value.characteristic && v.check.parameter == value.parameter) return &v;
  }
  return nullptr;
}

std::string name_of(const CertifiedValue& value) {
  return value.component + " " + datum::name_of(value.characteristic);
}

}  // namespace

CheckReading reading_of(const CheckDefinition& check, const BoardVerdict& verdict) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CheckReading reading;
  reading.sequence = verdict.sequence;
  if (verdict.reason != Reason::none)
    reading.fault = fmt::format("{}: {}", datum::name_of(verdict.reason), verdict.detail);
  for (const CertifiedValue& value : check.values) {
    const CheckVerdict* v = find(verdict, value);
    // A characteristic without a limit that could be INCONCLUSIVE is measured all the same.
    const bool measured =
        v && v->decision != Decision::invalid && std::isfinite(v->value) && std::isfinite(v->u) && v->u > 0;
    reading.values.push_back(measured ? v->value : nan);
    reading.expanded.push_back(measured ? 2 * v->u : nan);
    if (measured || !reading.fault.empty()) continue;
    reading.fault = v ? fmt::format("{}: {}", name_of(value), datum::name_of(v->reason))
                      : fmt::format("{} is not in the recipe", name_of(value));
  }
  return reading;
}

std::string value_fault(const CertifiedValue& value, const Recipe& recipe) {
  const auto component = std::find_if(recipe.components.begin(), recipe.components.end(),
                                      [&](const Component& c) { return c.reference == value.component; });
  if (component == recipe.components.end())
    return recipe.warp || recipe.surface ? ""
                                         : fmt::format("the recipe has no component {}", value.component);
  for (const Check& check : component->checks)
    if (check.characteristic == value.characteristic && check.parameter == value.parameter) return "";
  return fmt::format("{} has no such characteristic in the recipe", name_of(value));
}

CheckOutcome judge(const CheckDefinition& check, const std::vector<CheckReading>& readings) {
  CheckOutcome outcome;
  outcome.good = !readings.empty();
  for (std::size_t i = 0; i < check.values.size(); ++i) {
    const CertifiedValue& value = check.values[i];
    CheckedValue v;
    v.component = value.component;
    v.characteristic = datum::name_of(value.characteristic);
    v.unit = unit_of(value.characteristic);
    v.certified = value.certified;
    v.expanded_certified = value.expanded;
    v.maximum_permissible = value.maximum_permissible;
    double sum = 0;
    for (const CheckReading& r : readings) {
      const double off = r.values[i] - value.certified;
      sum += off;
      v.expanded = std::max(v.expanded, r.expanded[i]);
      if (!(std::abs(off) <= std::abs(v.worst))) v.worst = off;
    }
    const double mean_off = sum / static_cast<double>(readings.size());
    v.mean = value.certified + mean_off;
    v.e_n = std::abs(mean_off) / std::hypot(v.expanded, value.expanded);
    v.good = v.e_n <= 1 && std::abs(v.worst) <= value.maximum_permissible;  // false where NaN
    if (!v.good && outcome.why.empty())
      outcome.why = fmt::format(
          "{}: mean {:.6g} {}, certified {:.6g}; E_n {:.3g} of 1, worst {:+.4g} of {:.4g} {}", name_of(value),
          v.mean, v.unit, v.certified, v.e_n, v.worst, value.maximum_permissible, v.unit);
    outcome.good = outcome.good && v.good;
    outcome.values.push_back(std::move(v));
  }
  return outcome;
}

}  // namespace datum

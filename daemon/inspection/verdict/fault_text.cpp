#include "daemon/inspection/verdict/fault_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace datum {
namespace {

/// Values as a person reads them: degrees and percent in place of thousandths.
struct Readable {
  double factor;
  const char* unit;
};
Readable readable_of(Characteristic c) {
  if (c == Characteristic::tilt || c == Characteristic::rotation) return {1e-3, "deg"};
  if (c == Characteristic::presence) return {0.1, "%"};
  return {1, std::string(unit_of(c)) == "percent" ? "%" : "um"};
}

bool is_low(const CheckVerdict& v) { return v.check.lower && v.value < *v.check.lower; }

double excess_of(const CheckVerdict& v) {
  const double tolerance = tolerance_of(v.check);
  return std::abs(v.value - limit_of(v)) / (tolerance > 0 ? tolerance : 1);
}

/// Something lies where nothing must be.
bool is_not_empty(const CheckVerdict& v) {
  return v.decision == Decision::fail && v.check.characteristic == Characteristic::presence && !is_low(v);
}

/// What names the fault by itself goes first, then what exceeds its limit by most.
std::pair<bool, double> rank_of(const CheckVerdict& v) {
  return {is_missing(v) || is_not_empty(v), excess_of(v)};
}

}  // namespace

bool is_height(Characteristic c) {
  return c == Characteristic::mean || c == Characteristic::median || c == Characteristic::maximum ||
         c == Characteristic::minimum || c == Characteristic::percentile || c == Characteristic::top_mean;
}

double limit_of(const CheckVerdict& v) {
  const Check& c = v.check;
  if (!c.upper) return c.lower.value_or(0);
  if (!c.lower) return *c.upper;
  return v.value - *c.lower < *c.upper - v.value ? *c.lower : *c.upper;
}

bool is_missing(const CheckVerdict& v) {
  if (v.decision != Decision::fail || !is_low(v)) return false;
  if (v.check.characteristic == Characteristic::presence) return v.value < *v.check.lower / 2;
  const std::optional<double> nominal = v.check.nominal ? v.check.nominal : v.check.expected;
  return is_height(v.check.characteristic) && v.value < nominal.value_or(*v.check.lower) / 2;
}

std::string defect_text(const DefectEvidence& defect) {
  return name_of(defect.word) + (defect.detail.empty() ? "" : ": " + defect.detail);
}

std::string fault_text(const ComponentVerdict& component) {
  if (component.defect) return defect_text(*component.defect);
  const CheckVerdict* worst = nullptr;
  for (const CheckVerdict& v : component.checks) {
    if (v.decision != component.decision || v.decision == Decision::pass) continue;
    if (!worst || (v.decision != Decision::invalid && rank_of(v) > rank_of(*worst))) worst = &v;
  }
  if (!worst) return component.decision == Decision::pass ? "" : name_of(component.decision);
  if (worst->decision == Decision::invalid) return std::string("INVALID: ") + name_of(worst->reason);
  const CheckVerdict& v = *worst;
  const auto [factor, unit] = readable_of(v.check.characteristic);
  const double value = factor * v.value, limit = factor * limit_of(v);
  const std::string name = name_of(v.check.characteristic);
  const std::string so = fmt::format("{:.4g} {}, limit {:.4g}", value, unit, limit);
  if (v.decision == Decision::inconclusive)
    return fmt::format("{} {:.4g} {}: limit {:.4g} within U (k=2) = {:.2g}", name, value, unit, limit,
                       2 * factor * v.u);
  if (is_missing(v)) return "missing: " + so;
  if (v.check.characteristic == Characteristic::tilt) return "tilted: " + so;
  if (is_not_empty(v)) return "not empty: " + so;
  const std::string by = fmt::format("{:.4g} {}", std::abs(value - limit), unit);
  if (is_height(v.check.characteristic))
    return fmt::format("{} too {}: {}", by, is_low(v) ? "low" : "high", so);
  return fmt::format("{} {} {}: {}", name, by, is_low(v) ? "too low" : "too high", so);
}

std::string check_text(const CheckVerdict& v) {
  const std::string name = name_of(v.check.characteristic);
  if (v.decision == Decision::invalid) return name + " " + name_of(v.reason);
  const auto [factor, unit] = readable_of(v.check.characteristic);
  const auto limit = [factor = factor](const std::optional<double>& l) {
    return fmt::format("{:.4g}", factor * l.value_or(0));
  };
  const Check& c = v.check;
  const std::string limits = c.lower && c.upper ? limit(c.lower) + " to " + limit(c.upper)
                             : c.lower          ? "at least " + limit(c.lower)
                                                : "at most " + limit(c.upper);
  return fmt::format("{} {:.4g} {}, {}", name, factor * v.value, unit, limits);
}

}  // namespace datum

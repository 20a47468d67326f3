#include "daemon/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace datum {

std::optional<double> share_of_tolerance(const CheckVerdict& v) {
  const Check& c = v.check;
  if (v.decision == Decision::invalid || !std::isfinite(v.value)) return std::nullopt;
  double middle = 0, half = 0;
  if (c.lower && c.upper) {
    middle = (*c.lower + *c.upper) / 2;
    half = (*c.upper - *c.lower) / 2;
  } else if (const auto best = best_of(c)) {
    middle = *best;
    half = c.upper ? *c.upper - *best : c.lower ? *best - *c.lower : 0;
  }
  if (!(half > 0)) return std::nullopt;
  return 100 * (v.value - middle) / half;
}

Axis axis_over(double least, double most, double from_px, double to_px) {
  const double spare = most > least ? 0.05 * (most - least) : 1;
  return {least - spare, most + spare, from_px, to_px};
}

namespace {

double tick_step(const Axis& axis, int wanted) {
  const double raw = (axis.to - axis.from) / std::max(wanted, 1);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw) return factor * power;
  return 10 * power;
}

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::vector<double> ticks_of(const Axis& axis, int wanted) {
  const double step = tick_step(axis, wanted);
  std::vector<double> ticks;
  if (!std::isfinite(step) || !(step > 0)) return ticks;
  for (double i = std::ceil(axis.from / step); i * step <= axis.to && ticks.size() < 100; ++i)
    ticks.push_back(i * step);
  return ticks;
}

std::string tick_text(double value, double step) {
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 9);
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  return text.find_first_of("123456789") == text.npos && text[0] == '-' ? text.substr(1) : text;
}

FiveNumbers five_numbers(std::vector<double> sample) {
  if (sample.empty()) throw std::invalid_argument("five numbers of an empty sample");
  std::sort(sample.begin(), sample.end());
  return {sample.size(),         sample.front(),         quantile(sample, 0.25),
          quantile(sample, 0.5), quantile(sample, 0.75), sample.back()};
}

}  // namespace datum

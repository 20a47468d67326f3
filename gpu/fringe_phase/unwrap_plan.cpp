#include "gpu/fringe_phase/unwrap_plan.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "gpu/fringe_phase/fringe_check.h"

namespace datum {
namespace {

using fringe::short_number;

struct Combination {
  int factor[most_periods];
  double period;  // px
  double noise;   // standard deviation of its column in px for a phase noise of one turn
};

/// All combinations with whole factors up to 3 of which the period is positive.
std::vector<Combination> combinations(const FringePattern& pattern) {
  constexpr int most = 3, choices = 2 * most + 1;
  int count = 1;
  for (std::uint32_t i = 0; i < pattern.periods; ++i) count *= choices;
  std::vector<Combination> all;
  for (int code = 0; code < count; ++code) {
    Combination c{};
    double per_px = 0, square = 0;
    for (std::uint32_t i = 0, rest = static_cast<std::uint32_t>(code); i < pattern.periods;
         ++i, rest /= choices) {
      c.factor[i] = static_cast<int>(rest % choices) - most;
      per_px += c.factor[i] / static_cast<double>(pattern.period_px[i]);
      square += c.factor[i] * c.factor[i];
    }
    if (!(per_px > 1e-6)) continue;  // no combination, or longer than any projector is wide
    c.period = 1 / per_px;
    c.noise = c.period * std::sqrt(square);
    all.push_back(c);
  }
  return all;
}

/// Phase noise in turns that is half of `period` where a column of `before` noise chooses the order of one with `own`.
double bearable(double period, double before, double own) { return period / 2 / std::hypot(before, own); }

double bearable_by_periods(const FringePattern& pattern, const Combination& last) {
  double least = HUGE_VAL;
  for (std::uint32_t i = 0; i < pattern.periods; ++i)
    least = std::min(least, bearable(pattern.period_px[i], last.noise, pattern.period_px[i]));
  return least;
}

UnwrapLevel level_of(const Combination& c) {
  UnwrapLevel level;
  for (std::uint32_t i = 0; i < most_periods; ++i) level.factor[i] = static_cast<float>(c.factor[i]);
  level.period_px = static_cast<float>(c.period);
  level.per_px = static_cast<float>(1 / c.period);
  return level;
}

double shortest_of(const FringePattern& pattern) {
  double shortest = pattern.period_px[0];
  for (std::uint32_t i = 1; i < pattern.periods; ++i)
    shortest = std::min<double>(shortest, pattern.period_px[i]);
  return shortest;
}

[[noreturn]] void refuse_ambiguous(const FringePattern& pattern, const std::vector<Combination>& all) {
  std::string periods;
  double reach = 0;
  for (std::uint32_t i = 0; i < pattern.periods; ++i)
    periods += (i ? ", " : "") + short_number(pattern.period_px[i]);
  for (const Combination& c : all) reach = std::max(reach, c.period);
  fringe::refuse("periods of " + periods + " px tell columns apart over " + short_number(reach) +
                 " px, and the projector is " + short_number(pattern.width_px) +
                 " px wide; add a period, or choose periods with a longer beat T1 T2 / (T2 - T1)");
}

}  // namespace

UnwrapPlan plan_unwrapping(const FringePattern& pattern, float agreement_px) {
  fringe::check(pattern);
  const std::vector<Combination> all = combinations(pattern);
  const Combination* best[2] = {nullptr, nullptr};
  double most = 0;
  for (const Combination& first : all) {
    if (first.period < pattern.width_px) continue;
    if (const double bears = bearable_by_periods(pattern, first); bears > most) {
      most = bears;
      best[0] = &first;
      best[1] = nullptr;
    }
    for (const Combination& second : all) {
      if (second.period >= first.period) continue;
      const double bears =
          std::min(bearable(second.period, first.noise, second.noise), bearable_by_periods(pattern, second));
      if (bears <= most) continue;
      most = bears;
      best[0] = &first;
      best[1] = &second;
    }
  }
  if (!best[0]) refuse_ambiguous(pattern, all);
  UnwrapPlan plan;
  plan.levels = best[1] ? 2 : 1;
  for (std::uint32_t i = 0; i < plan.levels; ++i) plan.level[i] = level_of(*best[i]);
  plan.noise_limit_rad = 2 * M_PI * most / 5;
  // What agreement_px allows the phases to be off, seen by the first level: that far from its ends nothing is mistaken.
  const double off = best[0]->noise * static_cast<double>(agreement_px) / shortest_of(pattern);
  plan.edge_px = std::max(0.0, off - (best[0]->period - pattern.width_px) / 2);
  if (plan.edge_px >= pattern.width_px / 2)
    fringe::refuse("agreement_px " + short_number(agreement_px) +
                   " leaves no column of the projector; lower it or add a period");
  return plan;
}

}  // namespace datum

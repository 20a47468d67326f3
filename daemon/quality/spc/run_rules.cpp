#include "daemon/quality/spc/run_rules.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "daemon/quality/statistics/distributions.h"
#include "gpu/core/philox.h"

namespace datum::quality {
namespace {

double normal_of(std::uint64_t run, std::uint32_t point) {
  const PhiloxBlock b =
      philox({{static_cast<std::uint32_t>(run), static_cast<std::uint32_t>(run >> 32), point / 2, 1}}, 1);
  const double radius = std::sqrt(-2 * std::log((b.word[0] + 0.5) * 0x1p-32));
  const double angle = 2 * std::numbers::pi * (b.word[1] + 0.5) * 0x1p-32;
  return radius * (point % 2 ? std::sin(angle) : std::cos(angle));
}

struct OneSided {
  double from_0 = 0, from_half = 0;  // mean points to a signal; from h / 2
};

OneSided one_sided_cusum(double k, double h, double shift, int states) {
  const double width = 2 * h / (2 * states - 1);
  Eigen::MatrixXd stay(states, states);
  for (int i = 0; i < states; ++i)
    for (int j = 0; j < states; ++j) {
      const double to = (j - i) * width + k - shift;
      stay(i, j) =
          j == 0 ? normal_cdf(to + width / 2) : normal_cdf(to + width / 2) - normal_cdf(to - width / 2);
    }
  const Eigen::MatrixXd leave = Eigen::MatrixXd::Identity(states, states) - stay;
  const Eigen::VectorXd length = leave.partialPivLu().solve(Eigen::VectorXd::Ones(states));
  const double at = h / 2 / width;  // in states
  const int i = static_cast<int>(at);
  return {length[0], length[i] + (at - i) * (length[std::min(i + 1, states - 1)] - length[i])};
}

}  // namespace

std::vector<RuleHit> rule_hits(std::span<const std::optional<double>> z, const RuleSet& rules) {
  std::vector<RuleHit> hits;
  RuleWatch watch(rules);
  for (std::size_t i = 0; i < z.size(); ++i)
    watch.take(z[i], [&](int rule, int points) {
      hits.push_back({rule, i + 1 - static_cast<std::size_t>(points), i});
    });
  return hits;
}

double run_length_of_rules(const RuleSet& rules, std::uint64_t runs) {
  constexpr std::uint32_t longest = 1'000'000;
  double points = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    RuleWatch watch(rules);
    bool alarm = false;
    for (std::uint32_t point = 0; point < longest && !alarm; ++point) {
      watch.take(normal_of(run, point), [&](int, int) { alarm = true; });
      ++points;
    }
  }
  return points / static_cast<double>(runs);
}

double run_length_of_cusum(double k, double h, double shift, bool head_start, int states) {
  const OneSided up = one_sided_cusum(k, h, shift, states), down = one_sided_cusum(k, h, -shift, states);
  const double both = up.from_0 + down.from_0;
  if (!head_start) return up.from_0 * down.from_0 / both;
  return (up.from_half * down.from_0 + up.from_0 * down.from_half - up.from_0 * down.from_0) / both;
}

double run_length_of_ewma(double lambda, double width, double shift, int states) {
  const double limit = width * std::sqrt(lambda / (2 - lambda)), half = limit / states;
  const auto middle = [&](int i) { return -limit + (2 * i + 1) * half; };
  Eigen::MatrixXd leave = Eigen::MatrixXd::Identity(states, states);
  for (int i = 0; i < states; ++i)
    for (int j = 0; j < states; ++j) {
      const double from = (1 - lambda) * middle(i);
      leave(i, j) -= normal_cdf((middle(j) + half - from) / lambda - shift) -
                     normal_cdf((middle(j) - half - from) / lambda - shift);
    }
  return leave.partialPivLu().solve(Eigen::VectorXd::Ones(states))[states / 2];
}

}  // namespace datum::quality

#include "daemon/quality/spc/run_rules.h"

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "daemon/quality/statistics/distributions.h"
#include "gpu/core/philox.h"

namespace datum::quality {
namespace {

/// State of all rules after some points; a point costs the same however many came before.
class RuleWatch {
 public:
  explicit RuleWatch(const RuleSet& set) : set_(set) {}

  /// Takes a point; `hit` gets each rule that it completes with the number of points that it spans.
  template <class Hit>
  void take(const std::optional<double>& point, Hit hit) {
    for (int i = 4; i > 0; --i) window_[i] = window_[i - 1];
    window_[0] = point;
    if (!point) {
      side_ = trend_ = alternating_ = inside_ = outside_ = 0;
      last_.reset();
      step_ = 0;
      return;
    }
    const double z = *point;
    count_runs(z);
    const auto completes = [&](int rule, bool now, int points) {
      if (now && set_.rules.contains(rule)) hit(rule, points);
    };
    completes(1, std::abs(z) > 3, 1);
    completes(2, std::abs(side_) >= set_.side_run, set_.side_run);
    completes(3, std::abs(trend_) >= 5, 6);
    completes(4, alternating_ >= 13, 14);
    completes(5, beyond(2, 3) >= 2, 3);
    completes(6, beyond(1, 5) >= 4, 5);
    completes(7, inside_ >= 15, 15);
    completes(8, outside_ >= 8, 8);
  }

 private:
  static int sign(double x) { return (x > 0) - (x < 0); }

  void count_runs(double z) {
    side_ = sign(z) == 0 ? 0 : sign(side_) == sign(z) ? side_ + sign(z) : sign(z);
    inside_ = std::abs(z) < 1 ? inside_ + 1 : 0;
    outside_ = std::abs(z) > 1 ? outside_ + 1 : 0;
    const int step = last_ ? sign(z - *last_) : 0;
    trend_ = step == 0 ? 0 : sign(trend_) == step ? trend_ + step : step;
    alternating_ = step == 0 ? 0 : step == -step_ ? alternating_ + 1 : 1;
    step_ = step;
    last_ = z;
  }

  /// Points of the last `of` beyond the limit on the side of the newest one; 0 where that one is not, or a member is missing.
  int beyond(double limit, int of) const {
    const int side = sign(*window_[0]);
    if (!(side * *window_[0] > limit)) return 0;
    int n = 0;
    for (int i = 0; i < of; ++i) {
      if (!window_[i]) return 0;
      n += side * *window_[i] > limit;
    }
    return n;
  }

  const RuleSet& set_;
  std::optional<double> window_[5], last_;
  int side_ = 0, trend_ = 0, alternating_ = 0, step_ = 0, inside_ = 0, outside_ = 0;
};

double normal_of(std::uint64_t run, std::uint32_t point) {
  const PhiloxBlock b =
      philox({{static_cast<std::uint32_t>(run), static_cast<std::uint32_t>(run >> 32), point / 2, 1}}, 1);
  const double radius = std::sqrt(-2 * std::log((b.word[0] + 0.5) * 0x1p-32));
  const double angle = 2 * std::numbers::pi * (b.word[1] + 0.5) * 0x1p-32;
  return radius * (point % 2 ? std::sin(angle) : std::cos(angle));
}

double one_sided_cusum(double k, double h, double shift, int states) {
  const double width = 2 * h / (2 * states - 1);
  Eigen::MatrixXd stay(states, states);
  for (int i = 0; i < states; ++i)
    for (int j = 0; j < states; ++j) {
      const double to = (j - i) * width + k - shift;
      stay(i, j) =
          j == 0 ? normal_cdf(to + width / 2) : normal_cdf(to + width / 2) - normal_cdf(to - width / 2);
    }
  const Eigen::MatrixXd leave = Eigen::MatrixXd::Identity(states, states) - stay;
  return leave.partialPivLu().solve(Eigen::VectorXd::Ones(states))[0];
}

}  // namespace

RuleSet rule_set_of(const std::string& text) {
  if (text == "nelson") return {{1, 2, 3, 4, 5, 6, 7, 8}, 9};
  if (text == "western-electric") return {{1, 2, 5, 6}, 8};
  RuleSet set{{}, 9};
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string rule = text.substr(from, end - from);
    if (rule.size() != 1 || rule[0] < '1' || rule[0] > '8')
      throw std::invalid_argument("rules '" + text +
                                  "'; allowed: numbers 1 to 8 such as 1,2,5, or nelson, or western-electric");
    set.rules.insert(rule[0] - '0');
    from = end + 1;
  }
  return set;
}

const char* rule_text(int rule) {
  static const char* const texts[] = {"",
                                      "beyond 3 sigma",
                                      "a run on one side",
                                      "six points rising or falling",
                                      "fourteen points alternating",
                                      "two of three beyond 2 sigma on one side",
                                      "four of five beyond 1 sigma on one side",
                                      "fifteen points within 1 sigma",
                                      "eight points beyond 1 sigma"};
  return rule >= 1 && rule <= 8 ? texts[rule] : "";
}

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

double run_length_of_cusum(double k, double h, double shift, int states) {
  return 1 / (1 / one_sided_cusum(k, h, shift, states) + 1 / one_sided_cusum(k, h, -shift, states));
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

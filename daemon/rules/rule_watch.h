// Nelson's run rules of control charts (L. S. Nelson, J. Quality Technology 16, 1984, 237), one point after the other. datumctl spc and the
// running cell use this one implementation.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string>

namespace datum::quality {

/// 1 to 8; `side_run`: points on one side of rule 2, nine by Nelson, eight by Western Electric.
struct RuleSet {
  std::set<int> rules{1};
  int side_run = 9;
};

/// "1,2,5", "nelson" (1 to 8), "western-electric" (1, 5, 6 and eight on one side). Throws std::invalid_argument.
RuleSet rule_set_of(const std::string& text);
const char* rule_text(int rule);

/// EWMA and CUSUM (drift_watch.h) among the rules of a chart in the running cell.
inline constexpr int ewma_rule = 9, cusum_rule = 10;
/// As rule_set_of, also with the words "ewma" and "cusum" behind or without the others: "1,2,ewma", "cusum". Throws std::invalid_argument.
RuleSet chart_rule_set_of(const std::string& text);
std::string rule_name(int rule);  // "2", "EWMA", "CUSUM

/// Points that a rule spans at most: what came before has no influence.
inline constexpr int most_rule_points = 15;

/// State of all rules after some points; a point costs the same however many came before. A gap ends runs 2, 3, 4, 7 and 8 and takes its
/// place in the windows of 5 and 6. Comparisons are strict; a point on the centre line ends a run. A rule is hit at each point that
/// completes it.
class RuleWatch {
 public:
  /// `set` outlives it.
  explicit RuleWatch(const RuleSet& set) : set_(&set) {}

  /// Takes a standardised point, none for a gap; `hit` gets each rule that it completes with the number of points that it spans.
  template <class Hit>
  void take(const std::optional<double>& point, Hit hit) {
    for (std::size_t i = 4; i > 0; --i) window_[i] = window_[i - 1];
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
      if (now && set_->rules.contains(rule)) hit(rule, points);
    };
    completes(1, std::abs(z) > 3, 1);
    completes(2, std::abs(side_) >= set_->side_run, set_->side_run);
    completes(3, std::abs(trend_) >= 5, 6);
    completes(4, alternating_ >= 13, 14);
    completes(5, beyond(2, 3) >= 2, 3);
    completes(6, beyond(1, 5) >= 4, 5);
    completes(7, inside_ >= 15, 15);
    completes(8, outside_ >= 8, 8);
  }

 private:
  void count_runs(double z);
  int beyond(double limit, std::size_t of) const;

  const RuleSet* set_;
  std::array<std::optional<double>, 5> window_{};
  std::optional<double> last_;
  int side_ = 0, trend_ = 0, alternating_ = 0, step_ = 0, inside_ = 0, outside_ = 0;
};

}  // namespace datum::quality

// ChartWatch: the rules of one recipe's frozen limits over its results, without I/O. The same results give the same hits, in one go or with
// restarts of datumd between them.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "daemon/charts/control_limits.h"
#include "daemon/rules/drift_watch.h"

namespace datum::quality {

struct ChartHit {
  SeriesKey key;
  int rule = 0;                       // as in RuleSet
  std::uint64_t first = 0, last = 0;  // results; `last` completes the rule
};

/// A series' point of one result on its chart. A gap, and a series without limits, has no z.
std::optional<double> standardised(const Point& point, const SeriesLimits& limits);

/// One series.
class SeriesWatch {
 public:
  SeriesWatch(const SeriesLimits& limits, const ChosenRules& rules)
      : limits_(limits), rules_(&rules), watch_(rules.set), drift_(rules.drift) {}
  /// `hit(rule, first, last)` for each rule that the point completes.
  template <class Hit>
  void take(std::uint64_t sequence, const Point& point, Hit hit) {
    for (std::size_t i = sequences_.size() - 1; i > 0; --i) sequences_[i] = sequences_[i - 1];
    sequences_[0] = sequence;
    const std::optional<double> z = standardised(point, limits_);
    watch_.take(z, [&](int rule, int points) {
      hit(rule, sequences_[static_cast<std::size_t>(points - 1)], sequence);
    });
    const DriftWatch::Hits drift = drift_.take(sequence, z);
    if (drift.ewma) hit(ewma_rule, *drift.ewma, sequence);
    if (drift.cusum) hit(cusum_rule, *drift.cusum, sequence);
  }
  /// Nothing came before.
  void restart() {
    watch_ = RuleWatch(rules_->set);
    drift_ = DriftWatch(rules_->drift);
  }
  DriftState drift() const { return drift_.state(); }
  void resume(const DriftState& state) { drift_.resume(state); }

 private:
  SeriesLimits limits_;
  const ChosenRules* rules_;
  RuleWatch watch_;
  DriftWatch drift_;
  std::array<std::uint64_t, most_rule_points> sequences_{};  // of the newest points and gaps
};

class ChartWatch {
 public:
  explicit ChartWatch(std::shared_ptr<const FrozenLimits> limits);
  ChartWatch(const ChartWatch&) = delete;
  ChartWatch& operator=(const ChartWatch&) = delete;

  /// Takes results of the recipe in their order, those alone that count (SeriesBook). One by another recipe text, calibration or code has no
  /// limits here: the series begin anew behind it. Throws std::invalid_argument and takes nothing: a value is no number.
  std::vector<ChartHit> take(const BoardVerdict& verdict);
  /// A person acknowledged what was hit: the series begin anew.
  void restart();

  /// EWMA or CUSUM is among its rules: their state depends on all results since the series began.
  bool drifts() const { return rules_.drift.ewma || rules_.drift.cusum; }
  /// What EWMA and CUSUM of all series have kept, as JSON with the same bits.
  std::string drift_state() const;
  /// Goes on from it. False, and nothing changes: it is not of these limits.
  bool resume(const std::string& drift_state);

  const FrozenLimits& limits() const { return *limits_; }

 private:
  std::shared_ptr<const FrozenLimits> limits_;
  ChosenRules rules_;
  std::map<SeriesKey, SeriesWatch> series_;
};

/// A rule of `hits` is one that disarms.
bool disarms(const FrozenLimits& limits, const std::vector<ChartHit>& hits);

}  // namespace datum::quality

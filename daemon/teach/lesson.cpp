#include "daemon/teach/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "calib/linear/median.h"
#include "daemon/inspection/verdict/fault_text.h"
#include "daemon/inspection/verdict/normal.h"
#include "daemon/teach/board_faults.h"
#include "daemon/teach/recipe_lookup.h"
#include "daemon/teach/tolerance_factor.h"

namespace datum::teach {
namespace {

double mean_of(const std::vector<double>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

double deviation_of(const std::vector<double>& all) {
  if (all.size() < 2) return 0;
  const double mean = mean_of(all);
  double sum = 0;
  for (const double x : all) sum += (x - mean) * (x - mean);
  return std::sqrt(sum / static_cast<double>(all.size() - 1));
}

double tenths(double um) { return std::round(um * 10) / 10; }

std::string listed(const std::vector<double>& values) {
  std::string text;
  for (const double v : values) text += fmt::format("{}{:.1f}", text.empty() ? "" : ", ", v);
  return text;
}

class Teacher {
 public:
  Teacher(const Recipe& recipe, const SensorProfile& sensor, const std::vector<GoldenBoard>& boards)
      : recipe_(recipe), sensor_(sensor), boards_(boards) {}

  Lesson take() {
    collect();
    estimate_spread();
    find_odd();
    for (std::size_t i = 0; i < parts_.size(); ++i) look(i);
    lesson_.faults = board_faults(recipe_, sensor_, boards_, odd_);
    noise();
    return std::move(lesson_);
  }

 private:
  struct Part {
    std::vector<double> values;
    double u = 0, u_board = 0, s = 0;
    std::vector<std::size_t> invalid, missing, turned, odd, occupied;
  };

  void collect() {
    parts_.resize(recipe_.components.size());
    odd_.resize(boards_.size());
    for (std::size_t i = 0; i < parts_.size(); ++i)
      for (std::size_t b = 0; b < boards_.size(); ++b) {
        if (boards_[b].parts.size() != parts_.size() || !boards_[b].why.empty()) continue;
        const GoldenPart& part = boards_[b].parts[i];
        const Component& c = recipe_.components[i];
        Part& p = parts_[i];
        if (must_be_empty(c)) {
          if (presence_of(part, c) == Presence::there) p.occupied.push_back(b);
          continue;
        }
        if (is_turned(part, c))
          p.turned.push_back(b);
        else if (presence_of(part, c) == Presence::missing)
          p.missing.push_back(b);
        else if (!part.value)
          p.invalid.push_back(b);
        if (part.value) {
          p.values.push_back(*part.value);
          p.u = std::max(p.u, part.u);
          p.u_board = std::max(p.u_board, part.u_board);
        }
      }
  }
  bool is_whole(const Part& p) const {
    return p.values.size() == boards_.size() && p.invalid.empty() && p.missing.empty() && p.turned.empty();
  }

  void estimate_spread() {
    std::map<std::string, std::vector<double>> of_package;
    std::vector<double> all;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Part& p = parts_[i];
      p.s = deviation_of(p.values);
      if (!is_whole(p)) continue;
      all.push_back(p.s);
      of_package[recipe_.components[i].package].push_back(p.s);
    }
    const int n = static_cast<int>(boards_.size());
    constexpr std::size_t few = 3;  // a median of fewer is one of them, perhaps the odd one
    if (n >= 2 && all.size() >= few) sigma_ = median_of(all) / median_deviation_factor(n);
    for (const auto& [package, s] : of_package)
      if (n >= 2 && s.size() >= few) robust_[package] = median_of(s) / median_deviation_factor(n);
  }

  /// Too few components tell no spread of such boards: then only what the measurement explains agrees.
  double sigma_of(std::size_t i) const {
    const auto own = robust_.find(recipe_.components[i].package);
    return std::max({own == robust_.end() ? 0 : own->second, sigma_, parts_[i].u_board});
  }

  void find_odd() {
    std::map<std::string, std::pair<double, double>> squares;  // sum, number
    const auto tests = static_cast<double>(parts_.size() * boards_.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Part& p = parts_[i];
      if (!is_whole(p)) continue;
      p.odd = outliers(p.values, sigma_of(i), tests);
      auto& [sum, n] = squares[recipe_.components[i].package];
      if (p.odd.empty()) sum += p.s * p.s, n += 1;
    }
    for (const auto& [package, of] : squares)
      if (of.second > 0) pooled_[package] = std::sqrt(of.first / of.second);
  }

  void add(std::size_t i, Difference difference, std::vector<std::size_t> boards, std::string text) {
    if (boards.size() < boards_.size() || difference == Difference::disagree)
      for (const std::size_t b : boards) odd_[b].insert(recipe_.components[i].reference);
    lesson_.findings.push_back(
        {recipe_.components[i].reference, difference, std::move(boards), std::move(text)});
  }

  void look(std::size_t i) {
    const Component& c = recipe_.components[i];
    const Part& p = parts_[i];
    if (must_be_empty(c)) {  // nothing is taught of it
      if (!p.occupied.empty())
        add(i, Difference::unknown, p.occupied, "something stands where nothing may lie");
      return;
    }
    if (!p.turned.empty())
      add(i, Difference::turned, p.turned,
          fmt::format(
              "stands turned by 90 degrees: its place is filled {:.2f} mm along the body's {:.2f}, and "
              "{:.2f} along its {:.2f}",
              seen(p.turned[0], i).size_mm.x(), c.body.size_mm.x(), seen(p.turned[0], i).size_mm.y(),
              c.body.size_mm.y()));
    if (!p.missing.empty())
      add(i, Difference::missing, p.missing,
          fmt::format("is missing, or lower than a quarter of nominal_um = {:g}", c.nominal_height_um));
    if (!p.invalid.empty()) add(i, Difference::untold, p.invalid, boards_[p.invalid[0]].parts[i].why);
    if (!p.odd.empty())
      add(i, Difference::disagree, p.odd,
          fmt::format(
              "the boards disagree: {} um; such boards differ by {:.2g} um (standard deviation): leave "
              "the odd one out",
              listed(p.values), sigma_of(i)));
    const std::string off = p.turned.empty() && p.missing.empty() ? displacement(i) : "";
    if (!off.empty()) add(i, Difference::shifted, {}, off);
    if (is_whole(p) && p.odd.empty() && is_height(c.checks.front().characteristic)) propose(i, off);
  }
  const SeenOutline& seen(std::size_t board, std::size_t i) const { return *boards_[board].parts[i].seen; }

  void propose(std::size_t i, const std::string& off) {
    const Component& c = recipe_.components[i];
    const Part& p = parts_[i];
    Proposal made;
    made.reference = c.reference, made.package = c.package;
    made.characteristic = c.checks.front().characteristic, made.parameter = c.checks.front().parameter;
    made.values_um = p.values;
    const double mean = mean_of(p.values);
    made.nominal_um = tenths(mean);
    made.u_um = p.u;
    set_limits(c, p, mean, made);
    made.expanded_um =
        2 * std::sqrt(made.s_um * made.s_um / static_cast<double>(p.values.size()) + p.u * p.u);
    compare_height(i, mean, made);
    if (!off.empty()) made.differs.push_back(off);
    if (c.nominal_confirmed && made.limits == Limits::taught && is_wider(c, made))
      made.differs.push_back("the limits are wider than the confirmed ones");
    lesson_.proposals.push_back(std::move(made));
  }

  void set_limits(const Component& c, const Part& p, double mean, Proposal& made) {
    const int n = static_cast<int>(p.values.size());
    if (n >= 2) {
      made.s_um = std::max({p.s, pooled_[c.package], p.u_board});
      made.factor = tolerance_factor(n, taught_share, taught_confidence);
      const double z = recipe_.rule == DecisionRule::iso14253 ? normal_quantile(recipe_.rule_confidence) : 0,
                   half = std::max(made.factor * made.s_um + z * p.u, 2 * p.u);
      if (half <= mean / 2) {
        made.limits = Limits::taught;
        made.lower_um = tenths(mean - half), made.upper_um = tenths(mean + half);
        return;
      }
    }
    const Check& check = c.checks.front();
    const double move = mean - c.nominal_height_um;
    if (check.lower) made.lower_um = tenths(*check.lower + move);
    if (check.upper) made.upper_um = tenths(*check.upper + move);
  }

  static bool is_wider(const Component& c, const Proposal& made) {
    const Check& check = c.checks.front();
    return check.lower && check.upper && *made.upper_um - *made.lower_um > *check.upper - *check.lower;
  }

  void compare_height(std::size_t i, double mean, Proposal& made) {
    const Component& c = recipe_.components[i];
    const Check& check = c.checks.front();
    const bool high = check.upper && mean > *check.upper, low = check.lower && mean < *check.lower;
    if (!high && !low) return;
    const std::string text = fmt::format("is {:.1f} um high; the recipe allows {} to {} ({} from {}{})", mean,
                                         check.lower ? fmt::format("{:g}", *check.lower) : "any",
                                         check.upper ? fmt::format("{:g}", *check.upper) : "any",
                                         c.package.empty() ? "the recipe" : "package " + c.package,
                                         c.nominal_source.empty() ? "an unstated source" : c.nominal_source,
                                         c.nominal_confirmed ? ", confirmed" : "");
    add(i, high ? Difference::taller : Difference::shorter, {}, text);
    made.differs.push_back(text);
  }

  /// Against the board's other parts, over the boards; empty: the recipe's uncertainty of a place explains it.
  std::string displacement(std::size_t i) const {
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    double n = 0, pitch_mm = 0;
    for (const GoldenBoard& board : boards_) {
      if (board.parts.size() != parts_.size()) continue;
      const auto& seen = board.parts[i].seen;
      if (!seen || seen->cut) continue;
      sum += seen->off_mm - board.off_mm;
      pitch_mm = std::max(pitch_mm, board.pitch_mm);
      ++n;
    }
    if (n == 0) return "";
    const Eigen::Vector2d off = sum / n;
    // Two axes of each part, each with the recipe's uncertainty of a place, and a pixel's rounding at both borders.
    const double z = -normal_quantile(false_alarm / (4.0 * static_cast<double>(parts_.size()))),
                 u_mm = std::hypot(recipe_.uncertainty.position_mm, pitch_mm / std::sqrt(6.0));
    if (off.cwiseAbs().maxCoeff() <= z * u_mm) return "";
    return fmt::format(
        "stands [{:.3f}, {:.3f}] mm beside its place, against the board's other parts; "
        "position_mm = {:g} explains at most {:.3f}",
        off.x(), off.y(), recipe_.uncertainty.position_mm, z * u_mm);
  }

  void noise() {
    double sum = 0, z = 0;
    int n = 0;
    for (const GoldenBoard& board : boards_) {
      if (board.noise_um <= 0) continue;
      sum += board.noise_um * board.noise_um;
      z += board.z_mm;
      ++n;
    }
    if (n > 0) lesson_.noise_um = std::sqrt(sum / n), lesson_.noise_z_mm = z / n;
  }

  const Recipe& recipe_;
  const SensorProfile& sensor_;
  const std::vector<GoldenBoard>& boards_;
  std::vector<Part> parts_;
  std::vector<std::set<std::string>> odd_;  // parts whose findings name a board
  double sigma_ = 0;
  std::map<std::string, double> robust_, pooled_;
  Lesson lesson_;
};

}  // namespace

const char* name_of(Difference d) {
  switch (d) {
    case Difference::missing:
      return "missing";
    case Difference::turned:
      return "turned";
    case Difference::shifted:
      return "shifted";
    case Difference::taller:
      return "taller";
    case Difference::shorter:
      return "shorter";
    case Difference::disagree:
      return "disagree";
    case Difference::untold:
      return "invalid";
    case Difference::unknown:
      return "unknown";
  }
  return "invalid";
}

bool Lesson::is_golden() const {
  return std::all_of(faults.begin(), faults.end(), [](const std::string& f) { return f.empty(); });
}

std::vector<std::size_t> outliers(const std::vector<double>& values, double sigma, double tests) {
  std::vector<std::size_t> left(values.size()), found;
  std::iota(left.begin(), left.end(), std::size_t{0});
  const double z = -normal_quantile(false_alarm / (2 * std::max(1.0, tests)));
  while (left.size() >= 2) {
    double sum = 0;
    for (const std::size_t i : left) sum += values[i];
    const double others = static_cast<double>(left.size() - 1);
    std::size_t farthest = 0;
    double most = -1;
    for (std::size_t k = 0; k < left.size(); ++k) {
      const double off = std::abs(values[left[k]] - (sum - values[left[k]]) / others);
      if (off > most) most = off, farthest = k;
    }
    if (most <= z * sigma * std::sqrt(1 + 1 / others)) break;
    if (left.size() == 2) {  // neither is known to be the good one
      found.insert(found.end(), left.begin(), left.end());
      break;
    }
    found.push_back(left[farthest]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(farthest));
  }
  std::sort(found.begin(), found.end());
  return found;
}

Lesson lesson_of(const Recipe& recipe, const SensorProfile& sensor, const std::vector<GoldenBoard>& boards) {
  return Teacher(recipe, sensor, boards).take();
}

}  // namespace datum::teach

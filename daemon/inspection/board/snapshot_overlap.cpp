#include "daemon/inspection/board/snapshot_overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "calib/registration/convention.h"
#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/verdict/decision.h"
#include "daemon/inspection/verdict/normal.h"
#include "daemon/inspection/verdict/uncertainty.h"

namespace datum {
namespace {

/// Distance of a site's pixels from the frame's edge, mm.
double margin_mm(const HeightFrame& frame, const Site& site) {
  int left = frame.cols, low = frame.rows, right = 0, high = 0;
  for (const std::vector<PixelRun>* runs : {&site.ring, &site.body})
    for (const PixelRun& run : *runs) {
      left = std::min(left, run.col);
      right = std::max(right, run.col + run.length);
      low = std::min(low, run.row);
      high = std::max(high, run.row + 1);
    }
  return std::min(std::min(left, frame.cols - right) * frame.x.scale_mm,
                  std::min(low, frame.rows - high) * frame.y.scale_mm);
}

/// Variance in um^2 of a step between two frames along the board's normal.
double between_um2(const BoardLook& a, const BoardLook& b, const InspectionInputs& in) {
  const Calibration& c = *in.calibration;
  const auto place = [](const Pose& p) { return Eigen::Vector3d(p.q_mm[0], p.q_mm[1], p.q_mm[2]); };
  const Eigen::Vector3d normal = in.recipe->machine_from_board.rotation().col(2);
  const SnapshotModel model{{c.machine_from_sensor, c.covariance}, c.stage, c.stage_u};
  double um2 =
      1e6 * normal.dot(difference_covariance(model, place(a.hand.in.pose), place(b.hand.in.pose)) * normal);
  for (const Pose* pose : {&a.hand.in.pose, &b.hand.in.pose})
    if (pose->pairing) um2 += pose->pairing->u_um * pose->pairing->u_um;
  return um2;
}

/// Equal in both frames, so that it cancels in their difference: the sensor's scale, the board's surface, this loading of it, a
/// body's place on it, and the board's own.
bool is_common(const std::string& term) {
  static constexpr std::array<std::string_view, 5> common{"scale", "floor_surface", "reproducibility",
                                                          "position", "alignment"};
  return std::find(common.begin(), common.end(), term) != common.end();
}

double own_u2(const std::vector<UncertaintyTerm>& budget) {
  double sum = 0;
  for (const UncertaintyTerm& term : budget)
    if (!is_common(term.name)) sum += term.u * term.u;
  return sum;
}

/// A value of the component itself, not of the board's surface that all frames have in common.
bool is_compared(const CheckVerdict& v) {
  return v.decision != Decision::invalid && v.check.characteristic != Characteristic::board_flatness;
}

void judge_overlap(CheckVerdict& v, const ShownIn& shown, double k, const Recipe& recipe) {
  const OverlapEvidence& o = *v.overlap;
  const double size = std::abs(o.difference);
  if (size <= 2 * o.u) return;
  if (size > k * o.u) {
    v.decision = v.decision_simple = Decision::invalid;
    v.reason = Reason::snapshots;
    v.detail = fmt::format(
        "snapshot {0} measures {1:.5g} {5}, {2} {3:+.3g}: more than {4:.3g} {5}, which both snapshots' "
        "budgets "
        "explain; did the board or something on it move between them?",
        shown.snapshot, v.value, shown.second, o.difference, k * o.u, unit_of(v.check.characteristic));
    return;
  }
  v.budget.push_back({"snapshots", size / std::sqrt(2.0)});
  v.u = combined(v.budget);
  decide(v, recipe.rule, recipe.rule_confidence);
}

}  // namespace

double beyond_chance_of(std::size_t n) {
  return n == 0 ? 0 : normal_quantile(1 - 0.003 / (2 * static_cast<double>(n)));
}

std::vector<SiteShown> best_looks(const std::vector<const BoardLook*>& looks) {
  std::vector<SiteShown> shown(looks.front()->sites().size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    SiteShown& s = shown[i];
    double second_mm = 0;
    for (std::size_t k = 0; k < looks.size(); ++k) {
      const Site& site = looks[k]->sites()[i];
      if (site.reason != Reason::none) continue;
      const double mm = margin_mm(looks[k]->frame, site);
      if (s.best == not_shown || mm > s.margin_mm) {
        s.second = std::exchange(s.best, k);
        second_mm = std::exchange(s.margin_mm, mm);
      } else if (s.second == not_shown || mm > second_mm) {
        s.second = k;
        second_mm = mm;
      }
    }
  }
  return shown;
}

FloorSteps floor_steps(const std::vector<const BoardLook*>& looks, const std::vector<SiteShown>& shown,
                       const InspectionInputs& in) {
  FloorSteps steps;
  steps.step_um.assign(shown.size(), std::nan(""));
  steps.u_um = steps.step_um;
  if (looks.size() < 2) return steps;
  double most_um2 = 0;
  for (std::size_t a = 0; a < looks.size(); ++a)
    for (std::size_t b = a + 1; b < looks.size(); ++b)
      most_um2 = std::max(most_um2, between_um2(*looks[a], *looks[b], in));
  std::size_t compared = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i].second == not_shown) continue;
    const BoardLook &best = *looks[shown[i].best], &second = *looks[shown[i].second];
    const Floor &here = best.hand.scan->floors()[i], &there = second.hand.scan->floors()[i];
    if (here.reason != Reason::none || there.reason != Reason::none) continue;
    const WarpKnot a = floor_knot("", best.hand.placement, best.sites()[i], here);
    const WarpKnot b = floor_knot("", second.hand.placement, second.sites()[i], there);
    steps.step_um[i] = b.z_um - a.z_um;
    steps.u_um[i] = std::sqrt(a.u_um * a.u_um + b.u_um * b.u_um + between_um2(best, second, in));
    ++compared;
  }
  const double k = beyond_chance_of(compared);
  double worst = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const double size = std::abs(steps.step_um[i]), u = steps.u_um[i];
    if (std::isnan(size) || size <= 2 * u) continue;
    most_um2 = std::max(most_um2, size * size / 2);
    if (size <= k * u || size <= worst) continue;
    worst = size;
    steps.between.contradict = fmt::format(
        "the floor of {} is {:+.1f} um apart in two snapshots that show it, more than the {:.1f} um that the "
        "floors, the calibration and the stage explain; did the board move between them?",
        site_component(*in.recipe, i).reference, steps.step_um[i], k * u);
  }
  steps.between.u_um = std::sqrt(most_um2);
  return steps;
}

std::string unproven_board(const std::vector<SiteShown>& shown, const FloorSteps& steps,
                           const std::vector<std::string>& names) {
  if (!steps.between.contradict.empty()) return steps.between.contradict;
  std::vector<std::size_t> group(names.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (std::isnan(steps.step_um[i])) continue;
    const std::size_t from = group[shown[i].second], to = group[shown[i].best];
    std::replace(group.begin(), group.end(), from, to);
  }
  std::string apart;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (group[k] != group.front()) apart += (apart.empty() ? "" : ", ") + names[k];
  if (apart.empty()) return "";
  return fmt::format(
      "no floor that two snapshots show leads from {} to {}: whether they show one board is not proved; let "
      "neighbouring snapshots overlap by a component with its ring, or state one_board = \"unit\"",
      names.front(), apart);
}

void compare_overlaps(std::vector<ComponentVerdict>& rows, const std::vector<ComponentVerdict>& seconds,
                      const Recipe& recipe) {
  std::size_t compared = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t c = 0; c < seconds[i].checks.size(); ++c) {
      CheckVerdict& here = rows[i].checks[c];
      const CheckVerdict& there = seconds[i].checks[c];
      if (!is_compared(here) || !is_compared(there)) continue;
      here.overlap =
          OverlapEvidence{there.value - here.value, std::sqrt(own_u2(here.budget) + own_u2(there.budget))};
      ++compared;
    }
  const double k = beyond_chance_of(compared);
  for (ComponentVerdict& row : rows) {
    for (CheckVerdict& v : row.checks)
      if (v.overlap) judge_overlap(v, *row.shown, k, recipe);
    row.decision = worst_of(row.checks);
  }
}

}  // namespace datum

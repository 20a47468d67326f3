#include "daemon/inspection/board/floor.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "daemon/inspection/board/board_planner.h"
#include "daemon/inspection/board/ring_floor.h"

namespace datum {
namespace {

void refuse(Floor& floor, Reason reason, std::string detail) {
  floor.reason = reason;
  floor.detail = std::move(detail);
}

std::string second_level_text(const FloorSettings& gates, const Floor& floor) {
  std::string text = fmt::format(
      "another level holds {:.3f} times as many ring pixels as the floor, at most {:.3f} is allowed "
      "(floor.max_second_floor)",
      floor.evidence.second_floor, gates.max_second_floor);
  if (floor.step.shown())
    text += fmt::format(
        "; parts of the ring lie {:.2f} um apart (standard uncertainty {:.2f}): see what lies under it, or "
        "state in "
        "floor.form_um how far a good carrier leaves a plane",
        floor.step.um, floor.step.u_um);
  return text;
}

/// The gates of daemon/inspection/METROLOGY.md, S5, in the order in which one makes the following
/// meaningless.
void apply_gates(const FloorSettings& gates, Floor& floor) {
  const FloorEvidence& e = floor.evidence;
  const PlaneFit& fit = floor.fit;
  const auto sides = std::count_if(e.side_inliers.begin(), e.side_inliers.end(), [&](std::uint32_t n) {
    return n >= static_cast<std::uint32_t>(gates.min_side_pixels);
  });
  if (fit.status == FitStatus::no_consensus || fit.status == FitStatus::out_of_bounds) {
    refuse(
        floor, Reason::floor_no_consensus,
        fmt::format("no plane through the {} ring pixels with a height ({})", e.valid, name_of(fit.status)));
  } else if (!fit.fixed_point) {
    refuse(floor, Reason::floor_not_fixed,
           fmt::format("the inliers still changed after {} least-squares planes", fit.refits));
  } else if (e.inlier_ratio < gates.min_inlier_ratio) {
    refuse(floor, Reason::floor_inlier_ratio,
           fmt::format("{} of {} ring pixels lie on the floor: ratio {:.3f}, at least {:.3f} is demanded",
                       e.inliers, e.valid, e.inlier_ratio, gates.min_inlier_ratio));
  } else if (sides < gates.min_sides) {
    refuse(floor, Reason::floor_sides,
           fmt::format("floor pixels on the sides -x, +x, -y, +y: {}; at least {} on {} sides are demanded",
                       fmt::join(e.side_inliers, ", "), gates.min_side_pixels, gates.min_sides));
  } else if (e.noise_um > gates.max_rms_sigmas * e.sigma_um) {
    refuse(floor, Reason::floor_rms,
           fmt::format("pixels scatter by {:.2f} um rms about the level of their neighbourhood, at most "
                       "{:.2f} um (floor."
                       "max_rms_sigmas = {:g} times the sensor profile's noise) are allowed; see that "
                       "noise.sigma_um is what "
                       "this sensor shows on a matt flat",
                       e.noise_um, gates.max_rms_sigmas * e.sigma_um, gates.max_rms_sigmas));
  } else if (e.second_floor > gates.max_second_floor) {
    refuse(floor, Reason::floor_second_level, second_level_text(gates, floor));
  } else if (e.tilt_deg > gates.max_tilt_deg) {
    refuse(floor, Reason::floor_tilt,
           fmt::format("the floor is tilted by {:.3f} degrees, at most {:.3f} are allowed", e.tilt_deg,
                       gates.max_tilt_deg));
  }
}

void refuse_too_few(const FloorSettings& gates, const Site& site, Floor& floor) {
  const std::uint32_t demanded =
      std::max<std::uint32_t>(3, static_cast<std::uint32_t>(gates.min_sides * gates.min_side_pixels));
  if (floor.fit.status != FitStatus::too_few_points && floor.fit.valid >= demanded) return;
  refuse(floor, Reason::floor_too_few,
         fmt::format("{} of {} ring pixels have a height, at least {} are demanded", floor.fit.valid,
                     site.ring_pixels, demanded));
}

void set_fit(const PlaneFit& fit, const Site& site, FloorEvidence& e) {
  e.a = fit.a;
  e.b = fit.b;
  e.c_um = fit.c + site.reference_z_mm * 1e3;
  e.rms_um = fit.rms;
  e.hypotheses = fit.hypotheses;
  e.refits = fit.refits;
  // Verdicts never use std::hypot: its last digit differs between processors.
  e.tilt_deg = std::atan(Eigen::Vector2d(fit.a, fit.b).norm()) * 180 / M_PI;
}

void set_ring(const RingFloor& ring, Floor& floor) {
  FloorEvidence& e = floor.evidence;
  e.inliers = ring.inliers;
  e.inlier_ratio = static_cast<double>(ring.inliers) / ring.fit.valid;
  e.side_inliers = ring.side_inliers;
  e.second_floor = ring.second_level;
  e.effective_n = ring.evidence.effective_n;
  e.form_um = ring.evidence.form_um;
  e.u_form_um = ring.evidence.u_form_um;
  e.noise_um = ring.noise_um;
  e.between_um = ring.form.between_um;
  e.tiles = ring.tiles;
  e.tiles_off = ring.tiles_off;
  floor.step = ring.step;
  floor.correlation = ring.evidence.correlation;
  floor.noise_um = ring.evidence.noise_um;
  floor.form_um = ring.evidence.floor_um;
  floor.form_slope = ring.form_slope;
  floor.u_um = ring.u_um;
  floor.u_slope = ring.u_slope;
  floor.measured_again = ring.by_tiles;
  floor.bow = ring.bow;
  floor.bow_explains = ring.bow_explains;
}

}  // namespace

double lsb_um(const HeightFrame& frame) {
  return std::holds_alternative<std::vector<float>>(frame.counts) ? 0 : std::abs(frame.z.scale_mm) * 1e3;
}

FloorThresholds thresholds_of(const FloorSettings& settings, const SensorProfile& sensor,
                              const HeightFrame& frame, const Site& site) {
  FloorThresholds t;
  t.sigma_um = sensor.noise.sigma_um_at(site.reference_z_mm);
  t.consensus_um = std::max(settings.threshold_sigmas * t.sigma_um, 2 * lsb_um(frame));
  t.refit_um = std::max(settings.refit_threshold_sigmas * t.sigma_um, t.consensus_um);
  return t;
}

Floor floor_of(const FloorSettings& settings, const PlannedBoard& board, std::size_t index,
               const SiteRecord& record, const float* ring_z) {
  Floor floor;
  floor.fit = record.fit;
  const Site& site = board.sites[index];
  const BoardPlan plan = board.plan.plan();
  const SitePlan& p = plan.sites[index];
  FloorEvidence& e = floor.evidence;
  e.sigma_um = p.sigma_um;
  e.centre_x_mm = site.centre_mm.x();
  e.centre_y_mm = site.centre_mm.y();
  e.pixels = site.ring_pixels;
  e.valid = record.fit.valid;
  if (record.fit.status == FitStatus::ok) {
    const RingFloor measured = ring_floor(
        p, board.shapes[index].tiles, record, plan.runs + p.ring_run, plan.run_side + p.ring_run, ring_z,
        {site.body_mm.x() * 1e3, site.body_mm.y() * 1e3, board.lsb_um, settings.form_um, best_isa()});
    floor.fit = measured.fit;
    set_fit(measured.fit, site, e);
    set_ring(measured, floor);
  }
  refuse_too_few(settings, site, floor);
  if (floor.reason == Reason::none) apply_gates(settings, floor);
  return floor;
}

}  // namespace datum

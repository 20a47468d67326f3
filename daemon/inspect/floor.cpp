#include "daemon/inspect/floor.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "gpu/floor_evidence/floor_evidence.h"

namespace datum {
namespace {

void refuse(Floor& floor, Reason reason, std::string detail) {
  floor.reason = reason;
  floor.detail = std::move(detail);
}

/// The gates of METROLOGY S5, in the order in which one makes the next meaningless.
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
  } else if (e.rms_um > gates.max_rms_sigmas * e.sigma_um) {
    refuse(floor, Reason::floor_rms,
           fmt::format(
               "residuals of {:.2f} um rms, at most {:.2f} um ({:g} times the sensor's noise) are allowed",
               e.rms_um, gates.max_rms_sigmas * e.sigma_um, gates.max_rms_sigmas));
  } else if (e.second_floor > gates.max_second_floor) {
    refuse(floor, Reason::floor_second_level,
           fmt::format(
               "another level holds {:.3f} times as many ring pixels as the floor, at most {:.3f} is allowed",
               e.second_floor, gates.max_second_floor));
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
  e.inliers = fit.inliers;
  e.inlier_ratio = static_cast<double>(fit.inliers) / fit.valid;
  e.hypotheses = fit.hypotheses;
  e.refits = fit.refits;
  // Lengths of what a verdict says are never std::hypot's: its last digit is another one on another processor.
  e.tilt_deg = std::atan(Eigen::Vector2d(fit.a, fit.b).norm()) * 180 / M_PI;
}

void set_ring(const RingRecord& ring, const RingEvidence& from, Floor& floor) {
  FloorEvidence& e = floor.evidence;
  std::copy(std::begin(ring.side_inliers), std::end(ring.side_inliers), e.side_inliers.begin());
  e.second_floor = from.second_level;
  e.effective_n = from.effective_n;
  e.form_um = from.form_um;
  e.u_form_um = from.u_form_um;
  floor.correlation = from.correlation;
  floor.noise_um = from.noise_um;
  floor.form_um = from.floor_um;
  floor.u_um = from.u_floor_um;
}

}  // namespace

FloorThresholds thresholds_of(const FloorSettings& settings, const SensorProfile& sensor,
                              const HeightFrame& frame, const Site& site) {
  FloorThresholds t;
  t.sigma_um = sensor.noise.sigma_um_at(site.reference_z_mm);
  const double two_lsb = 2e3 * std::abs(frame.z.scale_mm);
  const bool counts_are_steps = !std::holds_alternative<std::vector<float>>(frame.counts);
  const double least = counts_are_steps ? two_lsb : 0;
  t.consensus_um = std::max(settings.threshold_sigmas * t.sigma_um, least);
  t.refit_um = std::max(settings.refit_threshold_sigmas * t.sigma_um, t.consensus_um);
  return t;
}

Floor floor_of(const FloorSettings& settings, const Site& site, const SitePlan& plan,
               const SiteRecord& record) {
  Floor floor;
  floor.fit = record.fit;
  FloorEvidence& e = floor.evidence;
  e.sigma_um = plan.sigma_um;
  e.centre_x_mm = site.centre_mm.x();
  e.centre_y_mm = site.centre_mm.y();
  e.pixels = site.ring_pixels;
  e.valid = record.fit.valid;
  if (record.fit.status == FitStatus::ok) {
    set_fit(record.fit, site, e);
    const RingEvidence ring =
        derive(plan, record.fit, record.ring, site.body_mm.x() * 1e3, site.body_mm.y() * 1e3);
    set_ring(record.ring, ring, floor);
  }
  refuse_too_few(settings, site, floor);
  if (floor.reason == Reason::none) apply_gates(settings, floor);
  return floor;
}

}  // namespace datum

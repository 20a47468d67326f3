#include "calib/hybrid/hybrid_probe.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "calib/linear/linear_algebra.h"
#include "calib/printed.h"

namespace datum {

namespace {

// Largest inclination of the hole's axis to the machine's z: scan and touch are compared in x and y.
constexpr double least_axis_z = 0.9;  // 26 degrees
// From this number of holes on, their own scatter gives the next one's uncertainty; before, the calibration's
// does.
constexpr int holes_that_tell = 3;
// A mismatch exceeds 3 standard uncertainties (probability 0.27 %).
constexpr double beyond_chance = 3;
// Cosine of 45 degrees: an operator's move stays within it, a mirrored or exchanged axis violates it on some
// move.
constexpr double least_way_cosine = 0.7;

double larger(const Eigen::Vector3d& u) { return std::max(u.x(), u.y()); }

}  // namespace

void check(const HybridSettings& s) {
  check(s.probe);
  const auto need = [](bool fine, const char* name, double value, const char* allowed) {
    if (!fine) throw FitRefused(printed("hybrid: %s = %g; allowed: %s", name, value, allowed));
  };
  need(s.depth_mm > 0 && s.depth_mm <= 100, "depth_mm", s.depth_mm, "above 0, up to 100");
  need(s.spare_mm > 0 && s.spare_mm <= 100, "spare_mm", s.spare_mm, "above 0, up to 100");
  need(s.eps_mm > 0 && s.eps_mm <= 1, "eps_mm", s.eps_mm, "above 0, up to 1");
  need(s.first_touches >= 4 && s.first_touches <= 64, "first_touches", s.first_touches, "4 to 64");
  need(s.more_touches >= 4 && s.more_touches <= 64, "more_touches", s.more_touches, "4 to 64");
  need(s.max_rounds >= 2 && s.max_rounds <= 100, "max_rounds", s.max_rounds, "2 to 100");
  need(s.timeout_ms >= 100 && s.timeout_ms <= 3'600'000, "timeout_ms", s.timeout_ms, "100 to 3600000");
}

void HybridProbe::stop(State state, const std::string& why) {
  state_ = state;
  why_ = why;
  deadline_.reset();
}

Eigen::Vector3d HybridProbe::u_expected_mm() const {
  if (bias_.holes() < holes_that_tell) return scanned_.u_mm();
  return (scanned_.u_own_mm.cwiseAbs2() + bias_.scatter_mm().cwiseAbs2() + bias_.u_mean_mm().cwiseAbs2())
      .cwiseSqrt();
}

void HybridProbe::scan(const HoleCandidate& hole, MonotonicNs now) {
  scanned_ = expected_ = hole;
  hole_ = {};
  round_ = 0;
  touches_.clear();
  why_.clear();
  expected_.center_mm.head<2>() -= bias_.mean_mm().head<2>();
  expected_.radius_mm -= bias_.mean_mm().z();
  const Eigen::Vector3d u = u_expected_mm();
  if (!hole.center_mm.allFinite() || !u.allFinite() || std::abs(hole.normal.norm() - 1) > 1e-9 ||
      !std::isfinite(hole.radius_mm) || u.minCoeff() < 0) {
    return stop(State::guard, "the scan's hole has a figure that is none");
  }
  if (std::abs(hole.normal.z()) < least_axis_z)
    return stop(State::guard, printed("the hole's axis leans %.0f degrees from the machine's z; allowed: 26",
                                      std::acos(std::abs(hole.normal.z())) * 180 / std::acos(-1.0)));
  const double clearance = settings_.probe.radius_mm + beyond_chance * larger(u) + settings_.spare_mm;
  const double surely = expected_.radius_mm - beyond_chance * u.z();
  if (!(surely >= clearance)) {
    return stop(
        State::guard,
        printed("the hole is surely %.3f mm in radius, the probe needs %.3f mm (radius %.3f, 3 u %.3f, spare "
                "%.3f): take a smaller probe or a better scan",
                surely, clearance, settings_.probe.radius_mm, beyond_chance * larger(u), settings_.spare_mm));
  }
  round_ = 1;
  state_ = State::approach;
  wait(now);
}

/// Position of the tip's centre between touches: the best known center, at depth.
Eigen::Vector3d HybridProbe::middle_mm() const {
  const Eigen::Vector3d& center = round_ > 1 ? hole_.center_mm : expected_.center_mm;
  return center - settings_.depth_mm * expected_.normal;
}

double HybridProbe::tip_circle_mm() const {
  return (round_ > 1 ? hole_.radius_mm : expected_.radius_mm) - settings_.probe.radius_mm;
}

/// Largest distance of an expected contact from the expected place.
double HybridProbe::reach_mm() const {
  const Eigen::Vector3d u = round_ > 1 ? hole_.u_mm : u_expected_mm();
  return beyond_chance * std::hypot(larger(u), u.z()) + settings_.spare_mm;
}

/// Evenly spaced; each round is rotated by half a step, so that a burr is not touched twice.
Eigen::Vector3d HybridProbe::direction(int touch) const {
  const double step = 2 * std::acos(-1.0) / touches_of_round();
  const double angle = step * (touch + 0.5 * ((round_ - 1) % 2));
  return tangents(expected_.normal) * Eigen::Vector2d(std::cos(angle), std::sin(angle));
}

std::vector<ProbeMove> HybridProbe::moves() const {
  if (state_ == State::approach) return {{false, above_mm()}, {false, middle_mm()}};
  if (state_ != State::touching) return {};
  const Eigen::Vector3d to = direction(static_cast<int>(touches_.size()));
  return {{true, middle_mm() + (tip_circle_mm() + reach_mm()) * to}, {false, middle_mm()}};
}

Eigen::Vector3d HybridProbe::above_mm() const {
  const Eigen::Vector3d& center = round_ > 1 ? hole_.center_mm : expected_.center_mm;
  return center + (room().clear_mm + settings_.spare_mm) * expected_.normal;
}

HoleRoom HybridProbe::room() const {
  const Eigen::Vector3d u = round_ > 1 ? hole_.u_mm : u_expected_mm();
  HoleRoom room;
  room.surface_mm = round_ > 1 ? hole_.center_mm : expected_.center_mm;
  room.normal = expected_.normal;
  room.free_mm = tip_circle_mm() - beyond_chance * (larger(u) + u.z()) - hole_.form_mm - settings_.spare_mm;
  room.touch_mm = tip_circle_mm() + reach_mm();
  room.depth_mm = settings_.depth_mm + settings_.spare_mm;
  room.clear_mm = settings_.probe.radius_mm + beyond_chance * larger(u_expected_mm());
  return room;
}

void HybridProbe::entered(const Eigen::Vector3d& tip_mm, MonotonicNs now) {
  if (state_ != State::approach) return;
  const double off = (tip_mm - middle_mm()).norm();
  if (!(off <= settings_.spare_mm)) {
    return stop(State::guard, printed("the probe stands %.3f mm from where it was led; allowed: %.3f mm", off,
                                      settings_.spare_mm));
  }
  state_ = State::touching;
  wait(now);
}

std::string HybridProbe::unexpected(const Eigen::Vector3d& tip_mm) const {
  const int k = static_cast<int>(touches_.size());
  if (!tip_mm.allFinite()) return "a touch whose position is no number";
  const Eigen::Vector3d way = tip_mm - middle_mm();
  const double height = way.dot(expected_.normal);
  const Eigen::Vector3d across = way - height * expected_.normal;
  if (std::abs(height) > settings_.spare_mm)
    return printed("touch %d lies %.3f mm off the depth of %.3f mm below the surface; allowed: %.3f mm",
                   k + 1, height, settings_.depth_mm, settings_.spare_mm);
  if (std::abs(across.norm() - tip_circle_mm()) > reach_mm())
    return printed("touch %d is %.3f mm from the middle, expected %.3f +- %.3f mm", k + 1, across.norm(),
                   tip_circle_mm(), reach_mm());
  const double cosine = across.normalized().dot(direction(k));
  if (cosine < least_way_cosine)
    return printed("touch %d lies %.0f degrees from the way that the probe was sent; allowed: 45", k + 1,
                   std::acos(std::max(cosine, -1.0)) * 180 / std::acos(-1.0));
  return "";
}

void HybridProbe::touched(const Eigen::Vector3d& tip_mm, MonotonicNs now) {
  if (state_ != State::touching) return;
  if (const std::string why = unexpected(tip_mm); !why.empty()) return stop(State::guard, why);
  touches_.push_back(tip_mm);
  wait(now);
  if (static_cast<int>(touches_.size()) == touches_of_round()) end_round(now);
}

/// Circle of the round's touches, its center moved up to the surface; stops the run where they form none.
std::optional<TouchedHole> HybridProbe::circle() {
  try {
    const auto fit =
        circle_of_touches(touches_, expected_.normal, Surface::bore, settings_.probe, {}, middle_mm());
    const Eigen::Matrix<double, 3, 2> t = tangents(expected_.normal);
    const Eigen::Matrix3d c = covariance_through(t, fit.covariance.topLeftCorner<2, 2>());
    const double height = expected_.normal.dot(expected_.center_mm - fit.feature.center_mm);
    return TouchedHole{fit.feature.center_mm + height * expected_.normal, fit.feature.radius_mm,
                       Eigen::Vector3d(c(0, 0), c(1, 1), fit.covariance(2, 2)).cwiseSqrt(),
                       fit.evidence.largest_mm, static_cast<int>(touches_.size())};
  } catch (const FitRefused& refused) {
    stop(State::mismatch, std::string("the touches make no circle: ") + refused.what());
    return std::nullopt;
  }
}

std::string HybridProbe::mismatch() const {
  const char* names[] = {"x", "y", "radius"};
  const Eigen::Vector3d differs = compared(hole_) - compared(expected_);
  const Eigen::Vector3d u = (hole_.u_mm.cwiseAbs2() + u_expected_mm().cwiseAbs2()).cwiseSqrt();
  for (int i = 0; i < 3; ++i) {
    if (std::abs(differs[i]) <= beyond_chance * u[i]) continue;
    return printed(
        "%s: touch and scan differ by %+.3f mm, 3 u is %.3f mm: another hole, a stale calibration, or a "
        "sensor that was moved",
        names[i], differs[i], beyond_chance * u[i]);
  }
  return "";
}

void HybridProbe::end_round(MonotonicNs now) {
  const TouchedHole before = hole_;
  const auto found = circle();
  if (!found) return;
  hole_ = *found;
  if (const std::string why = mismatch(); !why.empty()) return stop(State::mismatch, why);
  const double moved = (hole_.center_mm - before.center_mm).norm();
  const double grown = std::abs(hole_.radius_mm - before.radius_mm);
  if (round_ > 1 && moved <= settings_.eps_mm && grown <= settings_.eps_mm) {
    const Eigen::Vector3d u = (hole_.u_mm.cwiseAbs2() + scanned_.u_own_mm.cwiseAbs2()).cwiseSqrt();
    bias_.add(compared(scanned_) - compared(hole_), u);
    return stop(State::done, "");
  }
  if (round_ == settings_.max_rounds) {
    return stop(
        State::no_convergence,
        printed(
            "after %d rounds the center still moves by %.4f mm and the radius by %.4f mm; allowed: %.4f mm",
            round_, moved, grown, settings_.eps_mm));
  }
  ++round_;
  touches_.clear();
  wait(now);
}

void HybridProbe::touch_failed(const std::string& why, MonotonicNs) {
  if (state_ == State::approach || state_ == State::touching) stop(State::guard, why);
}

void HybridProbe::abort() {
  if (state_ == State::approach || state_ == State::touching) stop(State::guard, "aborted");
}

void HybridProbe::on_deadline(MonotonicNs now) {
  if (!deadline_ || now < *deadline_) return;
  stop(State::guard,
       printed("%s within %d ms", state_ == State::approach ? "the probe did not enter the hole" : "no touch",
               settings_.timeout_ms));
}

const char* name_of(HybridProbe::State state) {
  switch (state) {
    case HybridProbe::State::idle:
      return "IDLE";
    case HybridProbe::State::approach:
      return "APPROACH";
    case HybridProbe::State::touching:
      return "TOUCHING";
    case HybridProbe::State::done:
      return "DONE";
    case HybridProbe::State::mismatch:
      return "MISMATCH";
    case HybridProbe::State::guard:
      return "GUARD";
    case HybridProbe::State::no_convergence:
      return "NO CONVERGENCE";
  }
  return "?";
}

}  // namespace datum

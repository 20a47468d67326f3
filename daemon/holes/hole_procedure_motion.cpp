// The motion of a hole's probe: its way to the hole, to the wall and back, and what stops it.
#include <fmt/format.h>

#include <Eigen/LU>

#include "daemon/holes/hole_procedure.h"
#include "daemon/holes/hole_room.h"
#include "daemon/system/event_loop.h"

namespace datum {

void HoleProcedure::enter() {
  if (step_ != Step::probing || run_->probe().state() != HybridProbe::State::approach)
    throw scpi::Error(scpi::settings_conflict,
                      "it is " + step() + ", not APPROACH; PROBe:HOLE:STATe? says what is next");
  demand_rest();
  drive_.available() ? drive_.go(legs()) : await_touch(true);
}

void HoleProcedure::touch() {
  if (step_ != Step::probing || run_->probe().state() != HybridProbe::State::touching)
    throw scpi::Error(scpi::settings_conflict,
                      "it is " + step() + ", not TOUCHING; PROBe:HOLE:STATe? says what is next");
  demand_rest();
  await_touch(false);
  if (drive_.available()) drive_.go(legs());
}

std::vector<HoleMove> HoleProcedure::moves() const {
  std::vector<HoleMove> moves;
  if (step_ != Step::probing) return moves;
  const Eigen::Matrix3d scales_from_machine = calibration_->stage.a.inverse();
  for (const ProbeMove& move : run_->probe().moves())
    moves.push_back({move.until_contact, scales_from_machine * move.to_mm});
  return moves;
}

ProbeRoom HoleProcedure::room() const {
  return room_in_scales(run_->probe().room(), calibration_->stage.a.inverse(),
                        parts_.config.calibrate->probe_radius_mm);
}

/// Above the hole, at the height of the way between holes; the spare covers where a move may end.
HoleMove HoleProcedure::travel_move() const {
  Eigen::Vector3d to_mm = run_->probe().above_mm();
  to_mm.z() = *travel_z_mm_ + settings().spare_mm;
  return {false, calibration_->stage.a.inverse() * to_mm};
}

/// moves(), of a list's hole from wherever the tip stands above the height between holes.
std::vector<ProbeLeg> HoleProcedure::legs() const {
  std::vector<ProbeLeg> legs;
  if (travel_z_mm_ && run_->probe().state() == HybridProbe::State::approach)
    legs.push_back({travel_move(), room_above(*travel_z_mm_, calibration_->stage.a.inverse())});
  for (const HoleMove& move : moves()) legs.push_back({move});
  return legs;
}

std::string HoleProcedure::standing() const {
  const ProbePoint at = parts_.cmm->latest(EventLoop::now());
  if (at.state != ProbeState::ok)
    return fmt::format("; where the tip stands is not known: {}", name_of(at.state));
  return fmt::format("; the tip stands at {:.3f} {:.3f} {:.3f} mm", at.position_mm[0], at.position_mm[1],
                     at.position_mm[2]);
}

/// The machine has moved the probe, or could not.
void HoleProcedure::moved(const std::string& why, MonotonicNs now) {
  const bool probing = step_ == Step::probing;
  if (why.empty()) {
    const bool inside = probing && run_->probe().state() == HybridProbe::State::approach;
    return inside ? await_touch(true) : parts_.changed();
  }
  if (probing && !run_->probe().finished()) {
    run_->touch_failed("the move failed: " + why, now);
    probe_moved_on();
  } else {
    way_back_fault_ = why;
    parts_.raise(scpi::execution_error, "hole: the way back failed: " + why);
    parts_.changed();
  }
}

}  // namespace datum

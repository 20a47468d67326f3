// The probe moved by the machine itself, along the way that the hybrid probe tells.
#include <fmt/format.h>

#include <Eigen/LU>

#include "daemon/holes/hole_procedure.h"
#include "daemon/holes/hole_room.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {

ProbeRoom HoleProcedure::room() const {
  return room_in_scales(run_->probe().room(), calibration_->stage.a.inverse(),
                        parts_.config.calibrate->probe_radius_mm);
}

/// The next hole is entered from above: the way there must not lead through this one's wall.
void HoleProcedure::leave_hole() {
  if (way_.empty()) return;  // led by hand
  way_.push_back({false, calibration_->stage.a.inverse() * run_->probe().above_mm()});
}

/// The first of way_ begins.
void HoleProcedure::drive() {
  const MonotonicNs now = EventLoop::now();
  const HoleMove& next = way_.front();
  say(fmt::format("moves {} {:.4f} {:.4f} {:.4f} mm", next.until_contact ? "until contact, to" : "to",
                  next.to_mm.x(), next.to_mm.y(), next.to_mm.z()));
  try {
    mover()->move({{next.to_mm.x(), next.to_mm.y(), next.to_mm.z()}, next.until_contact, room()}, now);
  } catch (const RefusedError& refused) {
    moved(refused.what(), now);
  }
}

void HoleProcedure::moved(const std::string& why, MonotonicNs now) {
  if (way_.empty()) return;  // stopped
  if (why.empty()) {
    way_.pop_front();
    if (!way_.empty()) return drive();
    const bool inside = step_ == Step::probing && run_->probe().state() == HybridProbe::State::approach;
    return inside ? await(Awaited::entry) : parts_.changed();
  }
  way_.clear();
  if (step_ == Step::probing && !run_->probe().finished()) {
    run_->touch_failed("the move failed: " + why, now);
    probe_moved_on();
  } else {
    parts_.raise(scpi::execution_error, "hole: the way back failed: " + why);
    parts_.changed();
  }
}

void HoleProcedure::stop_moving(const std::string& why) {
  if (way_.empty()) return;
  way_.clear();
  say("stops the machine: " + why);
  mover()->stop(why, EventLoop::now());
}

}  // namespace datum

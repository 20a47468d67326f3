#include "daemon/holes/probe_drive.h"

#include <fmt/format.h>

#include "daemon/system/event_loop.h"

namespace datum {

ProbeDrive::ProbeDrive(CmmSource* cmm, Handlers handlers)
    : mover_(cmm ? cmm->mover() : nullptr), handlers_(std::move(handlers)) {
  if (mover_) mover_->on_moved([this](const std::string& why, MonotonicNs now) { moved(why, now); });
}

void ProbeDrive::go(std::vector<ProbeLeg> way) {
  way_.assign(way.begin(), way.end());
  move();
}

void ProbeDrive::append(const ProbeLeg& leg) {
  if (active()) way_.push_back(leg);
}

/// The first move of the way begins.
void ProbeDrive::move() {
  const MonotonicNs now = EventLoop::now();
  const HoleMove& next = way_.front().move;
  const ProbeRoom room = way_.front().room ? *way_.front().room : handlers_.room();
  handlers_.say(fmt::format("moves {} {:.4f} {:.4f} {:.4f} mm",
                            next.until_contact ? "until contact, to" : "to", next.to_mm.x(), next.to_mm.y(),
                            next.to_mm.z()));
  try {
    mover_->move({{next.to_mm.x(), next.to_mm.y(), next.to_mm.z()}, next.until_contact, room}, now);
  } catch (const RefusedError& refused) {
    moved(refused.what(), now);
  }
}

void ProbeDrive::moved(const std::string& why, MonotonicNs now) {
  if (!active()) return;  // stopped
  if (!why.empty()) {
    way_.clear();
  } else {
    way_.pop_front();
    if (active()) return move();
  }
  handlers_.ended(why, now);
}

void ProbeDrive::stop(const std::string& why) {
  if (!active()) return;
  way_.clear();
  handlers_.say("stops the machine: " + why);
  mover_->stop(why, EventLoop::now());
}

}  // namespace datum

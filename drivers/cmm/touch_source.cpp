#include "drivers/cmm/touch_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drivers/cmm/pairing.h"

namespace datum {
namespace {

Touch mean_of(const std::deque<ProbePoint>& points) {
  Touch touch;
  touch.samples = static_cast<int>(points.size());
  touch.at_ns = points.back().last_byte_ns;
  for (const ProbePoint& point : points)
    for (std::size_t i = 0; i < 3; ++i)
      touch.position_mm[i] += point.position_mm[i] / static_cast<double>(points.size());
  for (const ProbePoint& point : points) {
    const auto& [x, y, z] = touch.position_mm;
    const double away_mm =
        std::hypot(point.position_mm[0] - x, point.position_mm[1] - y, point.position_mm[2] - z);
    touch.spread_um = std::max(touch.spread_um, away_mm * 1000);
  }
  return touch;
}

// The machine must not have moved, and its position must be valid.
bool breaks_a_latch(ProbeState state) {
  return state == ProbeState::link_down || state == ProbeState::not_referenced;
}

}  // namespace

void check(const TouchSettings& settings) {
  const auto need = [](bool fine, const char* name, double value, const char* allowed) {
    if (!fine) throw RefusedError(fmt::format("touch: {} = {}; allowed: {}", name, value, allowed));
  };
  need(settings.samples >= 2 && settings.samples <= 100, "samples", settings.samples, "2 to 100");
  need(std::isfinite(settings.tolerance_um) && settings.tolerance_um > 0, "tolerance_um",
       settings.tolerance_um, "more than 0");
  need(settings.timeout_ms >= 100 && settings.timeout_ms <= 600'000, "timeout_ms", settings.timeout_ms,
       "100 to 600000");
  need(settings.latency_ms >= 0 && settings.latency_ms <= 60'000, "latency_ms", settings.latency_ms,
       "0 to 60000");
}

void TouchSource::ask(MonotonicNs now) {
  step_ = Step::waiting;
  asked_ns_ = now;
  deadline_ = now + settings_.timeout_ms * ns_per_ms;
  stood_.clear();
  last_fault_.clear();
  why_.clear();
}

void TouchSource::latched(const ProbePoint& point, MonotonicNs) {
  if (step_ != Step::waiting || settings_.rule != TouchRule::latched || point.first_byte_ns < asked_ns_)
    return;
  if (point.state != ProbeState::ok) return fail(fmt::format("{} {}", name_of(point.state), point.detail));
  done({point.position_mm, TouchRule::latched, 1, 0, point.last_byte_ns, point.head_deg});
}

void TouchSource::position(const ProbePoint& point, MonotonicNs) {
  if (step_ != Step::waiting) return;
  if (settings_.rule == TouchRule::latched) {
    if (breaks_a_latch(point.state)) fail(fmt::format("{} {}", name_of(point.state), point.detail));
    return;
  }
  PairSettings times;
  times.latency_ms = settings_.latency_ms;
  if (measured_not_before(point, times) >= asked_ns_) stood(point);
}

void TouchSource::stood(const ProbePoint& point) {
  if (point.state != ProbeState::ok) {
    stood_.clear();
    last_fault_ = fmt::format("{} {}", name_of(point.state), point.detail);
    return;
  }
  stood_.push_back(point);
  if (stood_.size() < static_cast<std::size_t>(settings_.samples)) return;
  Touch touch = mean_of(stood_);
  touch.head_deg = point.head_deg;
  if (touch.spread_um <= settings_.tolerance_um) return done(touch);
  last_fault_ = fmt::format("the machine moved: {:.1f} um from the mean of {} positions; allowed: {} um",
                            touch.spread_um, touch.samples, settings_.tolerance_um);
  stood_.pop_front();
}

void TouchSource::abort() {
  if (step_ == Step::waiting) fail("aborted");
}

void TouchSource::on_deadline(MonotonicNs now) {
  if (!deadline_ || now < *deadline_) return;
  const std::string none = settings_.rule == TouchRule::latched
                               ? "no touch came from the device"
                               : fmt::format("{} of {} positions came", stood_.size(), settings_.samples);
  fail(fmt::format("{} within {} ms{}", none, settings_.timeout_ms,
                   last_fault_.empty() ? "" : "; last: " + last_fault_));
}

void TouchSource::done(const Touch& touch) {
  touch_ = touch;
  step_ = Step::done;
  deadline_.reset();
}

void TouchSource::fail(const std::string& why) {
  why_ = why;
  step_ = Step::failed;
  deadline_.reset();
}

const char* name_of(TouchSource::Step step) {
  switch (step) {
    case TouchSource::Step::idle:
      return "idle";
    case TouchSource::Step::waiting:
      return "waiting for a touch";
    case TouchSource::Step::done:
      return "done";
    case TouchSource::Step::failed:
      return "failed";
  }
  return "?";
}

}  // namespace datum

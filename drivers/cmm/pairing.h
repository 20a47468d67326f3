// Stop-and-stare: one position before and one after a frame prove that the machine stood still. Pure
// functions.
#pragma once

#include <string>

#include "drivers/cmm/settings.h"
#include "drivers/frame/probe_point.h"

namespace datum {

/// Span of host time that surely contains the exposure. For a frame delivered as a file after a trigger: from
/// the position before to the file's arrival.
struct CaptureWindow {
  MonotonicNs from_ns = 0, to_ns = 0;
  bool known = false;  // from the sensor's clock instead of the frame's arrival
};

enum class PairFault : std::uint8_t {
  none,
  missing,  // a position or the frame is missing, or not in the order before, frame, after
  stale,    // too far from the frame in time
  moved,    // before and after differ by more than the tolerance
  error,    // a position is not ok, by the device or the link
};
const char* name_of(PairFault fault);

/// Possible motion between the exposure and the position used for it.
struct PairingFault {
  MonotonicNs spread_ns = 0;  // from the earliest exposure to the latest instant of the position after
  double speed_um_per_s = 0;  // largest average speed between the positions
  double u_um = 0;            // standard uncertainty of the position at the exposure
};

struct PairingResult {
  bool accepted = false;
  ProbePoint before, after;
  double moved_um = 0;          // distance between them; 0 where either is not ok
  bool exposure_known = false;  // by the sensor's clock; false: between the position before and the arrival
  PairingFault doubt;
  PairFault fault = PairFault::missing;
  std::string detail;  // for the operator, where not accepted
};

/// Accepted only if both positions are ok, `before` was complete before the exposure, `after` was measured
/// after it, both lie within window_ms of its farthest possible instant, and |after - before| <=
/// tolerance_um.
PairingResult pair(const ProbePoint& before, const ProbePoint& after, CaptureWindow frame,
                   const PairSettings& settings);

/// For uniform motion from `before` to `after` the error is at most speed times spread, uniformly
/// distributed: u is that over sqrt(3) (JCGM 100, 4.3.7).
PairingFault doubt_of(const ProbePoint& before, const ProbePoint& after, double moved_um, CaptureWindow frame,
                      const PairSettings& settings);

/// Earliest host time of the measurement: the poll's, or the first byte's less the latency.
MonotonicNs measured_not_before(const ProbePoint& point, const PairSettings& settings);

}  // namespace datum

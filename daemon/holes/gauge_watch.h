// GaugeWatch: whether the ring gauge vouches for the probe. The touches of a hole can't show a wrong radius of the tip.
//
// It remembers what the last hole at the gauge's place came to, since this program started: while none ran, nobody watched
// the probe, so that a restart demands the gauge anew. On the loop's thread.
#pragma once

#include <optional>
#include <string>

#include "calib/calibration.h"
#include "calib/hybrid/ring_gauge.h"
#include "daemon/holes/hole_settings.h"
#include "daemon/instrument/hole_prober.h"
#include "drivers/frame/probe_point.h"

namespace datum {

class GaugeWatch {
 public:
  struct Measured {
    GaugeCheck check;  // that of a gauge that could not be measured did not hold
    MonotonicNs at_ns;
    std::string utc, calibration_sha256;
  };

  /// Throws scpi::Error -221 where a hole may not be touched before the gauge is measured.
  void demand(const HoleSettings& settings, const HoleOrder& order, const Calibration& calibration,
              MonotonicNs now) const;
  /// The hole at the gauge's place ended; null: it could not be measured, which counts as a gauge that reads wrong.
  const Measured& measure(const RingGauge& gauge, const TouchedHole* hole, MonotonicNs now,
                          const std::string& utc, const Calibration& calibration);
  const std::optional<Measured>& last() const { return last_; }

 private:
  std::string fault(const HoleSettings& settings, const Calibration& calibration, MonotonicNs now) const;

  std::optional<Measured> last_;
};

}  // namespace datum

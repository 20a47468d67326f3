#include "daemon/holes/gauge_watch.h"

#include <fmt/format.h>

#include "daemon/instrument/scpi_error.h"

namespace datum {

/// Why the gauge says nothing of the probe as it is now; empty: it held.
std::string GaugeWatch::fault(const HoleSettings& settings, const Calibration& calibration,
                              MonotonicNs now) const {
  if (!last_)
    return "the ring gauge was not measured since datumd started, and what was done to the probe before is "
           "not known";
  if (!last_->check.held) return fmt::format("the ring gauge did not hold on {}", last_->utc);
  if (last_->calibration_sha256 != calibration.sha256)
    return fmt::format("the ring gauge held on {}, under another calibration", last_->utc);
  const double age_h = static_cast<double>(now - last_->at_ns) / 3600e9;
  if (age_h > settings.gauge_valid_h)
    return fmt::format("the ring gauge held on {}, {:.2f} h ago, and valid_h is {:g}", last_->utc, age_h,
                       settings.gauge_valid_h);
  return "";
}

void GaugeWatch::demand(const HoleSettings& settings, const HoleOrder& order, const Calibration& calibration,
                        MonotonicNs now) const {
  const auto& gauge = settings.gauge;
  if (!gauge || is_gauge(*gauge, order.center_mm)) return;
  if (const std::string why = fault(settings, calibration, now); !why.empty())
    throw scpi::Error(
        scpi::settings_conflict,
        fmt::format("{} (holes.ring_gauge): measure the gauge first, a hole at {:.3f} {:.3f} {:.3f} mm "
                    "of radius {:.4f} mm",
                    why, gauge->center_mm.x(), gauge->center_mm.y(), gauge->center_mm.z(), gauge->radius_mm));
}

const GaugeWatch::Measured& GaugeWatch::measure(const RingGauge& gauge, const TouchedHole* hole,
                                                MonotonicNs now, const std::string& utc,
                                                const Calibration& calibration) {
  last_ = {{}, now, utc, calibration.sha256};
  if (hole) last_->check = compared(*hole, gauge);
  return *last_;
}

}  // namespace datum

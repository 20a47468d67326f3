#include "calib/hybrid/ring_gauge.h"

#include "calib/printed.h"

namespace datum {

bool is_gauge(const RingGauge& gauge, const Eigen::Vector3d& ordered_mm) {
  return (ordered_mm - gauge.center_mm).norm() <= gauge.radius_mm;
}

GaugeCheck compared(const TouchedHole& touched, const RingGauge& gauge) {
  GaugeCheck c;
  c.off_mm = touched.radius_mm - gauge.radius_mm;
  c.u_mm = std::hypot(touched.u_mm.z(), gauge.u_radius_mm);
  c.held = std::abs(c.off_mm) <= 2 * c.u_mm;
  c.words =
      printed("the ring gauge reads %+.1f um in radius, U (k = 2) %.1f um", 1e3 * c.off_mm, 2e3 * c.u_mm);
  if (!c.held)
    c.words += printed(
        ": the tip's radius is not the stated one (%.4f mm less would read true); clean tip and gauge, or "
        "state "
        "calibration.probe_radius_mm and probe_u_radius_um again",
        c.off_mm);
  return c;
}

}  // namespace datum

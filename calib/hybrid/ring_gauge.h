// A ring gauge that stands where the machine reaches it: its certified radius tells whether the probe's stated one is true.
// A circle of touches is off by the whole error of the tip's radius, and nothing in the touches themselves shows it.
#pragma once

#include <string>

#include "calib/hybrid/hole.h"

namespace datum {

/// Machine coordinates, mm; u_radius_mm: standard uncertainty of the certified radius at the gauge's temperature.
struct RingGauge {
  Eigen::Vector3d center_mm = Eigen::Vector3d::Zero();
  double radius_mm = 0, u_radius_mm = 0;
};

/// Whether an order of a hole there means the gauge.
bool is_gauge(const RingGauge& gauge, const Eigen::Vector3d& ordered_mm);

struct GaugeCheck {
  double off_mm = 0, u_mm = 0;  // touched less certified radius, and its standard uncertainty
  bool held = false;            // within 2 u
  std::string words;
};

/// u_mm of `touched` has the stated uncertainty of the probe's radius already.
GaugeCheck compared(const TouchedHole& touched, const RingGauge& gauge);

}  // namespace datum

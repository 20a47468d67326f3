// A ring gauge within the machine's reach, whose certified radius verifies the probe's stated radius. A
// circle of touches is wrong by the whole error of the tip's radius, which no touch reveals by itself.
#pragma once

#include <string>

#include "calib/hybrid/hole.h"

namespace datum {

/// Machine coordinates, mm; u_radius_mm: standard uncertainty of the certified radius at the gauge's temperature.
struct RingGauge {
  Eigen::Vector3d center_mm = Eigen::Vector3d::Zero();
  double radius_mm = 0, u_radius_mm = 0;
};

/// Whether a requested hole is the gauge.
bool is_gauge(const RingGauge& gauge, const Eigen::Vector3d& ordered_mm);

struct GaugeCheck {
  double off_mm = 0, u_mm = 0;  // touched less certified radius, and its standard uncertainty
  bool held = false;            // within 2 u
  std::string words;
};

/// u_mm of `touched` already contains the stated uncertainty of the probe's radius.
GaugeCheck compared(const TouchedHole& touched, const RingGauge& gauge);

}  // namespace datum

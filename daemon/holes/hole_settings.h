// How holes are scanned, then touched: the [holes] table of the cell's configuration. The probe is that of
// [calibration].
#pragma once

#include <filesystem>
#include <optional>

#include "calib/hybrid/ring_gauge.h"

namespace datum {

struct HoleSettings {
  std::filesystem::path logs;  // folder, one file of JSON lines per run
  double u_edge_um = 0;        // standard uncertainty of where the sensor sees an edge
  double edge_depth_mm = 0.2;  // what lies so far below the surface is in the hole
  double depth_mm = 1;         // of the tip's centre below the surface
  double spare_mm = 0.5;       // wherever the way must be free
  double eps_um = 5;           // center and radius stand still
  int timeout_ms = 60'000;     // an operator walks the probe there
  /// Holes are touched only within so many hours after the gauge was measured and held; none: the radius is as stated.
  std::optional<RingGauge> gauge;
  double gauge_valid_h = 24;
};

}  // namespace datum

// A plate with a bore, the sensor's calibration, and the true place of the bore, for holes that are scanned, then
// touched.
#pragma once

#include <Eigen/LU>
#include <cstdint>
#include <cstring>
#include <string>

#include "config/utc_time.h"
#include "tests/a_calibration.h"

namespace datum::scenario {

constexpr double bore_x_mm = 4.4, bore_y_mm = 5.3, top_mm = 1, bore_radius_mm = 1.5;  // sensor coordinates
constexpr double probe_radius_mm = 0.5, depth_mm = 1;
inline const Eigen::Vector3d stage_mm(100.2, 80.4, 30.1);

/// A .ptr file of 10 x 10 mm: a plate at 1 mm, with or without a hole; `mark_um` makes its bytes unique.
inline std::string plate(bool hole, float mark_um) {
  std::string bytes;
  const auto append = [&bytes](std::uint32_t word) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift & 0xFF);
  };
  for (const std::uint32_t word : {200u, 200u, 0x41700000u, 0x41700000u, 32u, 1u, 1u, 1u}) append(word);
  for (int row = 0; row < 200; ++row)
    for (int col = 0; col < 200; ++col) {
      const bool in = hole && std::hypot(0.05 * col - bore_x_mm, 0.05 * row - bore_y_mm) < bore_radius_mm;
      float z_um = in ? 100.0F : 1000.0F;
      if (row == 0 && col == 0) z_um += mark_um;
      std::uint32_t bits = 0;
      std::memcpy(&bits, &z_um, sizeof bits);
      append(bits);
    }
  return bytes;
}

inline Calibration calibration() {
  Calibration c = testing::a_calibration("x");
  c.sensor_serial = "S-1";
  c.expires_utc_s = *utc_from_iso8601("2099-01-01T00:00:00Z");
  c.squareness_rad = {0.001, 0, 0};
  c.stage.a = stage_matrix(c.squareness_rad, c.scale_ppm);
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topRightCorner<3, 1>() = Eigen::Vector3d(20, -10, -5);
  c.machine_from_sensor = Htm<Machine, Sensor>(m);
  c.sha256 = checksum_of(c);
  return c;
}

}  // namespace datum::scenario

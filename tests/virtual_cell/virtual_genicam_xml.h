// Description of the virtual 3D camera: that of Aravis' fake camera plus the features of a 3D camera. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace datum {

/// Addresses of the added features in the camera's memory; all big-endian.
struct GenicamRegisters {
  static constexpr std::uint32_t output_mode = 0x8000, distance_unit = 0x8004, coordinate_system = 0x8008,
                                 reference = 0x800C, selector = 0x8010, latch = 0x8020, latched_ns = 0x8028,
                                 user_set = 0x8030, user_set_load = 0x8034, trigger = 0x8038,
                                 firmware = 0x8040,
                                 // of coordinate A; those of B and C follow at `next`
      scale = 0x8100, offset = 0x8108, invalid_flag = 0x8110, invalid_value = 0x8118, next = 0x20;
  static constexpr std::uint32_t millimetre = 0, inch = 1, pixel = 2;
  static constexpr std::uint32_t rectified_c = 0, calibrated_c = 1;
};
inline constexpr std::uint32_t coord3d_c16 = 0x011000B8;

/// Throws std::runtime_error where the fake camera's description can't be extended.
std::string with_scan3d(std::string fake_camera_xml);

}  // namespace datum

// Payloads of a camera, byte by byte.
#pragma once

#include <cstring>
#include <vector>

#include "drivers/genicam/payload.h"

namespace datum::testing {

inline constexpr std::uint32_t c16 = 0x011000B8, c32f = 0x012000BF, abc32f = 0x026000C0,
                               abc32f_planar = 0x026000C1, a32f = 0x012000BD, b32f = 0x012000BE,
                               ac32f = 0x024000C2, confidence8 = 0x010800C6, mono8 = 0x01080001,
                               mono16 = 0x01100007;

template <class T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Appends a part.
inline void add_part(genicam::Payload& payload, std::uint32_t format, std::uint32_t cols, std::uint32_t rows,
                     const std::vector<std::uint8_t>& bytes) {
  genicam::Part part;
  part.pixel_format = format;
  part.width = cols;
  part.height = rows;
  part.begin = payload.bytes.size();
  part.size = bytes.size();
  payload.bytes.insert(payload.bytes.end(), bytes.begin(), bytes.end());
  payload.parts.push_back(part);
}

inline genicam::Payload payload_of(std::uint32_t format, std::uint32_t cols, std::uint32_t rows,
                                   const std::vector<std::uint8_t>& bytes) {
  genicam::Payload payload;
  payload.block_id = 17;
  payload.timestamp_ns = 123456789;
  add_part(payload, format, cols, rows, bytes);
  return payload;
}

/// 35 x 36 x 1 um, 0 marks a pixel without data.
inline genicam::Setup rectified() {
  genicam::Setup s;
  s.pixel_format = "Coord3D_C16";
  s.scan3d.axes = {genicam::Coordinate{0.035, -15, std::nullopt},
                   genicam::Coordinate{0.036, -10, std::nullopt}, genicam::Coordinate{0.001, -30, 0.0}};
  return s;
}

/// Coordinates in mm without scaling, x 0.1 and y 0.2 mm apart.
inline genicam::Setup grid() {
  genicam::Setup s;
  s.scan3d.output_mode = "CalibratedABC_Grid";
  s.pixel_format = "Coord3D_ABC32f";
  return s;
}

/// Rows x cols points, interleaved; z counts up.
inline std::vector<float> grid_points(std::uint32_t cols, std::uint32_t rows) {
  std::vector<float> points;
  for (std::uint32_t row = 0; row < rows; ++row)
    for (std::uint32_t col = 0; col < cols; ++col) {
      points.push_back(-1.0f + 0.1f * static_cast<float>(col));
      points.push_back(5.0f + 0.2f * static_cast<float>(row));
      points.push_back(static_cast<float>(row * cols + col));
    }
  return points;
}

}  // namespace datum::testing

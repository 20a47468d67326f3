// One block of a camera's counts, as the tests of its frame read it: whole, and while it arrives.
#pragma once

#include <memory>

#include "drivers/sensor/genicam_frame.h"
#include "tests/drivers/genicam/payloads.h"

namespace datum::testing {

inline constexpr std::uint32_t block_cols = 701, block_rows = 501;  // of 16 bits two leaves and a part

inline genicam::Payload counted_block() {
  std::vector<std::uint16_t> counts(std::size_t{block_cols} * block_rows);
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = i % 89 == 3 ? std::uint16_t{0} : static_cast<std::uint16_t>(i * 7919 % 65536);
  return payload_of(c16, block_cols, block_rows, bytes_of(counts));
}

inline SensorProfile camera_profile(Handedness hand) {
  SensorProfile p;
  p.serial = "GC-1";
  p.handedness = hand;
  p.z_min_mm = -25;
  p.z_max_mm = 30;
  p.reading.threads = 2;
  p.reading.buffers = std::make_shared<FrameBuffers>();
  return p;
}

inline const GenicamOrigin block_origin{"genicam 17@123456789", "GC-1", "UserSet1", {35, 36, 1}};

}  // namespace datum::testing

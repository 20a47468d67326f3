// A delivered file: its reader returns a valid frame, or throws FrameError.
#pragma once

#include "drivers/frame/frame_error.h"
#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/file_bytes.h"
#include "tests/fuzz/fuzz_target.h"

namespace datum::fuzz {

inline ByteView view(std::string_view bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

/// A sensor profile for every format.
inline SensorProfile any_profile() {
  SensorProfile profile;
  profile.serial = "S1";
  profile.noise = {{0.0}, {1.0}};
  profile.z_min_mm = -20;
  profile.z_max_mm = 20;
  profile.pixel_pitch_mm = 0.1;
  return profile;
}

template <class Read>
void expect_frame_or_refusal(Read read) {
  try {
    read();
  } catch (const FrameError& refused) {
    expect(*refused.what() != 0, "a refusal has its reason");
  }
}

}  // namespace datum::fuzz

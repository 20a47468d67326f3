// The same 2 x 3 frame in files of any format, with its sidecar.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <string>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/read_frame.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum::testing {

/// Parser of the test program; null: the program itself.
std::shared_ptr<const FrameParser> parser_under_test();

inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();
// Columns at -0.5, -0.48, -0.46 mm, rows at 0, 0.02 mm; heights in mm.
inline const float heights_mm[] = {0.1f, 0.2f, -0.3f, nan, 0.0f, 1.25f};

template <class T>
std::string stored(T value, bool big_endian = false) {
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
  if (big_endian) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

class OtherFormats : public ::testing::Test {
 protected:
  FreshFolder folder;
  SensorProfile profile = profile_under_test();
  FrameSidecar sidecar = grid_sidecar();

  static SensorProfile profile_under_test() {
    SensorProfile p = make_profile();
    p.parser = parser_under_test();
    return p;
  }
  static FrameSidecar grid_sidecar() {
    FrameSidecar s = make_sidecar("a.bin");
    s.x = {0.02, -0.5};
    s.y = {0.02, 0};
    s.z = {1, 0};
    s.invalid = {InvalidMark::Kind::nan, 0};
    return s;
  }
  HeightFrame read(const std::string& name, const std::string& bytes, const std::string& header = "") {
    sidecar.height_file = name;
    if (!header.empty()) sidecar.header_file = folder.write("a.hdr", header).filename().string();
    folder.write(name, bytes);
    folder.write("a.json", write_sidecar(sidecar));
    return read_frame(folder.path() / "a.json", profile);
  }
  std::string refusal(const std::string& name, const std::string& bytes, const std::string& header = "") {
    try {
      read(name, bytes, header);
    } catch (const FrameError& e) {
      return e.what();
    }
    return "accepted";
  }
  void expect_grid(const HeightFrame& frame) {
    EXPECT_EQ(frame.rows, 2);
    EXPECT_EQ(frame.cols, 3);
    EXPECT_THAT(frame.classes, ::testing::ElementsAre(PixelClass::ok, PixelClass::ok, PixelClass::ok,
                                                      PixelClass::no_data, PixelClass::ok, PixelClass::ok));
    for (int i = 0; i < 6; ++i) {
      if (i == 3) continue;
      EXPECT_FLOAT_EQ(static_cast<float>(frame.z_mm(i / 3, i % 3)), heights_mm[i]) << i;
    }
    EXPECT_DOUBLE_EQ(frame.x.at(2), -0.46);
    EXPECT_DOUBLE_EQ(frame.y.at(1), 0.02);
    EXPECT_EQ(frame.sensor_serial, "SN-1");
  }
};

}  // namespace datum::testing

// A tiny checked frame for tests: 2 rows x 3 columns, z = 10, 20, ... 60 counts.
#pragma once

#include "drivers/frame/height_frame.h"

namespace datum::testing {

inline HeightFrame make_frame() {
  HeightFrame frame;
  frame.rows = 2;
  frame.cols = 3;
  frame.x = {0.5, 10.0};
  frame.y = {0.25, -1.0};
  frame.z = {0.001, 2.0};
  frame.counts = std::vector<std::int16_t>{10, 20, 30, 40, 50, 60};
  frame.classes.assign(6, PixelClass::ok);
  frame.sensor_serial = "S1";
  frame.frame_id = "7";
  frame.source = "tiny";
  return frame;
}

}  // namespace datum::testing

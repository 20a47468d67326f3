// The virtual Gocator's bytes equal those of LMI's own serializer.
#include <gtest/gtest.h>

#include "tests/drivers/gocator/golden.h"
#include "tests/virtual_cell/virtual_gocator_bytes.h"

namespace datum {
namespace {

GocatorBytes operator+(GocatorBytes a, const GocatorBytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(VirtualGocator, WritesTheGoldenBytes) {
  gocator::Stamp stamp;
  stamp.frame_index = 7;
  stamp.timestamp_us = 123456789;
  stamp.encoder = -42;
  stamp.encoder_at_z = 5;
  stamp.status = 1;
  stamp.serial = 67890;
  stamp.ptp_time = 0x1122334455667788;
  gocator::Grid grid;
  grid.rows = 2;
  grid.cols = 3;
  grid.x_step_nm = 35000;
  grid.y_step_nm = 36000;
  grid.z_step_nm = 1000;
  grid.x_offset_um = -15000;
  grid.y_offset_um = -10000;
  grid.z_offset_um = 250;
  grid.exposure_ns = 2'500'000;
  gocator::Grid grey = grid;
  grey.exposure_ns = 0;
  const std::vector<std::int16_t> heights{-32768, 0, 1, 2, -3, 32767};
  const GocatorBytes values{0, 10, 20, 30, 40, 255};
  EXPECT_EQ(stamp_message(stamp, false) + surface_message(grid, heights, false) +
                intensity_message(grey, values, true),
            testing::golden_surface());
}

TEST(VirtualGocator, StampsOfOlderFirmware) {
  gocator::Stamp stamp;
  stamp.serial = 5;
  const GocatorBytes message = stamp_message(stamp, true);
  EXPECT_EQ(message.size(), 70u);
  EXPECT_EQ(gocator::stamps_of(message).first.serial, 5u);
}

}  // namespace
}  // namespace datum

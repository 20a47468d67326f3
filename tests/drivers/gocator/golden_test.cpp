// The bytes of LMI's own serializer, field by field.
#include <gmock/gmock.h>

#include "drivers/frame/frame_error.h"
#include "tests/drivers/gocator/golden.h"
#include "tests/real_data.h"

namespace datum::gocator {
namespace {

using datum::testing::golden_surface;
using datum::testing::received;
using ::testing::ElementsAre;

DataSet golden() {
  auto sets = received(golden_surface());
  EXPECT_EQ(sets.size(), 1u);
  return std::move(sets.at(0));
}

TEST(GocatorGolden, Stamp) {
  const DataSet set = golden();
  ASSERT_TRUE(set.stamp);
  EXPECT_EQ(set.stamp->source, 0);
  EXPECT_EQ(set.stamp->frame_index, 7u);
  EXPECT_EQ(set.stamp->timestamp_us, 123456789u);
  EXPECT_EQ(set.stamp->encoder, -42);
  EXPECT_EQ(set.stamp->encoder_at_z, 5);
  EXPECT_EQ(set.stamp->status, 1u);
  EXPECT_EQ(set.stamp->serial, 67890u);
  EXPECT_EQ(set.stamp->ptp_time, 0x1122334455667788u);
}

TEST(GocatorGolden, Surface) {
  const DataSet set = golden();
  ASSERT_TRUE(set.surface);
  const Grid& s = *set.surface;
  EXPECT_EQ(s.rows, 2u);
  EXPECT_EQ(s.cols, 3u);
  EXPECT_EQ(s.x_step_nm, 35000u);
  EXPECT_EQ(s.y_step_nm, 36000u);
  EXPECT_EQ(s.z_step_nm, 1000u);
  EXPECT_EQ(s.x_offset_um, -15000);
  EXPECT_EQ(s.y_offset_um, -10000);
  EXPECT_EQ(s.z_offset_um, 250);
  EXPECT_EQ(s.source, 0);
  EXPECT_EQ(s.exposure_ns, 2500000u);
  EXPECT_EQ(s.stream_step, -1);
  EXPECT_EQ(s.stream_id, -1);
  EXPECT_THAT(set.heights, ElementsAre(-32768, 0, 1, 2, -3, 32767));
}

TEST(GocatorGolden, Intensity) {
  const DataSet set = golden();
  ASSERT_TRUE(set.intensity);
  const Grid& i = *set.intensity;
  EXPECT_EQ(i.rows, 2u);
  EXPECT_EQ(i.cols, 3u);
  EXPECT_EQ(i.x_step_nm, 35000u);
  EXPECT_EQ(i.y_step_nm, 36000u);
  EXPECT_EQ(i.x_offset_um, -15000);
  EXPECT_EQ(i.y_offset_um, -10000);
  EXPECT_EQ(i.stream_step, -1);
  EXPECT_THAT(set.grey_bytes(), ElementsAre(0, 10, 20, 30, 40, 255));
}

TEST(GocatorGolden, BecomesAFrameInMillimetres) {
  HeightFrame f = frame_of(golden(), "gocator");
  EXPECT_EQ(f.rows, 2);
  EXPECT_EQ(f.cols, 3);
  // The decimal numbers, each rounded once.
  EXPECT_EQ(f.x.scale_mm, 0.035);
  EXPECT_EQ(f.y.scale_mm, 0.036);
  EXPECT_EQ(f.z.scale_mm, 0.001);
  EXPECT_EQ(f.x.offset_mm, -15.0);
  EXPECT_EQ(f.y.offset_mm, -10.0);
  EXPECT_EQ(f.z.offset_mm, 0.25);
  EXPECT_EQ(f.z_mm(1, 2), 0.25 + 0.001 * 32767);
  EXPECT_EQ(f.class_at(0, 0), PixelClass::no_data);
  EXPECT_EQ(f.count_of(PixelClass::ok), 5u);
  EXPECT_THAT(f.intensity->grey, ElementsAre(0, 10, 20, 30, 40, 255));
  EXPECT_EQ(f.intensity->bits, 8);
  EXPECT_EQ(f.sensor_serial, "67890");
  EXPECT_EQ(f.frame_id, "7@123456789");
  EXPECT_EQ(f.captured.ns, 123456789000);
  EXPECT_EQ(f.captured.clock, ClockDomain::sensor);
  ASSERT_TRUE(f.stamp);
  EXPECT_EQ(f.stamp->frame_index, 7u);
  EXPECT_EQ(f.stamp->encoder, -42);
  EXPECT_EQ(f.stamp->encoder_at_z, 5);
  EXPECT_EQ(f.stamp->status, 1u);
  check(f);
}

TEST(GocatorGolden, ContentIsTheBytesAsSent) {
  const DataSet set = golden();
  datum::testing::Bytes all;
  for (const ByteView piece : set.content()) all.insert(all.end(), piece.begin(), piece.end());
  EXPECT_EQ(all, golden_surface());
}

TEST(GocatorGolden, AFileOfThemIsTheSameSet) {
  const DataSet set = data_set_of_file(golden_surface());
  EXPECT_EQ(set.stamp->frame_index, 7u);
  EXPECT_EQ(set.heights.size(), 6u);
}

// The repository's hexadecimal text equals the vendor's file.
TEST(GocatorGolden, AreTheVendorsBytes) {
  DATUM_NEED_REAL_DATA("gocator/surface_golden.gdp");
  std::ifstream in(datum::testing::real_data_folder() / "gocator/surface_golden.gdp", std::ios::binary);
  const datum::testing::Bytes bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(golden_surface(), bytes);
}

}  // namespace
}  // namespace datum::gocator

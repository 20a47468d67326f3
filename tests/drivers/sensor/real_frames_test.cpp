// Real measurements. The numbers were counted in the files by a short script independent of this code.
#include <gtest/gtest.h>

#include <algorithm>

#include "drivers/sensor/organised_cloud.h"
#include "drivers/sensor/read_frame.h"
#include "tests/drivers/sensor/expect_refusal.h"
#include "tests/real_data.h"

namespace datum {
namespace {

using datum::testing::real_data_folder;

SensorProfile profile(const std::string& serial, double z_min_mm, double z_max_mm, Handedness hand) {
  SensorProfile p;
  p.serial = serial;
  p.handedness = hand;
  p.noise = {{0.0}, {3.0}};
  p.z_min_mm = z_min_mm;
  p.z_max_mm = z_max_mm;
  return p;
}

/// As results of older versions name it: sha256sum.
std::string plain_identity(const std::filesystem::path& file, const SensorProfile& p) {
  return read_frame(file, with_scheme(p, HashScheme::sha256)).content_sha256;
}

TEST(RealFrames, PemtronBoard) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  SensorProfile p = profile("carrier", -5, 5, Handedness::right);
  p.pixel_pitch_mm = 0.12;
  const HeightFrame frame = read_frame(real_data_folder() / "pemtron/board.ptr", p);
  EXPECT_EQ(frame.rows, 785);
  EXPECT_EQ(frame.cols, 1178);
  EXPECT_EQ(frame.count_of(PixelClass::ok), 693412u);
  EXPECT_EQ(frame.count_of(PixelClass::zero_pad), 203013u);
  EXPECT_EQ(frame.count_of(PixelClass::sentinel), 28305u);
  EXPECT_EQ(plain_identity(real_data_folder() / "pemtron/board.ptr", p),
            "d9f61cbdc532175700df64266535e791c0d051428ac1b13ed2196dece28b0aaa");
  const auto& heights_um = std::get<std::vector<float>>(frame.counts);
  const auto [low, high] = std::minmax_element(heights_um.begin(), heights_um.end());
  EXPECT_EQ(*low, -4000.0f);
  EXPECT_EQ(*high, 730.5f);
}

TEST(RealFrames, PemtronBoardWithinARangeThatEndsAboveItsSpeckle) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  SensorProfile p = profile("carrier", -3.80005, 0.0, Handedness::right);
  p.pixel_pitch_mm = 0.12;
  const HeightFrame frame = read_frame(real_data_folder() / "pemtron/board.ptr", p);
  EXPECT_EQ(frame.count_of(PixelClass::out_of_range), 7413u + 60u);
  EXPECT_EQ(frame.count_of(PixelClass::sentinel), 28305u);
  EXPECT_EQ(frame.count_of(PixelClass::zero_pad), 203013u);
}

TEST(RealFrames, GocatorSnapshot) {
  DATUM_NEED_REAL_DATA("gocator/snapshot_export.csv");
  const HeightFrame frame = read_frame(real_data_folder() / "gocator/snapshot_export.csv",
                                       profile("40959", -35, 35, Handedness::left));
  EXPECT_EQ(frame.rows, 428);
  EXPECT_EQ(frame.cols, 452);
  EXPECT_EQ(frame.count_of(PixelClass::ok), 55246u);  // 28.557 %
  EXPECT_EQ(frame.count_of(PixelClass::no_data), 428u * 452 - 55246);
  EXPECT_EQ(frame.x.scale_mm, 0.3);
  EXPECT_EQ(frame.y.scale_mm, 0.3);
  EXPECT_EQ(frame.z.scale_mm, 0.003);
  EXPECT_EQ(frame.z.offset_mm, 1.694);
  EXPECT_EQ(frame.frame_id, "1");
  EXPECT_EQ(frame.captured.ns, 544820424776000);
  EXPECT_EQ(plain_identity(real_data_folder() / "gocator/snapshot_export.csv",
                           profile("40959", -35, 35, Handedness::left)),
            "6954b381e5a082c0b6a74ef49e123ad451a214d445d8e94492952de9268abb9d");
  // all 55246 cells are whole counts of 3 um above the Z Offset, so none was kept as float
  const auto& counts = std::get<std::vector<std::int16_t>>(frame.counts);
  std::int16_t low = INT16_MAX, high = INT16_MIN;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (frame.classes[i] != PixelClass::ok) continue;
    low = std::min(low, counts[i]);
    high = std::max(high, counts[i]);
  }
  EXPECT_EQ(low, -11128);
  EXPECT_EQ(high, 9699);
}

// The export's x runs from -67.5 to 67.8 mm in left-handed coordinates; right-handed, the same points lie at
// -67.8 to 67.5 mm. One asymmetric cell is followed: the first that is not empty.
TEST(RealFrames, GocatorSnapshotIsMirroredOnce) {
  DATUM_NEED_REAL_DATA("gocator/snapshot_export.csv");
  const HeightFrame frame = read_frame(real_data_folder() / "gocator/snapshot_export.csv",
                                       profile("40959", -35, 35, Handedness::left));
  EXPECT_TRUE(frame.mirrored);
  EXPECT_NEAR(frame.x.at(0), -67.8, 1e-9);
  EXPECT_NEAR(frame.x.at(451), 67.5, 1e-9);
  const int row = 35, col = 451 - 236;
  EXPECT_EQ(frame.class_at(row, col), PixelClass::ok);
  EXPECT_NEAR(frame.z_mm(row, col), -16.72900, 1e-12);
  EXPECT_NEAR(frame.x.at(col), -3.3, 1e-9);
  EXPECT_NEAR(frame.y.at(row), -53.10000, 1e-9);
  for (int c = col + 1; c < 452; ++c) EXPECT_EQ(frame.class_at(row, c), PixelClass::no_data);
}

// Written by the Point Cloud Library: its header is read, and its missing height map is reported.
TEST(RealFrames, AnUnorganisedCloudIsRefused) {
  DATUM_NEED_REAL_DATA("pcl/sac_plane_test.pcd");
  const Bytes bytes = read_bytes(real_data_folder() / "pcl/sac_plane_test.pcd", 1 << 20);
  testing::expect_refusal(
      [&] { read_pcd(bytes, "sac_plane_test.pcd"); },
      "sac_plane_test.pcd: HEIGHT 1: a cloud without rows; export an organised one, with a "
      "point for each pixel");
  // As one column the same points form a grid whose x is not that of a column.
  std::string text(bytes.begin(), bytes.end());
  text.replace(text.find("WIDTH 3283\nHEIGHT 1\n"), 20, "WIDTH 1\nHEIGHT 3283\n");
  const OrganisedCloud cloud =
      read_pcd({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "a");
  EXPECT_EQ(cloud.rows, 3283);
  EXPECT_FLOAT_EQ(cloud.x[0], 1.068f);
  EXPECT_FLOAT_EQ(cloud.z[0], -0.016231f);
}

}  // namespace
}  // namespace datum

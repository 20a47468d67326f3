// A block's heights that lie plainly are read in one pass; the frame is the one that the general reader gives.
#include <gmock/gmock.h>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/read_frame.h"
#include "tests/drivers/genicam/camera_blocks.h"

namespace datum {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using CameraSetup = genicam::Setup;

constexpr std::uint32_t cols = block_cols, rows = block_rows;

HeightFrame read(const genicam::Payload& payload, const CameraSetup& setup, const SensorProfile& profile) {
  genicam::Payload copy = payload;
  return GenicamFrame(std::move(copy), setup, block_origin).read(profile);
}

/// By the reader of every payload, piece after piece.
HeightFrame read_generally(const genicam::Payload& payload, const CameraSetup& setup,
                           const SensorProfile& profile) {
  HeightFrame frame = genicam::frame_of(payload, setup, block_origin.name);
  frame.sensor_serial = block_origin.serial;
  frame.delivered = profile.handedness;
  accept_frame(frame, profile);
  return frame;
}

TEST(GenicamFrame, HeightsThatLiePlainlyAreTheFrameOfTheGeneralReader) {
  CameraSetup marked = rectified(), unmarked = marked, mirrored = marked, upside_down = marked;
  unmarked.scan3d.axes[2].invalid.reset();
  mirrored.scan3d.axes[0].scale = -0.035;
  upside_down.scan3d.axes[1].scale = -0.036;
  for (const CameraSetup& setup : {marked, unmarked, mirrored, upside_down})
    for (const Handedness hand : {Handedness::right, Handedness::left}) {
      const SensorProfile profile = camera_profile(hand);
      const HeightFrame whole = read_generally(counted_block(), setup, profile);
      for (int again = 0; again < 2; ++again) {  // the second time in the memory of the first
        HeightFrame frame = read(counted_block(), setup, profile);
        EXPECT_GT(frame.count_of(PixelClass::out_of_range), 0u);
        EXPECT_EQ(frame.count_of(PixelClass::no_data) > 0, setup.scan3d.axes[2].invalid.has_value());
        EXPECT_EQ(frame.counts, whole.counts);
        EXPECT_EQ(frame.classes, whole.classes);
        EXPECT_EQ(frame.x.offset_mm, whole.x.offset_mm);
        EXPECT_EQ(frame.x.scale_mm, whole.x.scale_mm);
        EXPECT_EQ(frame.y.offset_mm, whole.y.offset_mm);
        EXPECT_EQ(frame.frame_id, whole.frame_id);
        EXPECT_EQ(frame.mirrored, whole.mirrored);
        profile.reading.buffers->give(std::move(frame));
      }
    }
}

// The identity of the general reader, so that a frame is known again by any version.
TEST(GenicamFrame, ItsIdentityIsThatOfSetupIdAndBytes) {
  EXPECT_EQ(read(counted_block(), rectified(), camera_profile(Handedness::right)).content_sha256,
            "sha256-tree-256KiB:465223f3a2a579944121b739f5cab3ee73e00ed5198ed871ca9ea115673cd905");
}

TEST(GenicamFrame, AnotherResolutionIsRefused) {
  CameraSetup setup = rectified();
  setup.scan3d.axes[2].scale = 0.002;
  try {
    read(counted_block(), setup, camera_profile(Handedness::right));
    FAIL();
  } catch (const FrameError& error) {
    EXPECT_THAT(error.what(), HasSubstr("its resolution is 35 x 36 x 2 um"));
  }
}

// The camera's setup is read beside the measurement.
TEST(GenicamFrame, AChangeOfTheSetupAndALostCameraAreLateFaults) {
  const auto fault_where = [](const auto& answer) {
    std::promise<std::string> change;
    GenicamFrame frame(counted_block(), rectified(), block_origin, change.get_future().share());
    answer(std::move(change));
    return frame.late_fault();
  };
  EXPECT_EQ(fault_where([](std::promise<std::string> change) { change.set_value(""); }), "");
  EXPECT_EQ(fault_where([](std::promise<std::string> change) { change.set_value("Width was 6, is 7"); }),
            "the camera's setup changed: Width was 6, is 7");
  EXPECT_THAT(fault_where([](std::promise<std::string>) {}), HasSubstr("was lost before its setup"));
}

}  // namespace
}  // namespace datum

// Payloads of 3D cameras are decoded field by field; inconsistent ones are refused with their kind.
#include "drivers/genicam/payload.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "drivers/genicam/block_counter.h"
#include "drivers/genicam/payload_error.h"
#include "drivers/genicam/pixel_format.h"
#include "tests/drivers/genicam/payloads.h"

namespace datum {
namespace {

using namespace testing;
using genicam::Fault;
using genicam::Payload;
using CameraSetup = genicam::Setup;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// The kind of refusal; fails without one.
Fault fault_of(const Payload& payload, const CameraSetup& setup, const char* words) {
  try {
    genicam::frame_of(payload, setup, "camera 17");
    ADD_FAILURE() << "was taken; " << words;
  } catch (const genicam::PayloadError& error) {
    EXPECT_THAT(error.what(), HasSubstr("camera 17: "));
    EXPECT_THAT(error.what(), HasSubstr(words));
    return error.fault();
  }
  return Fault::parts;
}

// 3 x 2 counts, little-endian: 0, 1, 258, 32768, 65535, 30000.
const std::vector<std::uint8_t> golden{0x00, 0x00, 0x01, 0x00, 0x02, 0x01,
                                       0x00, 0x80, 0xFF, 0xFF, 0x30, 0x75};

TEST(GenicamPayload, C16IsReadByteByByteInMillimetres) {
  const HeightFrame f = genicam::frame_of(payload_of(c16, 3, 2, golden), rectified(), "c");
  EXPECT_EQ(f.cols, 3);
  EXPECT_EQ(f.rows, 2);
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(f.counts), ElementsAre(0, 1, 258, 32768, 65535, 30000));
  EXPECT_EQ(f.class_at(0, 0), PixelClass::no_data) << "0 is the mark";
  EXPECT_EQ(f.count_of(PixelClass::ok), 5u);
  EXPECT_EQ(f.x.at(2), -15 + 2 * 0.035);
  EXPECT_EQ(f.y.at(1), -10 + 0.036);
  EXPECT_EQ(f.z_mm(1, 2), -30 + 30000 * 0.001) << "exactly the formula of the standard";
  EXPECT_EQ(f.frame_id, "17@123456789");
  EXPECT_EQ(f.captured.clock, ClockDomain::sensor);
  EXPECT_EQ(f.captured.ns, 123456789);
  EXPECT_EQ(f.stamp->frame_index, 17u);
}

TEST(GenicamPayload, TheMarkIsComparedInCountsAndOnlyWhereItIsSaid) {
  CameraSetup s = rectified();
  s.scan3d.axes[2].invalid = 258;
  EXPECT_EQ(genicam::frame_of(payload_of(c16, 3, 2, golden), s, "c").class_at(0, 2), PixelClass::no_data);
  s.scan3d.axes[2].invalid.reset();
  EXPECT_EQ(genicam::frame_of(payload_of(c16, 3, 2, golden), s, "c").count_of(PixelClass::ok), 6u);
  for (const double never : {-1.0, 65536.0, 0.5}) {
    s.scan3d.axes[2].invalid = never;
    EXPECT_EQ(fault_of(payload_of(c16, 3, 2, golden), s, "no count can be"), Fault::scan3d);
  }
}

TEST(GenicamPayload, FloatsAreHeightsAndNanIsNone) {
  CameraSetup s = rectified();
  s.scan3d.axes[2] = {1, 0, -9999.0};
  const auto bytes = bytes_of(std::vector<float>{1.5f, nan, -9999, 2.25f});
  const HeightFrame f = genicam::frame_of(payload_of(c32f, 2, 2, bytes), s, "c");
  EXPECT_EQ(f.z_mm(0, 0), 1.5);
  EXPECT_EQ(f.z_mm(1, 1), 2.25);
  EXPECT_EQ(f.class_at(0, 1), PixelClass::no_data);
  EXPECT_EQ(f.class_at(1, 0), PixelClass::no_data);
  const auto infinite = bytes_of(std::vector<float>{1, 1, 1, std::numeric_limits<float>::infinity()});
  EXPECT_EQ(fault_of(payload_of(c32f, 2, 2, infinite), s, "infinite at row 1, column 1"), Fault::scan3d);
}

TEST(GenicamPayload, InchesBecomeMillimetresAndPixelsAreRefused) {
  CameraSetup s = rectified();
  s.scan3d.distance_unit = "Inch";
  const HeightFrame f = genicam::frame_of(payload_of(c16, 3, 2, golden), s, "c");
  EXPECT_DOUBLE_EQ(f.x.scale_mm, 0.035 * 25.4);
  EXPECT_DOUBLE_EQ(f.z_mm(1, 2), (-30 + 30000 * 0.001) * 25.4);
  s.scan3d.distance_unit = "Pixel";
  EXPECT_EQ(fault_of(payload_of(c16, 3, 2, golden), s, "Scan3dDistanceUnit is 'Pixel'"), Fault::scan3d);
}

TEST(GenicamPayload, ModesThatDoNotPlaceAPixelAreRefused) {
  for (const char* mode : {"UncalibratedC", "CalibratedC", "CalibratedABC_PointCloud", ""}) {
    CameraSetup s = rectified();
    s.scan3d.output_mode = mode;
    EXPECT_EQ(fault_of(payload_of(c16, 3, 2, golden), s, "RectifiedC or CalibratedABC_Grid"), Fault::scan3d);
  }
  CameraSetup s = rectified();
  s.scan3d.coordinate_system = "Spherical";
  EXPECT_EQ(fault_of(payload_of(c16, 3, 2, golden), s, "'Spherical'"), Fault::scan3d);
  s = rectified();
  s.scan3d.output_mode = "CalibratedABC_Grid";
  EXPECT_EQ(fault_of(payload_of(c16, 3, 2, golden), s, "have no x and y"), Fault::pixel_format);
}

TEST(GenicamPayload, AScaleThatFallsTurnsThePictureNotTheHand) {
  CameraSetup s = rectified();
  s.scan3d.axes[0] = {-0.035, 15, std::nullopt};
  s.scan3d.axes[1] = {-0.036, 10, std::nullopt};
  const HeightFrame f = genicam::frame_of(payload_of(c16, 3, 2, golden), s, "c");
  EXPECT_EQ(f.x.scale_mm, 0.035);
  EXPECT_DOUBLE_EQ(f.x.at(2), 15) << "column 0 of the camera lies there";
  EXPECT_DOUBLE_EQ(f.y.at(1), 10);
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(f.counts), ElementsAre(30000, 65535, 32768, 258, 1, 0));
  EXPECT_EQ(f.class_at(1, 2), PixelClass::no_data);
}

TEST(GenicamPayload, AGridOfPointsIsAFrame) {
  for (const bool planar : {false, true}) {
    std::vector<float> points = grid_points(4, 3);
    points[2] = nan;
    if (planar) {
      std::vector<float> planes(points.size());
      for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t c = 0; c < 3; ++c) planes[c * 12 + i] = points[i * 3 + c];
      points = planes;
    }
    const auto payload = payload_of(planar ? abc32f_planar : abc32f, 4, 3, bytes_of(points));
    const HeightFrame f = genicam::frame_of(payload, grid(), "c");
    // Floats of about 5 have steps of 5e-7, to which a fit over 11 points does not add.
    EXPECT_NEAR(f.x.scale_mm, 0.1, 1e-6);
    EXPECT_NEAR(f.x.at(0), -1, 1e-6);
    EXPECT_NEAR(f.y.scale_mm, 0.2, 1e-6);
    EXPECT_NEAR(f.y.at(2), 5.4, 1e-6);
    EXPECT_EQ(f.z_mm(2, 3), 11);
    EXPECT_EQ(f.class_at(0, 0), PixelClass::no_data);
  }
}

TEST(GenicamPayload, PlanesInPartsOfTheirOwnAreAGridToo) {
  const std::vector<float> points = grid_points(4, 3);
  Payload payload;
  const std::uint32_t formats[] = {a32f, b32f, c32f};
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<float> plane;
    for (std::size_t i = 0; i < 12; ++i) plane.push_back(points[i * 3 + c]);
    add_part(payload, formats[c], 4, 3, bytes_of(plane));
  }
  const HeightFrame f = genicam::frame_of(payload, grid(), "c");
  EXPECT_NEAR(f.y.scale_mm, 0.2, 1e-6);
  EXPECT_EQ(f.z_mm(2, 3), 11);
}

TEST(GenicamPayload, PointsThatAreNoGridAreRefused) {
  std::vector<float> points = grid_points(8, 8);
  float& x = points[std::size_t{3} * 27];
  x += 0.024f;  // below a quarter of a step, less the fit's adaptation
  EXPECT_NO_THROW(genicam::frame_of(payload_of(abc32f, 8, 8, bytes_of(points)), grid(), "c"));
  x += 0.006f;
  EXPECT_EQ(fault_of(payload_of(abc32f, 8, 8, bytes_of(points)), grid(), "row 3, column 3"),
            Fault::irregular_grid);
  const std::vector<float> one(12, 1.0f);
  EXPECT_EQ(fault_of(payload_of(abc32f, 2, 2, bytes_of(one)), grid(), "says nothing of the columns'"),
            Fault::irregular_grid);
  const std::vector<float> none(12, nan);
  EXPECT_EQ(fault_of(payload_of(abc32f, 2, 2, bytes_of(none)), grid(), "says nothing"),
            Fault::irregular_grid);
}

TEST(GenicamPayload, AProfileSensorsGridIsByXAndByLine) {
  CameraSetup s = rectified();
  s.scan3d.output_mode = "RectifiedC_Linescan";
  s.scan3d.axes[0] = s.scan3d.axes[2] = {1, 0, std::nullopt};
  const std::vector<float> pairs{0.0f, 7, 0.5f, 8, 0.0f, 9, 0.5f, 10};
  const HeightFrame f = genicam::frame_of(payload_of(ac32f, 2, 2, bytes_of(pairs)), s, "c");
  EXPECT_DOUBLE_EQ(f.x.scale_mm, 0.5);
  EXPECT_DOUBLE_EQ(f.y.scale_mm, 0.036);
  EXPECT_EQ(f.z_mm(1, 1), 10);
}

TEST(GenicamPayload, ConfidenceAndGreyComeAlongInPartsOfTheirOwn) {
  Payload payload = payload_of(c16, 3, 2, golden);
  add_part(payload, confidence8, 3, 2, {255, 0, 1, 2, 3, 4});
  add_part(payload, mono8, 3, 2, {10, 20, 30, 40, 50, 60});
  const HeightFrame f = genicam::frame_of(payload, rectified(), "c");
  EXPECT_EQ(f.class_at(0, 0), PixelClass::no_data);
  EXPECT_EQ(f.class_at(0, 1), PixelClass::low_modulation);
  EXPECT_EQ(f.class_at(0, 2), PixelClass::ok);
  ASSERT_TRUE(f.intensity);
  EXPECT_EQ(f.intensity->bits, 8);
  EXPECT_THAT(f.intensity->grey, ElementsAre(10, 20, 30, 40, 50, 60));
}

TEST(GenicamPayload, PartsThatContradictEachOtherAreRefused) {
  Payload two = payload_of(c16, 3, 2, golden);
  add_part(two, c16, 3, 2, golden);
  EXPECT_EQ(fault_of(two, rectified(), "two parts with 3D coordinates"), Fault::parts);
  Payload sizes = payload_of(c16, 3, 2, golden);
  add_part(sizes, mono8, 2, 2, {1, 2, 3, 4});
  EXPECT_EQ(fault_of(sizes, rectified(), "parts of 3 x 2 and of 2 x 2 pixels"), Fault::parts);
  EXPECT_EQ(fault_of(payload_of(mono16, 3, 2, golden), rectified(), "no heights in it"), Fault::pixel_format);
  EXPECT_EQ(fault_of(payload_of(0x010C00DA, 4, 2, golden), rectified(), "0x010C00DA"), Fault::pixel_format)
      << "Coord3D_C12p: packed";
  Payload region = payload_of(c16, 3, 2, golden);
  region.parts[0].x_offset = 4;
  EXPECT_EQ(fault_of(region, rectified(), "set OffsetX and OffsetY to 0"), Fault::scan3d);
}

TEST(GenicamPayload, AnIncompleteBlockIsNeverUsed) {
  Payload payload = payload_of(c16, 3, 2, golden);
  payload.incomplete = "packets of it are missing";
  EXPECT_EQ(fault_of(payload, rectified(), "packets of it are missing"), Fault::incomplete);
}

TEST(GenicamPayload, TruncatedAtAnyByteItIsRefused) {
  for (std::size_t size = 0; size < golden.size(); ++size) {
    Payload cut = payload_of(c16, 3, 2, golden);
    cut.bytes.resize(size);
    EXPECT_EQ(fault_of(cut, rectified(), "in a payload of"), Fault::out_of_bounds);
    cut.parts[0].size = size;
    EXPECT_EQ(fault_of(cut, rectified(), "are 12 bytes and the part has"), Fault::size_mismatch);
  }
}

TEST(GenicamPayload, HeightsAreFoundAtAnyOffset) {
  for (std::size_t before = 0; before < 9; ++before) {
    Payload payload;
    payload.bytes.assign(before, 0xEE);
    add_part(payload, c16, 3, 2, golden);
    payload.bytes.push_back(0xEE);
    const HeightFrame f = genicam::frame_of(payload, rectified(), "c");
    EXPECT_THAT(std::get<std::vector<std::int32_t>>(f.counts), ElementsAre(0, 1, 258, 32768, 65535, 30000));
  }
}

TEST(GenicamPayload, PaddingOfLinesAndPictureIsPassedOver) {
  std::vector<std::uint8_t> padded(golden.begin(), golden.begin() + 6);
  padded.insert(padded.end(), {0xEE, 0xEE});
  padded.insert(padded.end(), golden.begin() + 6, golden.end());
  padded.insert(padded.end(), {0xEE, 0xEE, 0xEE});
  Payload payload = payload_of(c16, 3, 2, padded);
  EXPECT_EQ(fault_of(payload, rectified(), "are 12 bytes and the part has 17"), Fault::size_mismatch);
  payload.parts[0].x_padding = 2;
  payload.parts[0].y_padding = 1;
  const HeightFrame f = genicam::frame_of(payload, rectified(), "c");
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(f.counts), ElementsAre(0, 1, 258, 32768, 65535, 30000));
}

TEST(GenicamPayload, SizesBeyondAllMemoryCostNone) {
  Payload payload = payload_of(c16, 3, 2, golden);
  for (const std::uint32_t huge : {0u, 0x10000u, 0xFFFFFFFFu}) {
    payload.parts[0].width = payload.parts[0].height = huge;
    EXPECT_EQ(fault_of(payload, rectified(), "pixels"), Fault::size_mismatch);
  }
  Payload wraps = payload_of(c32f, 1u << 31, 1u << 31, {});  // 2^62 pixels of 4 bytes are 0 bytes of 64 bits
  EXPECT_EQ(fault_of(wraps, rectified(), "2147483648 x 2147483648 pixels"), Fault::size_mismatch);
  payload = payload_of(c16, 3, 2, golden);
  payload.parts[0].begin = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(fault_of(payload, rectified(), "in a payload of 12"), Fault::out_of_bounds);
  payload = payload_of(c16, 3, 2, golden);
  payload.parts[0].x_padding = 0xFFFFFFFF;
  EXPECT_EQ(fault_of(payload, rectified(), "the part has 12"), Fault::size_mismatch);
}

TEST(GenicamPayload, AScaleThatIsNoneIsRefused) {
  for (const double scale : {0.0, std::nan(""), HUGE_VAL}) {
    CameraSetup s = rectified();
    s.scan3d.axes[2].scale = scale;
    EXPECT_EQ(fault_of(payload_of(c16, 3, 2, golden), s, "coordinate C has scale"), Fault::scan3d);
  }
}

TEST(GenicamSetup, WhatChangedIsSaidInTheCamerasWords) {
  const CameraSetup before = rectified();
  EXPECT_EQ(genicam::difference(before, before), "");
  CameraSetup now = before;
  now.scan3d.distance_unit = "Inch";
  EXPECT_EQ(genicam::difference(before, now), "Scan3dDistanceUnit was Millimeter, is Inch");
  now = before;
  now.scan3d.axes[2].scale = 0.002;
  EXPECT_EQ(genicam::difference(before, now), "coordinate C: Scan3dCoordinateScale was 0.001, is 0.002");
  now = before;
  now.scan3d.axes[2].invalid.reset();
  EXPECT_EQ(genicam::difference(before, now), "coordinate C: Scan3dInvalidDataValue was 0, is none");
  now = before;
  now.height = 7;
  EXPECT_EQ(genicam::difference(before, now), "Height was 0, is 7");
}

TEST(GenicamBlocks, IdsOf16BitsGoFrom65535To1) {
  genicam::BlockCounter counter;
  for (const std::uint64_t id : {65533, 65534, 65535, 1, 2}) EXPECT_EQ(counter.next(id), "") << id;
  EXPECT_EQ(counter.next(4), "1 frames before it were lost: block id 4 after 2");
  EXPECT_EQ(counter.next(4), "its block id 4 comes after 4");
  EXPECT_EQ(counter.next(2), "its block id 2 comes after 4");
  counter.reset();
  EXPECT_EQ(counter.next(65535), "");
  EXPECT_EQ(counter.next(2), "1 frames before it were lost: block id 2 after 65535");
  EXPECT_EQ(counter.lost(), 2u);
}

TEST(GenicamBlocks, ABlockWithoutItsIdWasTheOneThatIsMissing) {
  genicam::BlockCounter counter;
  EXPECT_EQ(counter.next(65534), "");
  counter.unnamed();
  counter.unnamed();
  EXPECT_EQ(counter.next(2), "");
  counter.unnamed();
  EXPECT_EQ(counter.next(5), "1 frames before it were lost: block id 5 after 2");
  EXPECT_EQ(counter.next(6), "");
}

TEST(GenicamBlocks, ExtendedIdsGoOn) {
  genicam::BlockCounter counter;
  for (const std::uint64_t id : {65535, 65536, 65537}) EXPECT_EQ(counter.next(id), "") << id;
  EXPECT_EQ(counter.next(65540), "2 frames before it were lost: block id 65540 after 65537");
  EXPECT_EQ(counter.next(65536), "its block id 65536 comes after 65540");
  EXPECT_EQ(counter.next(std::numeric_limits<std::uint64_t>::max()).find("18446744073709486078 frames"), 0u);
}

TEST(GenicamFormats, AreKnownByTheirNumbers) {
  EXPECT_EQ(genicam::name_of_format(c16), "Coord3D_C16");
  EXPECT_EQ(genicam::pixel_format_of(abc32f)->pixel_bytes(), 12u);
  EXPECT_EQ(genicam::name_of_format(0x01100012), "0x01100012");
}

}  // namespace
}  // namespace datum

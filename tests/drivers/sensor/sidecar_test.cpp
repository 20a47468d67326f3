#include "drivers/sensor/sidecar.h"

#include <gtest/gtest.h>

#include "tests/drivers/sensor/expect_refusal.h"
#include "tests/drivers/sensor/tiny_files.h"

namespace datum {
namespace {

using namespace datum::testing;

TEST(Sidecar, ReadsBackWhatItWrites) {
  FrameSidecar s = make_sidecar("a_z.tif");
  s.handedness = Handedness::left;
  s.captured = {-5, ClockDomain::sensor};
  s.x = {0.1, 1.0 / 3};
  s.intensity_file = "a_i.png";
  s.height_sha256 = std::string(64, 'a');
  s.intensity_sha256 = std::string(64, '0');
  s.unit_id = "SN-7";
  for (const InvalidMark mark :
       {InvalidMark{InvalidMark::Kind::value, INT64_MIN}, InvalidMark{InvalidMark::Kind::nan, 0},
        InvalidMark{InvalidMark::Kind::none, 0}}) {
    s.invalid = mark;
    const std::string text = write_sidecar(s);
    const FrameSidecar back = parse_sidecar(bytes_of(text), "a.json");
    EXPECT_EQ(back.invalid.kind, mark.kind);
    EXPECT_EQ(back.invalid.value, mark.value);
    EXPECT_EQ(back.handedness, Handedness::left);
    EXPECT_EQ(back.captured.ns, -5);
    EXPECT_EQ(back.captured.clock, ClockDomain::sensor);
    EXPECT_EQ(back.x.scale_mm, s.x.scale_mm);
    EXPECT_EQ(back.x.offset_mm, s.x.offset_mm);
    EXPECT_EQ(back.z.scale_mm, s.z.scale_mm);
    EXPECT_EQ(back.job_name, "board-a");
    EXPECT_EQ(back.job_hash, "5f3c");
    EXPECT_EQ(back.frame_id, "000017");
    EXPECT_EQ(back.sensor_serial, "SN-1");
    EXPECT_EQ(back.unit_id, "SN-7");
    EXPECT_EQ(back.height_file, "a_z.tif");
    EXPECT_EQ(back.intensity_file, "a_i.png");
    EXPECT_EQ(back.height_sha256, std::string(64, 'a'));
    EXPECT_EQ(back.intensity_sha256, std::string(64, '0'));
    EXPECT_EQ(write_sidecar(back), text);
  }
}

// Nothing compares the sensor's job, so nobody has to invent one.
TEST(Sidecar, NeedsNoJob) {
  FrameSidecar s = make_sidecar("a.tif");
  s.job_hash.clear();
  EXPECT_EQ(parse_sidecar(bytes_of(write_sidecar(s)), "a.json").job_name, "board-a");
  s.job_name.clear();
  const std::string text = write_sidecar(s);
  EXPECT_EQ(text.find("job"), std::string::npos);
  EXPECT_EQ(parse_sidecar(bytes_of(text), "a.json").job_name, "");
}

TEST(Sidecar, UnitsBecomeMillimetresOnceAndExactly) {
  EXPECT_EQ(to_mm(0.0123, "m"), 12.3);
  EXPECT_EQ(to_mm(12.3, "mm"), 12.3);
  EXPECT_EQ(to_mm(12300, "um"), 12.3);
  EXPECT_EQ(to_mm(1.0 / 3 * 3000, "nm"), 0.001);
  EXPECT_EQ(to_mm(12300000, "nm"), 12.3);
  EXPECT_EQ(to_mm(0.150, "inch"), 3.81);  // heights of the IPC-2581C consortium test case
  EXPECT_EQ(to_mm(0.024, "inch"), 0.6096);
  EXPECT_EQ(to_mm(150, "mil"), 3.81);
  EXPECT_EQ(to_mm(1, "furlong"), std::nullopt);
}

TEST(Sidecar, ScaleAndOffsetShareTheirUnit) {
  std::string text = write_sidecar(make_sidecar("a.tif"));
  const std::string z = "\"scale\": 0.0005,\n    \"offset\": -1.0,\n    \"unit\": \"mm\"";
  ASSERT_NE(text.find(z), std::string::npos);
  text.replace(text.find(z), z.size(), R"("scale": 0.5, "offset": -1000, "unit": "um")");
  const FrameSidecar s = parse_sidecar(bytes_of(text), "a.json");
  EXPECT_EQ(s.z.scale_mm, 0.0005);
  EXPECT_EQ(s.z.offset_mm, -1.0);
}

TEST(Sidecar, DeeplyNestedTextIsRefusedWithoutOverflow) {
  const std::string open(30000, '['), close(30000, ']');
  const std::string text = "{\"schema_version\": " + open + close + "}";
  expect_refusal([&] { parse_sidecar(bytes_of(text), "a.json"); },
                 "a.json: schema_version: is of type array; a whole number of at most 63 bits is needed");
}

}  // namespace
}  // namespace datum

#include "drivers/sensor/gocator_csv.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/drivers/sensor/expect_refusal.h"
#include "tests/drivers/sensor/tiny_files.h"

namespace datum {
namespace {

using namespace datum::testing;
using ::testing::ElementsAre;
using enum PixelClass;

// 2 rows x 3 columns of 0.3 x 0.2 mm, z = 1.694 + 0.003 * count.
const std::string tiny_export =
    "Info\n"
    "CSV Version,Sensor Count,XResolution,YResolution,ZResolution\n"
    "2,1,0.30000,0.20000,0.00300\n"
    "End\n\n"
    "DeviceInfo\n"
    "ID,Model,Transform X,Transform Z,Transform X Angle\n"
    "40959,313109A,0.14133,1.69396,-6.35716\n"
    "End\n\n"
    "RecordingFilter\nCondition Combination Type\nAny\nEnd\n\n"
    "Part\n"
    "Frame,Time,Row Count,Column Count,X Offset,Y Offset,Z Offset\n"
    "12,544820424776,2,3,-0.30000,5.00000,1.69400\n"
    "Y\\X,-0.30000,0.00000,0.30000\n"
    "5.00000,1.69400,,1.69700\n"
    "5.20000,-1.30600,31.69400,1.69100\n"
    "End\n";

HeightFrame read(const std::string& text) { return read_gocator_csv(bytes_of(text), "a.csv"); }

std::string with(const std::string& from, const std::string& to) {
  std::string text = tiny_export;
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no " + from);
  return text.replace(at, from.size(), to);
}

void refuse(const std::string& from, const std::string& to, const std::string& message) {
  expect_refusal([&] { read(with(from, to)); }, message);
}

TEST(GocatorCsv, RestoresTheSensorsCounts) {
  const HeightFrame frame = read(tiny_export);
  EXPECT_EQ(frame.rows, 2);
  EXPECT_EQ(frame.cols, 3);
  EXPECT_THAT(std::get<std::vector<std::int16_t>>(frame.counts),
              ElementsAre(0, INT16_MIN, 1, -1000, 10000, -1));
  EXPECT_THAT(frame.classes, ElementsAre(ok, no_data, ok, ok, ok, ok));
  EXPECT_EQ(frame.x.scale_mm, 0.3);
  EXPECT_EQ(frame.x.offset_mm, -0.3);
  EXPECT_EQ(frame.y.scale_mm, 0.2);
  EXPECT_EQ(frame.y.offset_mm, 5.0);
  EXPECT_EQ(frame.z.scale_mm, 0.003);
  EXPECT_EQ(frame.z.offset_mm, 1.694);
  EXPECT_EQ(frame.sensor_serial, "40959");
  EXPECT_EQ(frame.frame_id, "12");
  EXPECT_EQ(frame.captured.ns, 544820424776000);
  EXPECT_EQ(frame.captured.clock, ClockDomain::sensor);
}

TEST(GocatorCsv, WindowsLineEndsAreTheSame) {
  std::string text;
  for (const char c : tiny_export) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(read(text).counts, read(tiny_export).counts);
}

TEST(GocatorCsv, WideCountsAndCellsOffTheGridKeepTheirValue) {
  const HeightFrame wide = read(with("31.69400", "301.69400"));
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(wide.counts),
              ElementsAre(0, INT32_MIN, 1, -1000, 100000, -1));
  // half a printed digit is 0.000005 mm: a deviation of 0.00001 mm is no rounding
  const HeightFrame off = read(with("31.69400", "31.69401"));
  const auto& heights = std::get<std::vector<float>>(off.counts);
  EXPECT_EQ(heights[4], 31.69401f);
  EXPECT_TRUE(std::isnan(heights[1]));
  EXPECT_EQ(off.z.scale_mm, 1.0);
  EXPECT_EQ(off.z.offset_mm, 0.0);
  EXPECT_THAT(off.classes, ElementsAre(ok, no_data, ok, ok, ok, ok));
  // with a step near the printing error, "whole multiple" has no meaning
  EXPECT_TRUE(std::holds_alternative<std::vector<float>>(read(with("0.00300", "0.00004")).counts));
}

TEST(GocatorCsv, RefusesAnotherKindOfExport) {
  refuse("2,1,0.3", "3,1,0.3", "a.csv:3: CSV Version is not 2, the one that is read");
  refuse("2,1,0.3", "2,2,0.3", "a.csv:3: Sensor Count is not 1; export one sensor at a time");
  refuse("0.00300", "0", "a.csv:3: XResolution, YResolution and ZResolution must be positive");
  refuse("0.00300", "3um", "a.csv:3: ZResolution is '3um', not a number");
  refuse("0.00300", "1e999", "a.csv:3: ZResolution is '1e999', not a number");
  refuse("0.00300", "nan", "a.csv:3: ZResolution is 'nan', not a number");
  refuse("ZResolution", "Z", "a.csv:3: no column 'ZResolution' in the section above");
  refuse("2,1,0.30000", "2,1,5,0.30000", "a.csv:3: 6 values under 5 titles");
  refuse("DeviceInfo", "Device", "a.csv:22: no section DeviceInfo; it names the sensor");
  refuse("Part\n", "Parts\n", "a.csv:22: no section Part; export a snapshot with its surface");
  refuse("Info\n", "Information\n", "a.csv:16: Part comes before Info");
}

TEST(GocatorCsv, RefusesABrokenGrid) {
  refuse("776,2,3", "776,-2,3", "a.csv:18: -2 rows x 3 columns; both must be positive");
  refuse("776,2,3", "776,2000000,3",
         "a.csv: 2000000 rows x 3 columns; at most 2^20 each and 2^28 together are read");
  refuse("776,2,3", "776,2,4", "a.csv:19: 4 cells; a coordinate and 4 columns are announced");
  refuse("776,2,3", "776,3,3", "a.csv:22: 1 cells; a coordinate and 3 columns are announced");
  refuse("776,2,3", "776,1,3", "a.csv:21: section Part goes on where End is expected; export one frame");
  refuse("12,544820424776", "12,-1", "a.csv:18: Time is outside 0 to 2^63 ns");
  refuse("Y\\X", "X\\Y", "a.csv:19: the grid does not start with Y\\X");
  refuse("0.00000,0.30000\n", "0.00000,0.30002\n",
         "a.csv:19: x of index 2 is 0.30002 mm, but offset and resolution make it 0.30000 mm; only a uniform "
         "grid is read");
  refuse("5.20000,", "5.40000,",
         "a.csv:21: y of index 1 is 5.4 mm, but offset and resolution make it 5.20000 mm; only a uniform "
         "grid is read");
  refuse(",1.69700", ",1.6\x01 7x", "a.csv:20: the height is '1.6? 7x', not a number");
  refuse(",1.69700", ",inf", "a.csv:20: the height is 'inf', not a number");
  refuse(",1.69700", "", "a.csv:20: 3 cells; a coordinate and 3 columns are announced");
}

TEST(GocatorCsv, RefusesTruncationAndRepetition) {
  const std::size_t end = tiny_export.rfind("End");
  const auto cut = [](std::size_t size) { return tiny_export.substr(0, size); };
  expect_refusal([&] { read(cut(end)); },
                 "a.csv:21: section Part has no End; the file is truncated, export it again");
  expect_refusal([&] { read(cut(tiny_export.find("5.20000"))); },
                 "a.csv:20: the file ends within the Part; it is truncated, export it again");
  expect_refusal([&] { read(cut(tiny_export.find("Any\n"))); },
                 "a.csv:12: section RecordingFilter has no End; the file is truncated, export it again");
  expect_refusal([&] { read(""); }, "a.csv:0: no section DeviceInfo; it names the sensor");
  for (std::size_t size = 0; size < end + 3; ++size) {
    EXPECT_THROW(read(cut(size)), FrameError) << size;
  }
  const std::size_t part = tiny_export.find("Part\n");
  expect_refusal([&] { read(tiny_export + tiny_export.substr(part)); },
                 "a.csv:23: a second Part; export one frame at a time");
}

}  // namespace
}  // namespace datum

// Files of compared surfaces, read back, and read by CloudCompare where it is installed.
#include "daemon/pictures/surface_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "daemon/inspection/surface/surface_statistics.h"
#include "daemon/pictures/part_file.h"
#include "daemon/pictures/surface_histogram.h"
#include "tests/daemon/inspection/surface/surface_scene.h"

namespace datum {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

/// Off the origin of its coordinates, so that the model's origin matters.
RawModel far_sheet() {
  RawModel m = sheet_model(4);
  for (auto& v : m.vertices) v = {v[0] + 1000, v[1] - 200, v[2] + 30};
  return m;
}

class SurfaceExport : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("datum_surface_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::vector<ModelPoint> points;
    add_points(points, -20, 20, 1.5, [](double x, double) { return x / 100; });
    points.push_back({0, 0, 5});  // beyond the search distance
    map_ = compared(far_sheet(), points);
    map_.regions = {{"all \"of\" it", -0.05, 0.05}};
    map_.region_of_facet.assign(map_.model->corner.size(), 0);
    cover_ = cover_of(map_, {3, 1});
    verdict_.decision = Decision::fail;
    verdict_.recipe = "sheet";
    verdict_.unit_id = "part\n7";
    verdict_.code = "1.2 abc";
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string read(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  /// Rows after the comments, with the header first.
  std::vector<std::string> rows(const std::string& name) const {
    std::istringstream in(read(name));
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);)
      if (line[0] != '#') out.push_back(line);
    return out;
  }

  fs::path folder_;
  SurfaceMap map_;
  SurfaceCover cover_;
  BoardVerdict verdict_;
};

TEST_F(SurfaceExport, PlyHoldsPlacesDeviationsAndColours) {
  write_surface_ply(folder_ / "s.ply", map_, verdict_, 100);
  const std::string bytes = read("s.ply");
  const std::size_t end = bytes.find("end_header\n") + 11;
  const std::string header = bytes.substr(0, end);
  EXPECT_THAT(header, StartsWith("ply\nformat binary_little_endian 1.0\n"));
  EXPECT_THAT(header, HasSubstr("comment datumd 1.2 abc\n"));
  EXPECT_THAT(header, HasSubstr("comment part part?7,"));  // an operator's line break would end the comment
  EXPECT_THAT(header, HasSubstr("property float scalar_deviation\n"));
  constexpr std::size_t row = 3 * 8 + 4 + 4;
  ASSERT_EQ(bytes.size(), end + row * map_.points.size());
  for (std::size_t i = 0; i < map_.points.size(); ++i) {
    double place[3];
    float um = 0;
    std::memcpy(place, bytes.data() + end + row * i, sizeof place);
    std::memcpy(&um, bytes.data() + end + row * i + sizeof place, sizeof um);
    EXPECT_EQ(place[0], 1000 + double{map_.points[i].x});
    EXPECT_EQ(place[1], -200 + double{map_.points[i].y});
    EXPECT_EQ(place[2], 30 + double{map_.points[i].z});
    if (i + 1 < map_.points.size()) {
      EXPECT_EQ(um, 1000 * map_.distances[i].distance);
    } else {
      EXPECT_TRUE(std::isnan(um));
    }
  }
}

TEST_F(SurfaceExport, CloudCompareReadsThePly) {
  if (std::system("command -v CloudCompare >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "CloudCompare is not installed";
  write_surface_ply(folder_ / "s.ply", map_, verdict_, 100);
  const std::string command =
      "cd '" + folder_.string() +
      "' && QT_QPA_PLATFORM=offscreen CloudCompare -SILENT -NO_TIMESTAMP -C_EXPORT_FMT ASC -PREC 9 "
      "-O s.ply -SAVE_CLOUDS FILE out.asc >log 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << read("log");
  std::istringstream in(read("out.asc"));
  std::size_t i = 0;
  for (std::string line; std::getline(in, line); ++i) {
    std::istringstream numbers(line);
    double x = 0, y = 0, z = 0;
    int red = 0, green = 0, blue = 0;
    std::string um;
    numbers >> x >> y >> z >> red >> green >> blue >> um;
    ASSERT_LT(i, map_.points.size());
    // CloudCompare keeps coordinates in single precision: up to 2^-14 mm of 1000
    EXPECT_NEAR(x, 1000.0 + map_.points[i].x, 1e-4);
    EXPECT_NEAR(z, 30.0 + map_.points[i].z, 1e-5);
    if (i + 1 < map_.points.size()) {
      EXPECT_NEAR(std::stod(um), 1000.0 * map_.distances[i].distance, 1e-5) << line;
    } else {
      EXPECT_THAT(um, ::testing::AnyOf("nan", "NaN", "-nan"));
    }
  }
  EXPECT_EQ(i, map_.points.size());
}

TEST_F(SurfaceExport, PointsAreOneRowEach) {
  write_points_csv(folder_ / "s.csv", map_, verdict_);
  const auto lines = rows("s.csv");
  ASSERT_EQ(lines.size(), map_.points.size() + 1);
  EXPECT_EQ(lines[0], "x_mm,y_mm,z_mm,deviation_um,class,region,facet,snapshot,area_mm2");
  EXPECT_THAT(lines[1],
              StartsWith("980.750000,-214.250000,29.807500,-192.500,FACE,\"all \"\"of\"\" it\",1,1,"));
  EXPECT_EQ(lines.back(), "1000.000000,-200.000000,35.000000,,NO_DATA,,,1,0");
  EXPECT_THAT(read("s.csv"), StartsWith("# datumd 1.2 abc\n"));
}

TEST_F(SurfaceExport, StatisticsAreOneRowForEachRegionAndOneForAll) {
  write_statistics_csv(folder_ / "s.csv", map_, cover_, verdict_);
  const auto lines = rows("s.csv");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], StartsWith("region,lower_um,upper_um,area_mm2,covered_mm2,coverage,mean_um,"));
  EXPECT_THAT(lines[1], StartsWith("\"all \"\"of\"\" it\",-50,50,1200,1200,1,"));
  EXPECT_THAT(lines[2], StartsWith("\"(all)\",,,1200,1200,1,"));
  const auto commas = [](const std::string& s) { return std::count(s.begin(), s.end(), ','); };
  for (const std::string& line : lines) EXPECT_EQ(commas(line), commas(lines[0]));
  EXPECT_THAT(read("s.csv"), HasSubstr("# points without data: 1\n"));
}

TEST_F(SurfaceExport, HistogramsBinsHoldAllArea) {
  write_histogram_csv(folder_ / "h.csv", map_, verdict_, 100);
  const auto lines = rows("h.csv");
  EXPECT_EQ(lines[0], "from_um,to_um,area_mm2");
  EXPECT_THAT(lines[1], StartsWith(",-125,"));
  EXPECT_THAT(lines.back(), StartsWith("125,,"));
  double sum = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) sum += std::stod(lines[i].substr(lines[i].rfind(',') + 1));
  EXPECT_NEAR(sum, statistics_of(map_).area_mm2, 1e-3);
  write_histogram_picture(folder_ / "h.png", map_, verdict_, 100);
  EXPECT_THAT(read("h.png"), StartsWith("\x89PNG"));
}

TEST_F(SurfaceExport, WhatCanNotBeWrittenLeavesNothing) {
  EXPECT_THROW(write_surface_ply(folder_ / "none" / "s.ply", map_, verdict_, 100), std::runtime_error);
  EXPECT_TRUE(fs::is_empty(folder_));
  { PartFile(folder_ / "s.csv").write("half"); }
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace datum

// The plane fit on clouds that real instruments measured.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/gpu/plane_fit_scene.h"
#include "tests/real_data.h"

namespace datum {
namespace {

using namespace testing;

/// Points of an ASCII PCD file whose first three fields are x, y, z.
Scene read_ascii_pcd(const std::filesystem::path& file) {
  std::ifstream in(file);
  Scene s;
  std::string line;
  while (std::getline(in, line) && line != "DATA ascii") {
  }
  double x = 0, y = 0, z = 0;
  while (std::getline(in, line))
    if (std::istringstream(line) >> x >> y >> z) s.add(x, y, z, false);
  return s;
}

TEST(PlaneFitRealData, PclCloudHasItsKnownPlane) {
  DATUM_NEED_REAL_DATA("pcl/sac_plane_test.pcd");
  Scene s = read_ascii_pcd(real_data_folder() / "pcl/sac_plane_test.pcd");
  ASSERT_EQ(s.x.size(), 3283u);
  for (float& x : s.x) x -= 1;  // to a centre inside; x lies in 0.67..1.45 m, y in -0.58..0.45 m
  s.half_x = 0.5f, s.half_y = 0.6f;
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    PlaneFitSettings settings;
    settings.mode = mode;
    settings.residual = Residual::perpendicular;
    settings.threshold = 0.03f;  // m, PCL's own test
    const PlaneFit f = fit(s, settings);
    ASSERT_EQ(f.status, FitStatus::ok);
    EXPECT_TRUE(f.fixed_point);
    EXPECT_GT(f.inliers, 2000u);
    // n . p + d = 0 with n / d about (-0.896, -0.590, -1.210): z = a (x - 1) + b y + c has n / d = (a, b, -1)
    // / (c - a). The known values come from single samples at a threshold of 0.03 m: across the 0.8 m of the
    // cloud the plane may tilt by 2 * 0.03 / 0.8 = 0.075, relative to d of 1 / |n / d| = 0.62 m: 0.12.
    const double d = f.c - f.a;
    EXPECT_NEAR(f.a / d, -0.896, 0.12);
    EXPECT_NEAR(f.b / d, -0.590, 0.12);
    EXPECT_NEAR(-1 / d, -1.210, 0.12);
  }
}

/// Cells of a Gocator CSV export's grid, mm: a row of x after the cell "Y\\X", then y and the heights of each
/// row.
Scene read_gocator_grid(const std::filesystem::path& file) {
  std::ifstream in(file);
  Scene s;
  std::vector<double> x;
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    std::string cell;
    std::getline(cells, cell, ',');
    if (cell == "Y\\X") {
      while (std::getline(cells, cell, ',')) x.push_back(std::stod(cell));
      continue;
    }
    if (x.empty()) continue;
    if (cell.find_first_of("0123456789") == std::string::npos) break;  // "End"
    const double y = std::stod(cell);
    for (std::size_t i = 0; std::getline(cells, cell, ',') && i < x.size(); ++i)
      if (cell.find_first_of("0123456789") != std::string::npos) s.add(x[i], y, std::stod(cell), false);
  }
  return s;
}

/// A light bulb on a table: half of what was seen is the table.
TEST(PlaneFitRealData, GocatorTableIsAPlane) {
  DATUM_NEED_REAL_DATA("gocator/snapshot_export.csv");
  Scene s = read_gocator_grid(real_data_folder() / "gocator/snapshot_export.csv");
  ASSERT_EQ(s.x.size(), 55246u);
  s.half_x = s.half_y = 70;
  std::vector<PlaneFit> tables;
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    PlaneFitSettings settings;
    settings.mode = mode;
    settings.threshold = 0.1f;
    tables.push_back(fit(s, settings));
    const PlaneFit& table = tables.back();
    ASSERT_EQ(table.status, FitStatus::ok);
    EXPECT_TRUE(table.fixed_point);
    EXPECT_GT(table.inliers, table.valid / 2);
    EXPECT_LT(table.rms,
              0.1 / std::sqrt(3.));  // sharper than a uniform filling of the threshold: a surface is there
    std::size_t below = 0;
    for (std::size_t i = 0; i < s.x.size(); ++i)
      below += s.z[i] - (table.a * s.x[i] + table.b * s.y[i] + table.c) < -1;
    EXPECT_LT(below, 10u);  // nothing lies under a table
  }
  // Both end in the same fixed point but for the rounding of residuals to 14 bits, which moves either plane
  // by at most 4e-5 mm (plane_fit_test.cpp, corner_rounding); about 22,000 points per mm lie at the
  // threshold: fewer than 2.
  EXPECT_NEAR(tables[0].inliers, tables[1].inliers, 2);
}

}  // namespace
}  // namespace datum

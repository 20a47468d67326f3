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

}  // namespace
}  // namespace datum

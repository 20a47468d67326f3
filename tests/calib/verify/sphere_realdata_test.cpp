// A light bulb on a table, nearly a sphere, exported by a snapshot sensor of 3 um resolution.
#include <gtest/gtest.h>

#include "calib/artefact/sphere_artefact.h"
#include "drivers/sensor/read_frame.h"
#include "tests/calib/fit/quad_newton.h"
#include "tests/real_data.h"

namespace datum::sphere_realdata_test {
namespace {

const char* const snapshot = "gocator/snapshot_export.csv";
const Eigen::Vector3d up(0, 0, 1);

/// Points above a height; 5 mm separates the bulb from the table and its socket.
std::vector<Eigen::Vector3d> points_above(double least_z_mm) {
  SensorProfile profile;
  profile.serial = "40959";
  profile.handedness = Handedness::left;
  profile.noise = {{0.0}, {3.0}};
  profile.z_min_mm = -35;
  profile.z_max_mm = 35;
  const HeightFrame frame = read_frame(testing::real_data_folder() / snapshot, profile);
  std::vector<Eigen::Vector3d> points;
  for (int row = 0; row < frame.rows; ++row) {
    for (int col = 0; col < frame.cols; ++col) {
      if (frame.class_at(row, col) != PixelClass::ok || frame.z_mm(row, col) < least_z_mm) continue;
      points.emplace_back(frame.x.at(col), frame.y.at(row), frame.z_mm(row, col));
    }
  }
  return points;
}

TEST(SphereRealData, TheBulbsCapAgreesWithTheIndependentSolver) {
  DATUM_NEED_REAL_DATA(snapshot);
  std::vector<Eigen::Vector3d> some;
  const auto cap = points_above(20);
  for (std::size_t i = 0; i < cap.size(); i += 40) some.push_back(cap[i]);
  ASSERT_GT(some.size(), 100u);
  using testing::Jet;
  const auto sum = [&](const std::array<Jet<4>, 4>& x) {
    Jet<4> f;
    for (const auto& p : some) {
      const Jet<4> u = Jet<4>(p.x()) - x[0], v = Jet<4>(p.y()) - x[1], w = Jet<4>(p.z()) - x[2];
      const Jet<4> r = sqrt(u * u + v * v + w * w) - x[3];
      f = f + r * r;
    }
    return f;
  };
  const auto truth = testing::lowest<4>(sum, {7, -8, 3, 25}, {3, 3, 3, 3}, 5);
  const auto fit = fit_sphere(some);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(fit.feature.center_mm[i], double(truth.at[i]), 1e-9 * 25);
  EXPECT_NEAR(fit.feature.radius_mm, double(truth.at[3]), 1e-9 * 25);
}

// With its form error treated as noise (0.1 mm) the bulb is a sphere of about 50 mm diameter; the size of the
// cap changes the radius by a few tenths of a millimetre, dozens of its stated uncertainties.
TEST(SphereRealData, TheBulbIsASphereToATenth) {
  DATUM_NEED_REAL_DATA(snapshot);
  RobustSettings settings;
  settings.noise_sigma_mm = 0.1;
  const auto bulb = fit_sphere_robust(points_above(5), settings);
  EXPECT_NEAR(bulb.fit.feature.radius_mm, 25.26, 0.02);
  EXPECT_LT((bulb.fit.feature.center_mm - Eigen::Vector3d(7.08, -8.45, 3.43)).norm(), 0.03);
  EXPECT_GT(bulb.inliers.size(), 10000u);
}

TEST(SphereRealData, ABulbIsNoArtefact) {
  DATUM_NEED_REAL_DATA(snapshot);
  SphereArtefactSettings settings;
  settings.diameter_mm = 50.5;
  settings.robust.noise_sigma_mm = 0.02;  // the sensor's: a dozen steps of its resolution
  EXPECT_THROW(find_sphere(points_above(5), up, settings), FitRefused);
}

}  // namespace
}  // namespace datum::sphere_realdata_test

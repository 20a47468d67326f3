// The spheres of an artefact in a snapshot: from the drawing's file to the transform.
#include "calib/artefact/sphere_artefact_search.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "config/toml_reader.h"
#include "tests/calib/fit/fit_points.h"
#include "tests/fresh_folder.h"
#include "tests/refusal.h"

namespace datum::sphere_search_test {
namespace {

using testing::Noise;

const std::filesystem::path example =
    std::filesystem::path(DATUM_SOURCE_DIR) / "config/sphere_artefacts/three-spheres.toml";
constexpr double sigma = 0.003;

Htm<Sensor, Artefact> pose(double rx, double ry, double rz, const Eigen::Vector3d& t) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() =
      (Eigen::AngleAxisd(rx, Eigen::Vector3d::UnitX()) * Eigen::AngleAxisd(ry, Eigen::Vector3d::UnitY()) *
       Eigen::AngleAxisd(rz, Eigen::Vector3d::UnitZ()))
          .toRotationMatrix();
  m.topRightCorner<3, 1>() = t;
  return Htm<Sensor, Artefact>(m);
}

/// Image of a sensor of 0.2 mm pitch and 1 um resolution from above: spheres over a table at z = -30 mm.
HeightFrame snapshot(const SphereDrawing& drawing, const Htm<Sensor, Artefact>& truth, std::uint64_t seed) {
  HeightFrame frame;
  frame.rows = 500;
  frame.cols = 560;
  frame.x = {0.2, -20};
  frame.y = {0.2, -20};
  frame.z = {0.001, 0};
  frame.sensor_serial = "S1";
  frame.frame_id = "1";
  frame.classes.assign(frame.size(), PixelClass::ok);
  std::vector<std::int32_t> counts(frame.size());
  Noise noise(seed);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const std::size_t row = i / frame.cols, col = i % frame.cols;
    const double x = frame.x.at(static_cast<double>(col)), y = frame.y.at(static_cast<double>(row));
    double z = -30;
    for (const DrawnSphere& s : drawing.spheres) {
      const Eigen::Vector3d c = truth * s.center_mm;
      const double d2 = std::pow(x - c.x(), 2) + std::pow(y - c.y(), 2), r = s.diameter_mm / 2;
      if (d2 < r * r) z = std::max(z, c.z() + std::sqrt(r * r - d2));
    }
    counts[i] = static_cast<std::int32_t>(std::lround((z + noise.gauss(sigma)) / frame.z.scale_mm));
  }
  frame.counts = counts;
  return frame;
}

SphereSearchSettings settings() {
  SphereSearchSettings s;
  s.noise_sigma_mm = sigma;
  return s;
}

TEST(SphereSearch, FindsTheTransformOfTheExample) {
  const SphereDrawing drawing = load_sphere_drawing(example);
  ASSERT_EQ(drawing.spheres.size(), 3u);
  double squares = 0;
  constexpr int trials = 6;
  for (int k = 0; k < trials; ++k) {
    const auto truth = pose(0.05 * k - 0.1, 0.08 - 0.03 * k, 0.1 * k - 0.3, {4.0 + k, 8.0 - k, -6.0 + k});
    const SphereLocation found = locate_spheres(snapshot(drawing, truth, 70 + k), drawing, settings());
    const Vector6d error = difference(truth, found.sensor_from_artefact.htm);
    squares += error.dot(found.sensor_from_artefact.covariance.inverse() * error);
    EXPECT_LT(error.tail<3>().norm(), 0.005);            // the 5 um
    EXPECT_LT(error.head<3>().norm(), 0.003 * 0.01745);  // and 0.003 degrees
    EXPECT_LT(found.rms_mm, 0.003);
  }
  // Chi-square with 6 degrees of freedom per trial; the drawing itself is exact here, so rather less. 4
  // deviations.
  EXPECT_LT(squares / trials, 6 + 4 * std::sqrt(12.0 / trials));
}

TEST(SphereSearch, AMirroredFrameIsNamed) {
  const SphereDrawing drawing = load_sphere_drawing(example);
  HeightFrame frame = snapshot(drawing, pose(0, 0, 0.1, {4, 8, -6}), 71);
  frame.delivered = Handedness::left;
  EXPECT_NE(testing::refusal_of<FitRefused>([&] {
              locate_spheres(frame, drawing, settings());
            }).find("was not mirrored"),
            std::string::npos);
  mirror_to_right_handed(frame);  // frame was right-handed: now it is mirrored
  const std::string why =
      testing::refusal_of<FitRefused>([&] { locate_spheres(frame, drawing, settings()); });
  EXPECT_NE(why.find("seen from behind: the frame is mirrored"), std::string::npos) << why;
}

TEST(SphereSearch, ASphereOutOfViewIsRefusedWithReasons) {
  const SphereDrawing drawing = load_sphere_drawing(example);
  const std::string why = testing::refusal_of<FitRefused>([&] {
    locate_spheres(snapshot(drawing, pose(0, 0, 0, {-25, 8, -6}), 72), drawing, settings());
  });
  EXPECT_EQ(why.substr(0, 75), "sphere artefact: the spheres of 'SP3-0001' were not found at their distance")
      << why;
  EXPECT_NE(why.find("put all of them into view"), std::string::npos);
}

TEST(SphereSearch, AMovedSphereIsRefused) {
  const SphereDrawing drawing = load_sphere_drawing(example);
  SphereDrawing moved = drawing;
  moved.spheres[2].center_mm.x() += 0.06;
  const std::string why = testing::refusal_of<FitRefused>([&] {
    locate_spheres(snapshot(moved, pose(0, 0, 0, {4, 8, -6}), 73), drawing, settings());
  });
  EXPECT_NE(why.find("do not fit each other"), std::string::npos) << why;
}

TEST(SphereSearch, SurfacesHangTogether) {
  const SphereDrawing drawing = load_sphere_drawing(example);
  const auto surfaces = surfaces_of(snapshot(drawing, pose(0, 0, 0, {4, 8, -6}), 74), settings());
  ASSERT_EQ(surfaces.size(), 4u) << "the table and three spheres";
  EXPECT_GT(surfaces[0].size(), 10 * surfaces[1].size());
}

// Correlated noise of neighbours enlarges the covariance; otherwise it does not.
TEST(SphereSearch, NoiseThatNeighboursShareWidensTheCovariance) {
  Noise noise(75);
  std::vector<Eigen::Vector3d> alone, shared;
  for (int row = -60; row < 60; ++row) {
    for (int col = -60; col < 60; ++col) {
      const double x = 0.13 * col, y = 0.13 * row;
      if (std::hypot(x, y) > 12.7 * std::sin(0.7)) continue;
      const Eigen::Vector3d n = Eigen::Vector3d(x, y, std::sqrt(12.7 * 12.7 - x * x - y * y)) / 12.7;
      // Blocks of 4 x 4 pixels share one error: a mean over a large piece has 16 times the variance.
      Noise block(1000 + static_cast<std::uint64_t>((row + 60) / 4 * 100 + (col + 60) / 4));
      alone.push_back(n * (12.7 + noise.gauss(sigma)));
      shared.push_back(n * (12.7 + block.gauss(sigma)));
    }
  }
  EXPECT_EQ(cap_correlation(alone, fit_sphere(alone), {0, 0, 1}, 0.7), 1);
  // 16 in the limit; some 45 large squares, each chi-square of one degree: 1 +- 0.21, times 4 and 3 deviations.
  const double s = cap_correlation(shared, fit_sphere(shared), {0, 0, 1}, 0.7);
  EXPECT_GT(s, 6);
  EXPECT_LT(s, 26);

  // find_sphere returns the enlarged covariance.
  SphereArtefactSettings one;
  one.diameter_mm = 25.4;
  one.allowed_center_u_mm = 1;
  one.robust.noise_sigma_mm = sigma;
  const SphereSighting seen = find_sphere(shared, {0, 0, 1}, one);
  EXPECT_GT(seen.correlation, 6);
  const double plain = fit_sphere(shared).covariance(2, 2);
  // A few points at 3 sigma and at the rim differ between the two fits: some per cent of sigma.
  EXPECT_NEAR(seen.fit.covariance(2, 2) / (plain * seen.correlation), 1, 0.1);
}

class SphereDrawingFile : public ::testing::Test {
 protected:
  std::string refused(const std::string& spheres) {
    const auto path =
        folder.write("d.toml", "schema = 1\nkind = \"spheres\"\nserial = \"X\"\ntitle = \"t\"\n" + spheres);
    try {
      load_sphere_drawing(path);
    } catch (const config::ConfigError& error) {
      const std::string text = error.what();
      return text.substr(text.find("sphere"));
    }
    return "(accepted)";
  }
  static std::string at(const std::string& center) {
    return "[[sphere]]\ncenter_mm = [" + center +
           "]\ncenter_u_um = 1\ndiameter_mm = 20\ndiameter_u_um = 0.5\n";
  }
  testing::FreshFolder folder;
};

TEST_F(SphereDrawingFile, RefusesWhatFitsInTwoWaysOrNone) {
  EXPECT_EQ(refused(at("0,0,0") + at("50,0,0") + at("10,60,0")), "(accepted)");
  EXPECT_EQ(refused(at("0,0,0") + at("50,0,0")), "sphere: 2 spheres; allowed: 3 to 8 tables [[sphere]]");
  EXPECT_EQ(refused(at("0,0,0") + at("50,0,0") + at("25,60,0")),
            "sphere: the spheres can be exchanged without changing a distance by 1 mm; allowed: distances or "
            "diameters that distinguish every sphere from the others");
  EXPECT_EQ(
      refused(at("0,0,0") + at("50,0,0") + at("90,1,0")),
      "sphere: the centres lie on a line; allowed: a triangle or more, at least a tenth as wide as long");
  EXPECT_EQ(
      refused(at("0,0,0") + at("15,0,0") + at("10,60,0")),
      "sphere: spheres 1 and 2 touch each other; allowed: centres farther apart than the spheres are thick");
}

}  // namespace
}  // namespace datum::sphere_search_test

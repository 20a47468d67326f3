#include "tests/virtual_cell/twin_artefact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calib/artefact/drawing_file.h"
#include "calib/fit/construction.h"
#include "calib/htm_estimate.h"
#include "tests/virtual_cell/twin_render.h"

namespace datum {
namespace {

const ArtefactDrawing drawing =
    load_artefact_drawing(std::filesystem::path(DATUM_SOURCE_DIR) / "config/artefacts/angled-slot-120.toml");

Htm<Sensor, Artefact> pose(const Eigen::Vector3d& w, const Eigen::Vector3d& t) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() = rotation_from_vector(w);
  m.topRightCorner<3, 1>() = t;
  return Htm<Sensor, Artefact>(m);
}

TwinView view_of(double pitch_mm) {
  TwinView view;
  view.rows = static_cast<int>(80 / pitch_mm);
  view.cols = static_cast<int>(100 / pitch_mm);
  view.x = {pitch_mm, -50};
  view.y = {pitch_mm, -40};
  return view;
}

/// The upper surface directly from the drawing's numbers: z over a place of the plate.
double surface_mm(double x, double y) {
  const double t = std::tan(std::acos(-1.0) / 6);
  const double along = -4 + std::abs(x) * t;
  const double across = -4 + std::max(std::abs(y), 14.5 - x) * t;
  return std::min({0.0, along, across});
}

TEST(TwinArtefact, EveryPixelSeesTheDrawnSurface) {
  const TwinView view = view_of(0.5);
  const auto sensor_from_artefact = pose({0.08, -0.06, 0.4}, {-3, 2, 1.5});
  const Htm<Artefact, Sensor> back = sensor_from_artefact.inverse();
  const TwinArtefactView seen = look_at({drawing}, sensor_from_artefact, view);
  std::array<int, face_count> count{};
  int end = 0, nothing = 0;
  for (int row = 0; row < view.rows; ++row) {
    for (int col = 0; col < view.cols; ++col) {
      const std::size_t i = static_cast<std::size_t>(row) * view.cols + col;
      if (seen.surface.classes[i] != PixelClass::ok) {
        ++nothing;
        continue;
      }
      const Eigen::Vector3d p = back * Eigen::Vector3d(view.x.at(col), view.y.at(row), seen.surface.z_mm[i]);
      ASSERT_TRUE(drawing.plate.contains(p.x(), p.y()));
      ASSERT_NEAR(p.z(), surface_mm(p.x(), p.y()), 1e-12) << p.transpose();  // lengths up to 100 mm, rounded
      seen.face[i] ? ++count[index_of(*seen.face[i])] : ++end;
      // Inside a drawn area that face is visible, and no other.
      for (Face f : all_faces) {
        const bool drawn = drawing.face(f).contains(p.x(), p.y());
        ASSERT_TRUE(!drawn || seen.face[i] == f) << p.transpose();
      }
    }
  }
  for (Face f : all_faces) EXPECT_GT(count[index_of(f)], 300) << name_of(f);
  EXPECT_GT(end, 50);
  EXPECT_GT(nothing, 1000);
}

TEST(TwinArtefact, FacesCanBeWrong) {
  TwinArtefact artefact{drawing};
  artefact.errors[index_of(Face::su)].shift_mm = 0.1;
  artefact.errors[index_of(Face::lp)].tilt_rad = {0, -0.001};
  artefact.errors[index_of(Face::lr)].unseen = true;
  artefact.table_mm = -12;
  const TwinView view = view_of(0.5);
  const TwinArtefactView seen = look_at(artefact, pose({0, 0, 0}, {0, 0, 0}), view);
  const auto at = [&](double x, double y) {
    return static_cast<std::size_t>(std::lround((y + 40) / 0.5)) * view.cols + std::lround((x + 50) / 0.5);
  };
  EXPECT_NEAR(seen.surface.z_mm[at(20, 3)], surface_mm(20, 3) + 0.1 / std::cos(std::acos(-1.0) / 6), 1e-12);
  EXPECT_NEAR(seen.surface.z_mm[at(-20, 15)], 0.01, 1e-8) << "10 mm above the face's middle, leaning back";
  EXPECT_EQ(seen.surface.classes[at(3, 20)], PixelClass::no_data);
  EXPECT_EQ(seen.surface.z_mm[at(-40, 0)], -12) << "the table";
  EXPECT_EQ(seen.face[at(-40, 0)], std::nullopt);
  artefact.long_slot = artefact.short_slot = false;
  const TwinArtefactView flat = look_at(artefact, pose({0, 0, 0}, {0, 0, 0}), view);
  EXPECT_EQ(flat.face[at(3, 20)], Face::rp);
  EXPECT_EQ(flat.surface.z_mm[at(20, 3)], 0);
}

TEST(TwinArtefact, ATiltThatHidesAFaceIsRefused) {
  EXPECT_NO_THROW(look_at({drawing}, pose({0.9, 0, 0}, {0, 0, 0}), view_of(5)));
  EXPECT_THROW(look_at({drawing}, pose({1.0, 0, 0}, {0, 0, 0}), view_of(5)), std::invalid_argument);
}

TEST(TwinArtefact, BecomesAFrameWithTheSensorsErrors) {
  const TwinView view = view_of(0.25);
  const TwinArtefactView seen = look_at({drawing}, pose({0.02, 0.03, 0}, {0, 0, 1}), view);
  TwinSensor sensor;
  sensor.serial = "S7";
  sensor.noise.white_um = 10;
  sensor.noise.dropout_ratio = 0.01;
  const HeightFrame frame = render(seen.surface, view, sensor, 5);
  double sum = 0;
  std::size_t n = 0;
  for (int row = 0; row < frame.rows; ++row) {
    for (int col = 0; col < frame.cols; ++col) {
      if (frame.class_at(row, col) != PixelClass::ok) continue;
      const double error_um =
          1e3 * (frame.z_mm(row, col) - seen.surface.z_mm[static_cast<std::size_t>(row) * view.cols + col]);
      sum += error_um * error_um;
      ++n;
    }
  }
  // 50000 pixels: a standard deviation has a relative standard error of 0.3 %.
  EXPECT_NEAR(std::sqrt(sum / static_cast<double>(n)), 10, 0.15);
}

TEST(TwinArtefact, ACloudOfOneFaceLiesOnItUpToItsNoise) {
  const auto sensor_from_artefact = pose({0.05, -0.02, 0.1}, {5, 6, 7});
  const auto back = sensor_from_artefact.inverse();
  for (Face f : all_faces) {
    const auto points = points_on({drawing}, f, sensor_from_artefact, 5000, 10, 3);
    ASSERT_EQ(points.size(), 5000u);
    double sum = 0;
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    for (const auto& p : points) {
      const Eigen::Vector3d a = back * p;
      sum += std::pow(distance_mm(drawing.face(f).plane, a), 2);
      mean += a / 5000;
    }
    const double facing = (sensor_from_artefact.rotation() * drawing.face(f).plane.normal).z();
    EXPECT_NEAR(std::sqrt(sum / 5000), 0.010 * facing, 0.0004) << name_of(f);  // 4 x 1 % of 10 um
    // A uniform distribution over a length of 52 mm: the mean of 5000 has a standard deviation of 52 /
    // sqrt(12 * 5000) = 0.21 mm.
    EXPECT_LT((mean - drawing.face(f).middle_mm()).norm(), 0.9) << name_of(f);
  }
}

}  // namespace
}  // namespace datum

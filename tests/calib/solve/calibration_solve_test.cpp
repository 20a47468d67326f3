// From touches and a scan of one artefact to the transform, with known errors.
#include "calib/solve/calibration_solve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "calib/artefact/drawing_file.h"
#include "tests/virtual_cell/twin_artefact.h"

namespace datum {
namespace {

const ArtefactDrawing drawing =
    load_artefact_drawing(std::filesystem::path(DATUM_SOURCE_DIR) / "config/artefacts/angled-slot-120.toml");

template <class To, class From>
Htm<To, From> motion(const Eigen::Vector3d& w_rad, const Eigen::Vector3d& t_mm) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() = rotation_from_vector(w_rad);
  m.topRightCorner<3, 1>() = t_mm;
  return Htm<To, From>(m);
}

/// The sensor rotated by 3 degrees, half a metre from the machine's origin, the artefact rotated by 5
/// degrees.
struct Bench {
  Htm<Machine, Sensor> machine_from_sensor = motion<Machine, Sensor>({0.03, -0.04, 0.02}, {312, 208, 95});
  Htm<Machine, Artefact> machine_from_artefact =
      motion<Machine, Artefact>({-0.02, 0.03, 0.09}, {305, 212, 90});
  MachineSetup machine;
  double touch_noise_um = 1, scan_noise_um = 10;
  std::size_t scan_points = 5000;

  Bench() { machine.probe = {1.0, 0.0005, 0.001}; }
  FaceTouches touches(std::uint64_t seed, double radius_mm = 1.0) const {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, touch_noise_um * 1e-3);
    FaceTouches all;
    for (const Face face : all_faces) {
      const DrawnFace& drawn = drawing.face(face);
      const Eigen::Vector3d normal = machine_from_artefact.rotation() * drawn.plane.normal;
      for (const Eigen::Vector3d& place : places_on(drawn, 12))
        all[index_of(face)].push_back(machine_from_artefact * place + normal * (radius_mm + noise(random)));
    }
    return all;
  }
  ScannedFaces scan(std::uint64_t seed) const {
    ScannedFaces scanned;
    const Htm<Sensor, Artefact> pose = machine_from_sensor.inverse() * machine_from_artefact;
    for (const Face face : all_faces)
      scanned.points[index_of(face)] =
          points_on({drawing}, face, pose, scan_points, scan_noise_um, seed * 6 + index_of(face));
    return scanned;
  }
  CalibrationSolution solve(std::uint64_t seed) const {
    return solve_calibration(drawing, touches(seed), scan(seed), machine);
  }
};

TEST(CalibrationSolve, FindsTheSensorsPlaceWithinItsUncertainty) {
  const Bench bench;
  const CalibrationSolution s = bench.solve(1);
  EXPECT_THAT(s.findings, ::testing::IsEmpty());
  ASSERT_EQ(s.residuals.size(), 12u);
  EXPECT_EQ(s.residuals[0].feature, "LP touch");
  EXPECT_EQ(s.residuals[0].points, 12);
  EXPECT_EQ(s.residuals[11].feature, "SL scan");
  EXPECT_EQ(s.residuals[11].points, 5000);
  // The scan's noise of 10 um along the sensor's z is 10 um * cos(30 deg) and more along a normal.
  EXPECT_NEAR(s.rms_um, 9.5, 0.8);
  for (const auto& estimate : {s.joint, s.constructed}) {
    const Vector6d error = difference(bench.machine_from_sensor, estimate.htm);
    // chi2 with 6 degrees of freedom is below 22.5 in 999 of 1000 cases.
    EXPECT_LT(error.dot(estimate.covariance.inverse() * error), 22.5);
    const double u_mm = std::sqrt(point_covariance(estimate, Eigen::Vector3d::Zero()).diagonal().maxCoeff());
    EXPECT_LT(2 * u_mm, 0.015) << "an uncertainty that says nothing holds for anything";
  }
}

// A touch is the scales' reading; the machine's true position differs by its squareness: 10 mrad here, to be
// visible.
TEST(CalibrationSolve, TakesTouchesThroughTheStagesErrors) {
  Bench bench;
  bench.machine.squareness_rad = {0.01, -0.005, 0.002};
  bench.machine.scale_ppm = {200, -100, 50};
  const Eigen::Matrix3d scales =
      stage_matrix(bench.machine.squareness_rad, bench.machine.scale_ppm).inverse();
  FaceTouches read = bench.touches(3);
  for (auto& face : read)
    for (auto& centre : face) centre = scales * centre;
  const auto s = solve_calibration(drawing, read, bench.scan(3), bench.machine);
  EXPECT_THAT(s.findings, ::testing::IsEmpty());
  const Vector6d error = difference(bench.machine_from_sensor, s.joint.htm);
  EXPECT_LT(error.dot(s.joint.covariance.inverse() * error), 22.5);
  bench.machine.squareness_rad.setZero();
  EXPECT_THAT(solve_calibration(drawing, read, bench.scan(3), bench.machine).findings,
              ::testing::Not(::testing::IsEmpty()));
}

TEST(CalibrationSolve, CarriesTheProbesRadius) {
  Bench bench;
  bench.machine.probe.u_radius_mm = 0;
  const CalibrationSolution sure = bench.solve(1);
  bench.machine.probe.u_radius_mm = 0.01;
  const CalibrationSolution unsure = bench.solve(1);
  const Vector6d u = (unsure.joint.covariance - sure.joint.covariance).diagonal().cwiseMax(0).cwiseSqrt();
  // All faces move out by 10 um: z by 10 um from LP and RP, by 10 / cos(30 deg) = 11.5 from flanks.
  EXPECT_GT(u[5], 0.0099);
  EXPECT_LT(u[5], 0.0116);
}

// The tip is larger than stated, which would shift the calibration's z equally. The faces determine it with u
// = 6.5 um here, from 1 um of the drawing's form and flanks of 30 degrees: 50 um are a contradiction, 20 um
// are refused or enter U.
TEST(CalibrationSolve, TheFacesContradictAWrongRadius) {
  const Bench bench;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const CalibrationSolution right = bench.solve(seed);
    EXPECT_NEAR(right.radius.mm, 1.0, 3 * right.radius.u_mm);
    EXPECT_LT(right.radius.u_mm, 0.008);
    EXPECT_EQ(right.radius.taken_u_mm, 0.0005);
    EXPECT_THAT(right.findings, ::testing::IsEmpty());
    const auto solved = [&](double radius_mm) {
      return solve_calibration(drawing, bench.touches(seed, radius_mm), bench.scan(seed), bench.machine);
    };
    EXPECT_THAT(solved(1.05).findings,
                ::testing::Contains(::testing::HasSubstr("measure the tip on a ring gauge")));
    const CalibrationSolution off = solved(1.02);
    const double z_mm = difference(bench.machine_from_sensor, off.joint.htm)[5],
                 u_mm = std::sqrt(off.joint.covariance(5, 5));
    EXPECT_TRUE(!off.findings.empty() || std::abs(z_mm) < 2 * u_mm) << z_mm << " " << u_mm;
  }
}

TEST(CalibrationSolve, ARadiusIsNotKnownExactly) {
  Bench bench;
  bench.machine.probe.u_radius_mm = 0;
  EXPECT_THAT(bench.solve(1).findings, ::testing::ElementsAre(::testing::HasSubstr("ring gauge")));
}

TEST(CalibrationSolve, SeesWhatTheOperatorMixedUp) {
  const Bench bench;
  const auto scan = bench.scan(1);
  const auto findings = [&](const FaceTouches& touches) {
    try {
      return solve_calibration(drawing, touches, scan, bench.machine).findings.size();
    } catch (const FitRefused&) {
      return std::size_t{99};
    }
  };
  EXPECT_EQ(findings(bench.touches(1)), 0u);
  for (std::size_t a = 0; a < face_count; ++a)
    for (std::size_t b = a + 1; b < face_count; ++b) {
      FaceTouches swapped = bench.touches(1);
      std::swap(swapped[a], swapped[b]);
      if (all_faces[a] == Face::lp && all_faces[b] == Face::rp) continue;  // one plane
      EXPECT_GT(findings(swapped), 0u) << name_of(all_faces[a]) << " as " << name_of(all_faces[b]);
    }
  EXPECT_GT(findings(bench.touches(1, -1.0)), 0u) << "surface points taken for tip centres, twice over";
  EXPECT_GT(findings(bench.touches(1, 1.5)), 0u) << "another stylus: 3 mm for 2 mm";
  FaceTouches one_off = bench.touches(1);
  one_off[2][5].z() += 0.5;  // dirt under one touch
  EXPECT_GT(findings(one_off), 0u);
  FaceTouches few = bench.touches(1);
  few[3].resize(3);
  try {
    solve_calibration(drawing, few, scan, bench.machine);
    FAIL();
  } catch (const FitRefused& why) {
    EXPECT_STREQ(why.what(), "LR: 3 touches; at least 4, spread over the face, are needed");
  }
}

}  // namespace
}  // namespace datum

// datumctl verify: frames are written as files of a sensor and read again.
#include "daemon/ctl/verify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <Eigen/Geometry>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <utility>

#include "calib/artefact/sphere_artefact_drawing.h"
#include "calib/fit/feature.h"
#include "tests/daemon/ctl/verify_scene.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

/// The numbers of the line that begins with this text.
std::vector<double> row_of(const std::string& text, const std::string& begin) {
  const auto from = text.find("\n" + begin);
  if (from == std::string::npos) return {};
  std::istringstream line(
      text.substr(from + 1 + begin.size(), text.find('\n', from + 1) - from - 1 - begin.size()));
  std::vector<double> numbers;
  for (double n = 0; line >> n;) numbers.push_back(n);
  return numbers;
}

struct DatumctlVerifyOverlap : DatumctlVerify {
  DatumctlVerifyOverlap() : a(at(testing::parts(), {0, 0, 0}, 1)), b(at(testing::parts(), {9, 5, 0.8}, 2)) {}
  Verified told(const std::string& q_b) {
    o.snapshots = {a + "@0,0,0", b + "@" + q_b};
    return verify_overlap(o);
  }
  std::string a, b;
};

TEST_F(DatumctlVerifyOverlap, SnapshotsThatAgreeAreGoodAndSayWhatMadeThem) {
  const Verified v = told("9,5,0.8");
  EXPECT_EQ(v.found, Found::good) << v.text;
  EXPECT_THAT(v.text, HasSubstr("  AGREES  "));
  EXPECT_THAT(v.text, HasSubstr("snapshot 1: " + b + ", frame f2, sha256 "));
  EXPECT_THAT(v.text, HasSubstr("stage at 9.0000 5.0000 0.8000 mm"));
  EXPECT_THAT(v.text, HasSubstr("calibration may  sha256 " + load_calibration(o.calibration).sha256));
  EXPECT_THAT(v.text, HasSubstr("sensor S7  sha256 "));
}

TEST_F(DatumctlVerifyOverlap, AWrongConventionIsNamedWithItsRemedy) {
  const Verified v = told("-9,-5,-0.8");
  EXPECT_EQ(v.found, Found::not_good) << v.text;
  EXPECT_THAT(v.text, HasSubstr("WRONG_CONVENTION"));
  EXPECT_THAT(v.text, HasSubstr("STAGE_REVERSED"));
}

// The stated position is 15 um off in z: readings of 1 um do not explain it, of 20 um do. After a shift back by that, b
// coincides with a. Tolerance: four standard uncertainties.
TEST_F(DatumctlVerifyOverlap, AShiftIsToldInMicrometresAndIsNotGood) {
  const Verified v = told("9,5,0.815");
  EXPECT_EQ(v.found, Found::not_good) << v.text;
  const auto row = row_of(v.text, "0  1  EXCEEDS");  // samples, off %, then x, u, y, u, z, u
  ASSERT_EQ(row.size(), 8u) << v.text;
  EXPECT_NEAR(row[6], -15, 4 * row[7]) << v.text;
  EXPECT_LT(row[7], 3) << v.text;
  o.position_u_um = 20;
  EXPECT_EQ(told("9,5,0.815").found, Found::good);
}

TEST_F(DatumctlVerifyOverlap, AWrongPlaceContradicts) {
  const Verified v = told("10.5,2.8,0.8");
  EXPECT_EQ(v.found, Found::not_good) << v.text;
  EXPECT_THAT(v.text, HasSubstr("CONTRADICTS"));
}

TEST_F(DatumctlVerifyOverlap, TooLittleOverlapIsNotEnough) {
  b = at(testing::flat(), {19.5, 0, 0}, 3);
  a = at(testing::flat(), {0, 0, 0}, 4);
  const Verified v = told("19.5,0,0");
  EXPECT_EQ(v.found, Found::not_enough) << v.text;
  EXPECT_THAT(v.text, HasSubstr("TOO_LITTLE"));
  EXPECT_THAT(v.text, HasSubstr("take some in between"));
}

// A flat plate shows no shift within its plane: it agrees at every stated stage position.
TEST_F(DatumctlVerifyOverlap, AFlatPlateDoesNotTellAllAndSaysSo) {
  a = at(testing::flat(), {0, 0, 0}, 5);
  b = at(testing::flat(), {9, 5, 0.8}, 6);
  const Verified v = told("9,5,0.8");
  EXPECT_EQ(static_cast<int>(v.found), 10) << v.text;
  EXPECT_THAT(v.text, HasSubstr("NOT TOLD: a shift along x, y"));
}

/// Periodic with 4 mm along x and y.
double periodic(double x, double y) {
  return 0.5 * std::sin(2 * M_PI * x / 4) + 0.4 * std::cos(2 * M_PI * y / 4);
}

// With the stage's axes reversed, snapshots 8 and 4 mm apart agree as well.
TEST_F(DatumctlVerifyOverlap, APartThatRepeatsItselfDoesNotTellAllAndSaysSo) {
  a = at(periodic, {0, 0, 0}, 7);
  b = at(periodic, {8, 4, 0}, 8);
  const Verified v = told("8,4,0");
  EXPECT_THAT(v.text, HasSubstr("  AGREES  "));
  EXPECT_EQ(static_cast<int>(v.found), 10) << v.text;
  EXPECT_THAT(v.text, HasSubstr("NOT TOLD: "));
  EXPECT_THAT(v.text, HasSubstr("STAGE_REVERSED"));
  EXPECT_THAT(v.text, HasSubstr("take a part that does not repeat itself"));
}

// With a position off by one period it agrees too: the position is not determined.
TEST_F(DatumctlVerifyOverlap, AStageThatIsOffByAPeriodIsNotGood) {
  a = at(periodic, {0, 0, 0}, 9);
  b = at(periodic, {8, 4, 0}, 10);
  const Verified v = told("4,4,0");
  EXPECT_NE(v.found, Found::good) << v.text;
}

TEST_F(DatumctlVerifyOverlap, WhatWouldAgreeAnywayIsRefused) {
  o.snapshots = {a + "@0,0,0", a + "@9,5,0.8"};
  EXPECT_THAT(refusal_of(verify_overlap), HasSubstr("are one frame"));
  o.snapshots = {a + "@0,0,0", b + "@0.5,0,0"};
  EXPECT_THAT(refusal_of(verify_overlap), HasSubstr("less than 1 mm apart: that proves no convention"));
}

TEST_F(DatumctlVerifyOverlap, BadInputIsRefusedWithItsRemedy) {
  o.snapshots = {a, b + "@9,5,0.8"};
  EXPECT_THAT(refusal_of(verify_overlap), HasSubstr("wanted: FRAME@X,Y,Z"));
  for (const char* q : {"9,5", "9,5,0.8,1", "9,5,", "9,,0.8", "9,5,nan", "9,5,0.8mm", " 9,5,0.8", ""}) {
    o.snapshots = {a + "@0,0,0", b + "@" + q};
    EXPECT_THAT(refusal_of(verify_overlap), HasSubstr("wanted: 3 numbers in mm, split by commas")) << q;
  }
  o.snapshots = {a + "@0,0,0", b + "@9,5,0.8"};
  o.now_utc_s = *utc_from_iso8601("2026-10-01T00:00:00Z");
  EXPECT_THAT(refusal_of(verify_overlap), HasSubstr("expired at 2026-09-01"));
}

// Spheres 30 um too large, distances 0.1 % too long: 72 um of 72 mm. PF of 5000 points of 3 um noise is about 2 * 3.6
// sigma = 22 um, never below 5 nor above 10.6 sigma.
TEST_F(DatumctlVerifyArtefact, SizeAndSpacingErrorsAreMeasuredThoughTheyAreLarge) {
  o.frame = scene(spheres(0.03, 1.001), "spheres");
  const Verified v = verify_spheres(o);
  EXPECT_EQ(v.found, Found::good);
  for (const char* sphere : {"     1", "     2", "     3"}) {
    const auto row = row_of(v.text, sphere);
    ASSERT_EQ(row.size(), 5u) << v.text;
    EXPECT_GT(row[0], 15) << v.text;
    EXPECT_LT(row[0], 32) << v.text;
    EXPECT_NEAR(row[1], 30, 4 * row[2] + 0.1) << v.text;
    EXPECT_EQ(row[4], 0);
  }
  const auto pair = row_of(v.text, "1 - 2");
  ASSERT_EQ(pair.size(), 4u) << v.text;
  EXPECT_EQ(pair[0], 72);
  EXPECT_NEAR(pair[2], 72, 4 * pair[3]) << v.text;
  EXPECT_THAT(v.text, HasSubstr("drawing SP3-0001  sha256 "));
}

TEST_F(DatumctlVerifyArtefact, AnOutlierIsInTheFormErrorUntilItIsDiscarded) {
  const auto round = spheres(0, 1);
  o.frame = scene(
      [&](double x, double y) { return round(x, y) + (std::hypot(x - 4, y - 8) < 0.15 ? 0.2 : 0); }, "spike");
  EXPECT_GT(row_of(verify_spheres(o).text, "     1").at(0), 190);
  o.discard_worst = true;
  const auto row = row_of(verify_spheres(o).text, "     1");
  EXPECT_LT(row.at(0), 32);
  EXPECT_EQ(row.at(4), std::floor(row.at(3) * 0.003));
}

TEST_F(DatumctlVerifyArtefact, SpheresThatAreNotThereAreNoMeasurement) {
  o.frame = scene(testing::flat(), "flat");
  EXPECT_THROW(verify_spheres(o), FitRefused);
  o.step = "spheres";
  EXPECT_EQ(verify(o), 3);
  o.drawing += "x";
  EXPECT_EQ(verify(o), 4);
}

// A step of 50 um. The range of 98000 points of 3 um noise is about 2 * 4.3 sigma = 26 um.
TEST_F(DatumctlVerifyArtefact, FlatnessIsThePeakToValleyOfTheArea) {
  const auto step = [](double x, double) { return x < 30 ? 0.05 : 0.0; };
  o.frame = scene(step, "step");
  const Verified all = verify_flatness(o);
  EXPECT_THAT(all.text,
              MatchesRegex("F [0-9.]+ um of 280000 points .0 of 280000 pixels not measured, 0 disc(.|\n)*"));
  o.area = "31,80,-10,70";
  const double f = std::stod(verify_flatness(o).text.substr(2));
  EXPECT_GT(f, 18);
  EXPECT_LT(f, 34);
  EXPECT_GT(std::stod(all.text.substr(2)), f + 20);
  o.discard_worst = true;
  EXPECT_THAT(verify_flatness(o).text, Not(HasSubstr(" 0 discarded")));
  o.area = "200,300,0,10";
  EXPECT_THROW(verify_flatness(o), FitRefused);
  o.area = "31,30,0,10";
  EXPECT_THAT(refusal_of(verify_flatness), HasSubstr("X0 < X1"));
}

TEST_F(DatumctlVerify, PointsOfACoordinateMeasuringMachine) {
  o.frame =
      folder
          .write(
              "points.csv",
              "x_mm,y_mm,z_mm,plane\n0,0,0.000001,1\n10,0,-0.000001,1\n0,10,-0.000001,1\n10,10,0.000001,1\n"
              "0,0,5,2\n10,0,5,2\n0,10,5,2\n10,10,5,2\n")
          .string();
  o.nominal = "0,0,1,0";
  const Verified v = verify_points(o);
  EXPECT_THAT(v.text, HasSubstr("0.002000")) << "flatness and profile of 2 nm";
  EXPECT_THAT(v.text, HasSubstr("plane 2 from plane 1: 5.000000000 mm"));
  o.step = "points";
  EXPECT_EQ(verify(o), 0);
  folder.write("points.csv", "x_mm,y_mm,z_mm\n0,0,0\n1,1,0\n2,2,0\n3,3,0\n");
  EXPECT_EQ(verify(o), 3) << "on a line";
  folder.write("points.csv", "x,y,z\n");
  EXPECT_EQ(verify(o), 4);
}

TEST_F(DatumctlVerifyArtefact, TheProgramItselfPrintsAndExits) {
  const std::string program = std::string(DATUMCTL) + " verify flatness ";
  const auto status = [&](const std::string& arguments) {
    const std::string to = " >" + (folder / "out").string() + " 2>&1";
    return WEXITSTATUS(std::system((program + arguments + to).c_str()));
  };
  const std::string good = scene(testing::flat(), "flat") + " --sensor " + o.sensor;
  EXPECT_EQ(status(good), 0);
  std::ifstream out(folder / "out");
  std::string word;
  out >> word;
  EXPECT_EQ(word, "F");
  EXPECT_EQ(status(good + " --area 200,300,0,10"), 3);
  EXPECT_EQ(status(good + " --area 1,2,3"), 4);
  EXPECT_EQ(status(scene(testing::flat(), "flat")), 4) << "no profile";
}

}  // namespace
}  // namespace datum

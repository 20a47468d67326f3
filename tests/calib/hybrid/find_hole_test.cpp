#include "calib/hybrid/find_hole.h"

#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <random>

#include "tests/refusal.h"

namespace datum::find_hole_test {
namespace {

using ::testing::HasSubstr;

constexpr double pitch_mm = 0.1, noise_mm = 0.01;

/// An inclined plane, 240 x 200 pixels of 0.1 mm about (0, 0); `inside(x, y)`: a pixel of a hole.
struct Scene {
  std::function<bool(double, double)> inside = [](double, double) { return false; };
  std::function<bool(double, double)> raised = inside;  // a pixel of an object on the surface
  double depth_mm = 0;                                  // of the hole's bottom; 0: not visible to the sensor
  double missing = 0;                                   // share of dropouts
  std::uint64_t seed = 1;

  HeightFrame frame() const {
    HeightFrame f;
    f.rows = 200;
    f.cols = 240;
    f.x = {pitch_mm, -12 + pitch_mm / 2};
    f.y = {pitch_mm, -10 + pitch_mm / 2};
    f.z = {1, 0};
    std::vector<float> z;
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, noise_mm);
    std::uniform_real_distribution<double> share;
    for (int row = 0; row < f.rows; ++row) {
      for (int col = 0; col < f.cols; ++col) {
        const double x = f.x.at(col), y = f.y.at(row);
        const bool in = inside(x, y);
        const bool lost = share(random) < missing || (in && depth_mm == 0);
        f.classes.push_back(lost ? PixelClass::no_data : PixelClass::ok);
        z.push_back(static_cast<float>(3 + 0.02 * x - 0.01 * y - (in ? depth_mm : 0) +
                                       (raised(x, y) ? 2 : 0) + noise(random)));
      }
    }
    f.counts = z;
    return f;
  }
};

auto disc(double x0, double y0, double r) {
  return [=](double x, double y) { return std::hypot(x - x0, y - y0) < r; };
}

/// Machine axes rotated by 90 degrees about z and shifted: x_machine = 100 - y, y_machine = 50 + x.
HtmEstimate<Machine, Sensor> mounting() {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<2, 2>() << 0, -1, 1, 0;
  m.topRightCorner<3, 1>() << 100, 50, 200;
  return {Htm<Machine, Sensor>(m), Matrix6d::Zero()};
}

HoleNominal nominal() { return {{100, 50, 203}, 4, 1, 0.5}; }
HoleSearch search() { return {noise_mm}; }

HoleCandidate find(const Scene& scene) { return find_hole(scene.frame(), mounting(), nominal(), search()); }

std::string refusal_of(const HeightFrame& frame, const HoleNominal& n = nominal(),
                       const HoleSearch& s = search()) {
  return testing::refusal_of<HoleRefused>([&] { find_hole(frame, mounting(), n, s); });
}

// An edge is quantised to a pitch: 0.1 / sqrt(12) = 29 um; with some 320 of them the center has sqrt(2/320)
// of it, 2.3 um. Five of those are 0.012 mm; the radius has less. The inclination of 0.022 stretches a circle
// in the frame by 0.022^2 / 2 of 4 mm: 1 um.
TEST(FindHole, IsWhereItIsInMachineCoordinates) {
  Scene scene;
  scene.inside = disc(0.437, -0.318, 4.1);
  const HoleCandidate hole = find(scene);
  EXPECT_NEAR(hole.center_mm.x(), 100 + 0.318, 0.012);
  EXPECT_NEAR(hole.center_mm.y(), 50 + 0.437, 0.012);
  EXPECT_NEAR(hole.center_mm.z(), 203 + 0.02 * 0.437 + 0.01 * 0.318, 0.001);  // 0.01 / sqrt(40000), ten times
  EXPECT_NEAR(hole.radius_mm, 4.1, 0.012);
  EXPECT_LT((hole.normal - Eigen::Vector3d(-0.01, -0.02, 1).normalized()).norm(), 1e-3);
}

TEST(FindHole, ABottomInSightIsAHoleToo) {
  Scene scene;
  scene.inside = disc(0.437, -0.318, 4.1);
  scene.depth_mm = 1.6;
  EXPECT_NEAR(find(scene).radius_mm, 4.1, 0.012);
  scene.depth_mm = 0.15;  // a dent of less than edge_depth_mm
  EXPECT_THAT(refusal_of(scene.frame()), HasSubstr("the surface has no gap there"));
}

TEST(FindHole, DropoutsAndDirtOnTheEdgeDoNotMoveIt) {
  Scene scene;
  const auto hole = disc(0.437, -0.318, 4.1), dirt = disc(4.4, 0.5, 0.6);
  scene.inside = [=](double x, double y) { return hole(x, y) || dirt(x, y); };
  scene.missing = 0.02;
  const HoleCandidate found = find(scene);
  // Dropouts at the edge push it outwards: 2 % of the edge by half a pitch and more, 1 um in the radius.
  EXPECT_NEAR(found.center_mm.y(), 50 + 0.437, 0.012);
  EXPECT_NEAR(found.radius_mm, 4.1, 0.013);
}

// 200 holes at any position between the pixels. The share inside k = 2 is 95.45 % with a standard deviation
// of 1.5 %: at least 89.5 %. u must not be too large either, or the probe is kept out: a normal error lies
// within a quarter of u in 20 % of the cases, in 40 % if u is twice too large.
TEST(FindHole, UncertaintyIsHonest) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> place(-0.5, 0.5);
  int inside[3] = {}, within_quarter[3] = {};
  constexpr int n = 200;
  for (int i = 0; i < n; ++i) {
    const double x = place(random), y = place(random), r = 4 + 0.5 * place(random);
    Scene scene;
    scene.inside = disc(x, y, r);
    scene.seed = static_cast<std::uint64_t>(i);
    const HoleCandidate hole = find(scene);
    const Eigen::Vector3d error = compared(hole) - Eigen::Vector3d(100 - y, 50 + x, r);
    for (int k = 0; k < 3; ++k) {
      inside[k] += std::abs(error[k]) <= 2 * hole.u_own_mm[k];
      within_quarter[k] += std::abs(error[k]) <= 0.25 * hole.u_own_mm[k];
    }
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_GE(inside[k], 0.895 * n) << k;
    EXPECT_LE(within_quarter[k], 0.4 * n) << k;
  }
}

// A wall at +x of the sensor, +y of the machine, hides the edge: the center is less certain in that
// direction.
TEST(FindHole, AnEdgeThatIsHiddenOnOneSideIsNoneAndWidensTheUncertaintyThere) {
  Scene scene;
  scene.inside = disc(0, 0, 4);
  scene.raised = [](double x, double y) { return x > 2.8 && std::hypot(x, y) >= 4 && x < 5; };
  HoleSearch s = search();
  s.least_coverage = 0.7;
  const auto hole = find_hole(scene.frame(), mounting(), nominal(), s);
  EXPECT_GT(hole.u_own_mm.y(), 1.05 * hole.u_own_mm.x());
  EXPECT_THAT(refusal_of(scene.frame()), HasSubstr("its edge is seen on 7"));
}

TEST(FindHole, SharedUncertaintyIsTheTransformsAndTheEdges) {
  Scene scene;
  scene.inside = disc(0, 0, 4);
  auto transform = mounting();
  transform.covariance.diagonal() << 0, 0, 0, 0.03 * 0.03, 0.04 * 0.04, 0;
  HoleSearch s = search();
  s.u_edge_mm = 0.1;
  const auto hole = find_hole(scene.frame(), transform, nominal(), s);
  EXPECT_NEAR(hole.u_shared_mm.x(), std::hypot(0.03, 0.05), 1e-12);
  EXPECT_NEAR(hole.u_shared_mm.y(), std::hypot(0.04, 0.05), 1e-12);
  EXPECT_NEAR(hole.u_shared_mm.z(), 0.1, 1e-12);
}

TEST(FindHole, WhatIsNoHoleOfItsNominalIsRefused) {
  Scene scene;
  EXPECT_EQ(refusal_of(scene.frame()),
            "hole: none of 4.000 +- 0.500 mm within 1.000 mm of its place; the surface has no gap there");
  scene.missing = 0.02;  // dropouts are no gap
  EXPECT_THAT(refusal_of(scene.frame()), HasSubstr("the surface has no gap there"));
  scene.missing = 0;
  scene.inside = disc(0, 0, 3.2);
  EXPECT_THAT(refusal_of(scene.frame()), HasSubstr("a circle of 3.2"));
  scene.inside = disc(1.5, 0, 4);
  EXPECT_THAT(refusal_of(scene.frame()), HasSubstr("1.5"));
  scene.inside = [](double x, double y) { return std::abs(x) < 3.7 && std::abs(y) < 3.7; };  // square
  EXPECT_THAT(refusal_of(scene.frame()), HasSubstr("a patch of "));
  scene.inside = [](double x, double y) { return std::hypot(x, y) < 4 && y < 1; };  // a part of a circle
  EXPECT_THAT(refusal_of(scene.frame()), HasSubstr("a patch of "));
  scene.inside = [](double x, double y) { return std::abs(y) < 4 && x > -4; };  // a slot that runs out
  EXPECT_THAT(refusal_of(scene.frame()), HasSubstr("runs out of the window"));
}

TEST(FindHole, BadFramesAndSettingsAreRefused) {
  Scene scene;
  scene.inside = disc(0, 0, 4);
  HeightFrame frame = scene.frame();
  HoleNominal far = nominal();
  for (const double off : {8, -8}) {
    far.center_mm = nominal().center_mm + Eigen::Vector3d(off, 0, 0);
    EXPECT_THAT(refusal_of(frame, far), HasSubstr("leave the snapshot of 240 x 200 pixels"));
    far.center_mm = nominal().center_mm + Eigen::Vector3d(0, off, 0);
    EXPECT_THAT(refusal_of(frame, far), HasSubstr("leave the snapshot of 240 x 200 pixels"));
  }
  HoleSearch s = search();
  s.edge_depth_mm = 0.04;
  EXPECT_EQ(refusal_of(frame, nominal(), s),
            "hole: edge_depth_mm = 0.04; allowed: 5 noise_sigma_mm and more");
  frame.delivered = Handedness::left;
  EXPECT_THAT(refusal_of(frame), HasSubstr("left-handed"));
  Scene steps;
  steps.inside = [](double x, double) { return x > 0; };
  steps.depth_mm = 1;
  EXPECT_THAT(refusal_of(steps.frame()), HasSubstr("hole: no surface around it"));
}

}  // namespace
}  // namespace datum::find_hole_test

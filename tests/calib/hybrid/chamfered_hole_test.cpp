// A chamfered hole: the scan fits the bore, and names the fitted rim.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "calib/hybrid/find_hole.h"
#include "tests/refusal.h"

namespace datum::chamfered_hole_test {
namespace {

using ::testing::HasSubstr;

constexpr double pitch_mm = 0.05, noise_mm = 0.005;

struct Chamfered {
  double x = 0, y = 0, radius_mm = 4, chamfer_mm = 0;  // of 45 degrees
  double bottom_mm = 0;                                // depth; 0: not visible to the sensor
  double unseen = 0;  // share of the circumference where the chamfer gives no height, about +x
  std::uint64_t seed = 1;

  /// Inclined by 0.022; 300 x 300 pixels about (0, 0).
  HeightFrame frame() const {
    HeightFrame f;
    f.rows = f.cols = 300;
    f.x = f.y = {pitch_mm, -7.5 + pitch_mm / 2};
    f.z = {1, 0};
    std::vector<float> z;
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, noise_mm);
    for (int row = 0; row < f.rows; ++row)
      for (int col = 0; col < f.cols; ++col) {
        // the bore is perpendicular to the surface: a point d below it appears d n_xy beside its foot
        const double px = f.x.at(col), py = f.y.at(row);
        double r = 0, below = 0;
        for (int i = 0; i < 4; ++i) {
          r = std::hypot(px - 0.02 * below - x, py + 0.01 * below - y);
          below = std::clamp(radius_mm + chamfer_mm - r, 0.0, chamfer_mm);
        }
        if (r < radius_mm) below = bottom_mm;
        const bool on_chamfer = r >= radius_mm && below > 0;
        const bool lost = (r < radius_mm && bottom_mm == 0) ||
                          (on_chamfer && std::abs(std::atan2(py - y, px - x)) <= unseen * M_PI);
        f.classes.push_back(lost ? PixelClass::no_data : PixelClass::ok);
        z.push_back(static_cast<float>(3 + 0.02 * px - 0.01 * py - below + noise(random)));
      }
    f.counts = z;
    return f;
  }
};

const HtmEstimate<Machine, Sensor> in_place{Htm<Machine, Sensor>(), Matrix6d::Zero()};

HoleCandidate find(const Chamfered& hole) {
  return find_hole(hole.frame(), in_place, {{0, 0, 3}, 4, 0.5, 0.7}, {noise_mm});
}

std::string refusal_of(const Chamfered& hole) {
  return testing::refusal_of<HoleRefused>([&] { find(hole); });
}

// Ten pixels of 0.05 mm plus one: at each width the bore is found within U, at any position between the
// pixels.
TEST(ChamferedHole, TheBoreIsFound) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> place(-0.3, 0.3);
  int outside = 0, tried = 0;
  for (const double chamfer : {0.06, 0.1, 0.2, 0.3, 0.4, 0.5})
    for (int i = 0; i < 10; ++i) {
      Chamfered hole{place(random), place(random), 4 + place(random), chamfer};
      hole.seed = static_cast<std::uint64_t>(i);
      if (i % 2) hole.bottom_mm = 1.6;
      HoleCandidate found;
      ASSERT_NO_THROW(found = find(hole)) << chamfer << ": " << refusal_of(hole);
      const Eigen::Vector3d off = compared(found) - Eigen::Vector3d(hole.x, hole.y, hole.radius_mm);
      for (int k = 0; k < 3; ++k) outside += std::abs(off[k]) > 2 * found.u_own_mm[k];
      tried += 3;
      EXPECT_LT(off.cwiseAbs().maxCoeff(), 0.01) << chamfer;
      if (chamfer < 0.1) continue;  // two pixels of 0 to 60 um depth: noise of 5 um hides half of them
      EXPECT_EQ(found.rim, HoleRim::bore) << chamfer;
      EXPECT_NEAR(found.chamfer_mm, chamfer, 1.5 * pitch_mm) << chamfer;
    }
  // 4.55 % lie outside k = 2, with a standard deviation of 1.6 % for 180: three of them give 9 %
  EXPECT_LE(outside, tried * 9 / 100);
}

TEST(ChamferedHole, WithoutAChamferTheRimIsTheSurfaces) {
  const HoleCandidate found = find({0.01, 0.02, 4.1});
  EXPECT_EQ(found.rim, HoleRim::surface);
  EXPECT_EQ(found.chamfer_mm, 0);
  EXPECT_NEAR(found.radius_mm, 4.1, 0.005);
}

/// Where the sensor does not resolve the chamfer, only its rim is visible: it is reported as the surface's,
/// never as the bore's.
TEST(ChamferedHole, AChamferThatIsNotSeenIsNotTakenForTheBore) {
  Chamfered hole{0, 0, 4, 0.4};
  hole.unseen = 1;
  const HoleCandidate found = find(hole);
  EXPECT_NEAR(found.radius_mm, 4.4, 0.01);
  EXPECT_EQ(found.rim, HoleRim::surface);
  EXPECT_THAT(words_of(found), HasSubstr("a chamfer that the sensor does not see"));
}

TEST(ChamferedHole, AChamferThatIsSeenInPartIsRefused) {
  for (const double unseen : {0.3, 0.5, 0.7}) {
    Chamfered hole{0, 0, 4, 0.4};
    hole.unseen = unseen;
    EXPECT_THAT(refusal_of(hole), ::testing::AnyOf(HasSubstr("two rims"), HasSubstr("points lie on one and"),
                                                   HasSubstr("its edge is seen on")))
        << unseen;
  }
}

}  // namespace
}  // namespace datum::chamfered_hole_test

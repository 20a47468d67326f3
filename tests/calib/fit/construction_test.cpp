#include "calib/fit/construction.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "tests/refusal.h"

namespace datum::construction_test {
namespace {

const Plane3 floor_plane{{100, 200, 10}, {0, 0, 2}};  // its normal does not have length 1
const Plane3 wall{{7, 0, 0}, {1, 0, 0}};
const Plane3 slope{{0, 3, 10}, Eigen::Vector3d(0, 1, 1).normalized()};
constexpr double rounding_mm = 1e-12;  // coordinates below 512 mm, a few operations

// daemon/inspection/METROLOGY.md, E6: the thesis' formulas need a normal of length 1.
TEST(Construction, ProjectsWithNormalsOfAnyLength) {
  EXPECT_EQ(distance_mm(floor_plane, {1, 2, 14}), 4);
  EXPECT_EQ(distance_mm(floor_plane, {1, 2, 7}), -3);
  EXPECT_EQ(projection({1, 2, 14}, floor_plane), Eigen::Vector3d(1, 2, 10));
  EXPECT_EQ(projection({4, 5, 6}, Line3{{0, 0, 6}, {3, 0, 0}}), Eigen::Vector3d(4, 0, 6));
  const Line3 down = projection(Line3{{1, 2, 14}, {1, 0, 5}}, floor_plane);
  EXPECT_EQ(down.point_mm, Eigen::Vector3d(1, 2, 10));
  EXPECT_EQ(down.direction, Eigen::Vector3d(1, 0, 0));
}

// METROLOGY.md, E7: a basic solution of the two equations can lie metres from the data.
TEST(Construction, IntersectionStaysNearTheData) {
  const Line3 line = intersection(wall, floor_plane);
  EXPECT_LT((line.direction - Eigen::Vector3d(0, -1, 0)).norm(), 1e-15) << "first normal x second normal";
  EXPECT_LT((line.point_mm - Eigen::Vector3d(7, 100, 10)).norm(), rounding_mm)
      << "nearest to the middle of the planes' points, (53.5, 100, 5)";
}

TEST(Construction, ObliquePlanesMeetOnBoth) {
  const Plane3 tilted{{50, -20, 80}, Eigen::Vector3d(0.3, -0.2, 0.9)};
  const Line3 line = intersection(slope, tilted);
  for (const double s : {-10.0, 0.0, 25.0}) {
    const Eigen::Vector3d p = line.point_mm + s * line.direction;
    EXPECT_NEAR(distance_mm(slope, p), 0, rounding_mm);
    EXPECT_NEAR(distance_mm(tilted, p), 0, rounding_mm);
  }
  const Eigen::Vector3d middle = (slope.point_mm + tilted.point_mm) / 2;
  EXPECT_NEAR(line.direction.dot(line.point_mm - middle), 0, rounding_mm);
}

TEST(Construction, ApexLiesOnAllThree) {
  const Eigen::Vector3d p = apex(floor_plane, wall, slope);
  EXPECT_LT((p - Eigen::Vector3d(7, 3, 10)).norm(), rounding_mm);
}

TEST(Construction, LinesMeetHalfWay) {
  const Line3 x{{5, 0, 1}, {2, 0, 0}}, y{{9, 9, 3}, {0, -1, 0}};
  EXPECT_LT((intersection(x, y) - Eigen::Vector3d(9, 0, 2)).norm(), rounding_mm);
  EXPECT_LT((intersection(y, x) - Eigen::Vector3d(9, 0, 2)).norm(), rounding_mm);
}

TEST(Construction, RefusesWhatIsNotDetermined) {
  const Plane3 nearly{{0, 0, 4}, {5e-4, 0, 1}};
  EXPECT_EQ(testing::refusal_of<FitRefused>([&] { intersection(floor_plane, nearly); }),
            "intersection of planes: they are parallel within 0.0005 rad (needs 0.001): their line is not "
            "determined");
  EXPECT_EQ(testing::refusal_of<FitRefused>([&] {
              apex(floor_plane, wall, {{1, 1, 1}, {1, 0, 1}});
            }),
            "apex of three planes: two are parallel or all three share a direction (volume of the normals 0, "
            "needs 0.001)");
  EXPECT_EQ(
      testing::refusal_of<FitRefused>([&] {
        projection(Line3{{0, 0, 0}, {0, 5e-4, 1}}, floor_plane);
      }),
      "projection of a line: it stands on the plane (0.0005 rad from its normal, needs 0.001): it has no "
      "direction in it");
  EXPECT_EQ(testing::refusal_of<FitRefused>([&] {
              intersection(Line3{{0, 0, 0}, {1, 0, 0}}, Line3{{0, 1, 0}, {1, 5e-4, 0}});
            }),
            "intersection of lines: they are parallel within 0.0005 rad (needs 0.001): their point is not "
            "determined");
  EXPECT_EQ(testing::refusal_of<FitRefused>([&] {
              distance_mm({{0, 0, 0}, {0, 0, 0}}, {1, 1, 1});
            }),
            "plane: its direction has no length");
}

}  // namespace
}  // namespace datum::construction_test

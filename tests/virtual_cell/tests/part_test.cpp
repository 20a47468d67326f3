// The virtual surface part is a closed solid with the sensor's correct view.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>

#include "tests/virtual_cell/virtual_part_cell.h"

namespace datum::part_test {
namespace {

using Eigen::Vector3d;

const std::filesystem::path config_folder = std::filesystem::path(DATUM_SOURCE_DIR) / "config";

using Key = std::array<double, 6>;
Key side_of(const Vector3d& a, const Vector3d& b) { return {a.x(), a.y(), a.z(), b.x(), b.y(), b.z()}; }

double volume_of(const std::vector<PartFacet>& facets) {
  double six = 0;
  for (const PartFacet& f : facets) six += f[0].dot(f[1].cross(f[2]));
  return six / 6;
}

/// Area of a polygon with n corners on a circle.
double disc(double radius, const PartRound& round) {
  double twice = 0;
  const int n = round.half_cells;
  for (int i = -n; i < n; ++i) {  // a quarter, and four of them
    const double a = std::atan2(i, n), b = std::atan2(i + 1, n);
    twice += radius * radius * std::sin(b - a);
  }
  return 4 * twice / 2;
}
double frustum(const PartRound& r) {
  return r.end_mm / 3 *
         (disc(r.radius_mm, r) + disc(r.end_radius_mm, r) +
          disc(std::sqrt(r.radius_mm * r.end_radius_mm), r));
}

TEST(Part, IsAClosedSolid) {
  for (const char* text : {"good", "dent=150,hole=0.15:-0.08"}) {
    const auto facets = part_facets({}, parse_defects(text));
    std::map<Key, int> sides;
    for (const PartFacet& f : facets)
      for (std::size_t k = 0; k < 3; ++k) ++sides[side_of(f[k], f[(k + 1) % 3])];
    for (const auto& [side, count] : sides) {
      EXPECT_EQ(count, 1);
      const auto other = sides.find({side[3], side[4], side[5], side[0], side[1], side[2]});
      ASSERT_NE(other, sides.end()) << text << ": " << ::testing::PrintToString(side);
    }
  }
}

TEST(Part, HasTheVolumeOfItsDrawing) {
  const PartShape s;
  // chamfers: a prism of 3 x 3 / 2 along every edge, less the common part of two at each corner, 3^3 / 3
  const double plate = 96 * 64 * 8 - 4.5 * 2 * (96 + 64) + 4 * 9 - 12 * 12 * 7;  // the pocket below
  const double blocks = 40 * 6 * 5 + 16 * 14 * 2;
  const double hole =
      frustum(s.hole) - disc(s.hole.end_radius_mm, s.hole) * 5;  // its countersink's end is below 0
  const double expected = plate + blocks + frustum(s.boss) + frustum(s.cone) + hole;
  EXPECT_NEAR(volume_of(part_facets(s, {})), expected, 1e-9 * expected);
  // a shifted hole has the same volume; a dent has 1/6 * sum over its nodes of the facets' base areas times
  // depth
  EXPECT_NEAR(volume_of(part_facets(s, parse_defects("hole=0.15:-0.08"))), expected, 1e-9 * expected);
  const double dent = expected - volume_of(part_facets(s, parse_defects("dent=150")));
  // flat to 2.5 mm, falling to 0 at 4.5 mm: its volume lies between the cylinders of both radii
  EXPECT_GT(dent, 0.15 * std::numbers::pi * 2.5 * 2.5);
  EXPECT_LT(dent, 0.15 * std::numbers::pi * 4.5 * 4.5);
}

TEST(Part, WordsAreRefusedWithWhatIsAllowed) {
  for (const char* text : {"dents=1", "dent=", "dent=x", "dent=1x", "hole=1", "hole=3:0", "hole=a:b",
                           "dent=1e9", "post=21", "post=-1"}) {
    try {
      parse_defects(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find('\''), std::string::npos) << e.what();
    }
  }
  EXPECT_EQ(parse_defects("dent=80,hole=-0.1:0.2").hole_shift_mm, Eigen::Vector2d(-0.1, 0.2));
}

TwinView view_of_plate() {
  TwinView v;
  v.rows = 64;
  v.cols = 96;
  v.x = {1, 0.5};  // pixels at the centres of grid cells
  v.y = {1, 0.5};
  return v;
}

TEST(Part, IsSeenFromAbove) {
  const TwinView view = view_of_plate();
  const TwinSurface seen =
      look_at(part_facets({}, parse_defects("dent=150")), Eigen::Matrix4d::Identity(), view);
  const auto at = [&](int col, int row) { return static_cast<std::size_t>(row) * view.cols + col; };
  for (const auto& [col, row, z] : std::vector<std::tuple<int, int, double>>{{5, 32, 0},      // plate
                                                                             {0, 32, -2.5},   // chamfer
                                                                             {60, 63, -2.5},  // another
                                                                             {50, 48, 5},     // rib
                                                                             {10, 50, 2},     // pad
                                                                             {24, 22, 4},     // boss
                                                                             {72, 22, 6},     // cone
                                                                             {60, 38, -0.15}}) {
    EXPECT_NEAR(seen.z_mm[at(col, row)], z, 1e-9) << col << " " << row;
    EXPECT_EQ(seen.classes[at(col, row)], PixelClass::ok);
  }
  // the cone's flank: height (9 - r) * 6/5 at distance r from its axis; chords of 88 lie below it by up to
  // 1e-3 of 9 mm
  EXPECT_NEAR(seen.z_mm[at(78, 22)], (9 - std::hypot(6.5, 0.5)) * 1.2, 0.02);
  EXPECT_EQ(seen.classes[at(48, 20)], PixelClass::no_data);  // through the hole
  const TwinSurface posted =
      look_at(part_facets({}, parse_defects("post=3")), Eigen::Matrix4d::Identity(), view);
  EXPECT_EQ(posted.z_mm[at(40, 45)], 0) << "beside it";
  TwinView fine = view;
  fine.x.offset_mm = fine.y.offset_mm = 0;
  EXPECT_NEAR(
      look_at(part_facets({}, parse_defects("post=3")), Eigen::Matrix4d::Identity(), fine).z_mm[at(40, 45)],
      3, 1e-9);
}

TEST(Part, SteepFacesAndShadowsGiveNoHeight) {
  TwinView view = view_of_plate();
  view.shadow_slope = 0.5;
  // rotated by 10 degrees about y: the rib's walls are visible at 80 degrees
  Eigen::Matrix4d tilted = Eigen::Matrix4d::Identity();
  tilted.topLeftCorner<3, 3>() =
      Eigen::AngleAxisd(10 * std::numbers::pi / 180, Vector3d::UnitY()).toRotationMatrix();
  const TwinSurface seen = look_at(part_facets({}, {}), tilted, view);
  std::map<PixelClass, int> in_row;
  for (int col = 66; col < 74; ++col) ++in_row[seen.classes[std::size_t{49} * view.cols + col]];
  EXPECT_GE(in_row[PixelClass::shadow] + in_row[PixelClass::no_data], 2);  // 5 mm high: 2.5 mm of shadow
  EXPECT_GE(in_row[PixelClass::ok], 3);
  view.shadow_slope = 0;
  const TwinSurface lit = look_at(part_facets({}, {}), tilted, view);
  EXPECT_EQ(std::count(lit.classes.begin(), lit.classes.end(), PixelClass::shadow), 0);
}

TEST(Part, SampleCellSeesThePlateInSevenSnapshots) {
  const VirtualPartCell cell =
      load_part_cell(config_folder / "twins/surface.toml", config_folder / "calibrations/demo.toml");
  ASSERT_EQ(cell.positions_mm.size(), 7u);
  VirtualPartCell coarse = cell;  // every tenth pixel each way
  coarse.view.rows = coarse.view.cols = 44;
  coarse.view.x.scale_mm = coarse.view.y.scale_mm = 1;
  coarse.sensor.noise = {};
  coarse.sensor.left_handed = false;
  const auto part = part_facets(cell.shape, {});
  std::vector<char> covered(std::size_t{96} * 64);
  for (std::size_t i = 0; i < 7; ++i) {
    const HeightFrame f = snapshot_of(coarse, part, {i, 1, i + 1, 0});
    const Eigen::Matrix4d part_from_sensor =
        cell.machine_from_part.inverse() * cell.calibration.at(cell.positions_mm[i]).matrix();
    for (int row = 0; row < f.rows; ++row)
      for (int col = 0; col < f.cols; ++col) {
        if (f.class_at(row, col) != PixelClass::ok) continue;
        const Vector3d p =
            (part_from_sensor * Vector3d(f.x.at(col), f.y.at(row), f.z_mm(row, col)).homogeneous()).head<3>();
        const int x = static_cast<int>(std::floor(p.x())), y = static_cast<int>(std::floor(p.y()));
        ASSERT_TRUE(x >= 0 && x < 96 && y >= 0 && y < 64) << p.transpose();
        covered[static_cast<std::size_t>(y) * 96 + x] = 1;
      }
  }
  // of 6144 cells the hole's 50 are not visible; the 1 mm grid misses some at steps
  EXPECT_GT(std::count(covered.begin(), covered.end(), 1), 0.95 * 6144);
}

}  // namespace
}  // namespace datum::part_test

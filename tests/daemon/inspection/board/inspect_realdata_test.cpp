// The core claim on a real height map: five identical parts on a carrier that sags by 300 um.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "config/toml_reader.h"
#include "daemon/inspection/board/pipeline.h"
#include "drivers/profile/sensor_profile_file.h"
#include "drivers/sensor/read_frame.h"
#include "tests/real_data.h"

namespace datum::inspect_realdata_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

const std::filesystem::path source{DATUM_SOURCE_DIR};

struct Pemtron {
  Recipe recipe = load_recipe(source / "config/recipes/pemtron-warpage.toml");
  SensorProfile sensor = config::load_sensor_profile(source / "config/sensors/pemtron.toml");
  HeightFrame frame = read_frame(datum::testing::real_data_folder() / "pemtron/board.ptr", sensor);
  InspectionInputs inputs() const {
    InspectionInputs in;
    in.recipe = &recipe;
    in.sensor = &sensor;
    return in;
  }
};

double spread(const std::vector<double>& v) {
  const auto [low, high] = std::minmax_element(v.begin(), v.end());
  return *high - *low;
}

double deviation(const std::vector<double>& v) {
  double mean = 0, sum = 0;
  for (double x : v) mean += x / static_cast<double>(v.size());
  for (double x : v) sum += (x - mean) * (x - mean);
  return std::sqrt(sum / static_cast<double>(v.size() - 1));
}

TEST(Pemtron, FiveEqualPartsAgreeOverTheirOwnFloors) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  const Pemtron p;
  const BoardVerdict v = inspect(p.frame, p.inputs(), cpu_backend());
  ASSERT_EQ(v.components.size(), 5u);
  std::vector<double> heights;
  for (const ComponentVerdict& c : v.components) {
    const CheckVerdict& check = c.checks.at(0);
    EXPECT_EQ(check.reason, Reason::none) << c.reference << ": " << check.detail;
    heights.push_back(check.value);
  }
  EXPECT_LE(spread(heights), 8);
  EXPECT_LE(deviation(heights), 3);
  // METROLOGY section 3: the same rings by an independent least-squares fit
  EXPECT_THAT(heights, ElementsAre(DoubleNear(1163.9, 0.3), DoubleNear(1162.1, 0.3), DoubleNear(1169.4, 0.3),
                                   DoubleNear(1164.9, 0.3), DoubleNear(1165.9, 0.3)));
}

TEST(Pemtron, OneGlobalPlaneWouldSpreadThemByTheSag) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  const Pemtron p;
  const BoardVerdict v = inspect(p.frame, p.inputs(), cpu_backend());
  // Least squares through the centres of all five floors, in um and mm: what a single reference plane would
  // be.
  Eigen::Matrix<double, 5, 3> places;
  Eigen::Matrix<double, 5, 1> tops;
  for (int i = 0; i < 5; ++i) {
    const ComponentVerdict& c = v.components[static_cast<std::size_t>(i)];
    const double die_mm = -4.68;  // centre of the left die from the package's, along x
    places.row(i) << 1, c.floor.centre_x_mm + die_mm, c.floor.centre_y_mm;
    tops[i] = c.floor.c_um + c.floor.a * die_mm * 1e3 + c.checks.at(0).value;
  }
  const HeightFrame& f = p.frame;
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  for (int row = 0; row < f.rows; row += 4) {
    for (int col = 0; col < f.cols; col += 4) {
      if (f.class_at(row, col) != PixelClass::ok) continue;
      const Eigen::Vector3d at(1, f.x.at(col), f.y.at(row));
      normal += at * at.transpose();
      right += at * (f.z_mm(row, col) * 1e3);
    }
  }
  const Eigen::Matrix<double, 5, 1> heights = tops - places * normal.ldlt().solve(right);
  EXPECT_GT(spread({heights.data(), heights.data() + 5}), 250);
}

/// The recipe with the carrier's own form asked for: 11 x 7 patches between the packages.
/// The board of the recipe is the sensor's view, so the margin leaves the carrier's part of it.
Recipe with_warp(const std::string& fallback) {
  std::ifstream file(source / "config/recipes/pemtron-warpage.toml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string package = "[package.two-die]\n";
  text.insert(text.find(package) + package.size(), "fallback = \"" + fallback + "\"\n");
  const std::string limit = "tolerance_um = 60";
  text.replace(text.find(limit), limit.size(), "tolerance_um = 120");  // what the surface is good for
  text += R"(
[warp]
margin_mm = 11
patch_mm = 3
max_curvature_um_per_mm2 = 1.0
max_gap_mm = 12
[[warp.check]]
characteristic = "bow"
upper_percent = 1.5
[[warp.check]]
characteristic = "twist"
upper_percent = 1.5
[[warp.check]]
characteristic = "peak_to_valley"
upper_um = 2000
[[warp.bare]]
centre_mm = [70.68, 47.1]
size_mm = [122, 74]
columns = 13
rows = 9
)";
  config::Problems problems;
  Recipe recipe = recipe_from_text(text, "pemtron-warpage.toml and [warp]", problems);
  problems.throw_first();
  return recipe;
}

void print_row(const ComponentVerdict& row) {
  for (const CheckVerdict& c : row.checks)
    std::printf("  %s %.4g +- %.2g %s\n", name_of(c.check.characteristic), c.value, 2 * c.u,
                unit_of(c.check.characteristic));
  std::printf("  %s; %zu knots, %u refused, leave-one-out %.1f um, condition %.2g\n", row.warp->shape.c_str(),
              row.warp->knots.size(), row.warp->refused, row.warp->leave_one_out_um, row.warp->condition);
}

TEST(Pemtron, TheCarriersSagIsItsBow) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  Pemtron p;
  p.recipe = with_warp("none");
  const BoardVerdict v = inspect(p.frame, p.inputs(), cpu_backend());
  ASSERT_EQ(v.components.size(), 6u);
  const ComponentVerdict& row = v.components[5];
  ASSERT_EQ(row.checks[0].reason, Reason::none) << row.checks[0].detail;
  print_row(row);
  // The carrier's heights span 2,000 um from their 1st to their 99th percentile, a good part of it a slope.
  EXPECT_GT(row.checks[0].value, 0.1);
  EXPECT_LT(row.checks[0].value, 1);
  EXPECT_EQ(row.checks[0].budget[0].name, "surface");
  EXPECT_LT(row.checks[0].budget[0].u, 0.03 * row.checks[0].value);
  EXPECT_EQ(row.checks[0].budget.back().name, "margin") << "11 mm that nobody looked at are most of U";
  EXPECT_GE(row.warp->knots.size(), 60u);
  EXPECT_EQ(row.warp->shape, "convex");
}

/// What stands half as high as the dies over the carrier, inside of the packages' outlines, beside the dies to be measured; their layout looks alike when turned.
Recipe with_alignment() {
  std::ifstream file(source / "config/recipes/pemtron-warpage.toml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text += R"(
[alignment]
max_shift_mm = 1.5
max_rotation_deg = 3.0
search_turned = false
[package.outline]
body_mm = [15.8, 12.45]
nominal_um = 1165
characteristic = "median"
tolerance_um = 900
)";
  const Recipe plain = load_recipe(source / "config/recipes/pemtron-warpage.toml");
  for (const Component& c : plain.components)
    text += fmt::format(
        "[[component]]\nreference = \"{0}-outline\"\npackage = \"outline\"\ncentre_mm = [{1}, {2}]\noverlaps "
        "= "
        "[\"{0}\"]\n",
        c.reference, c.floor_outline->centre_mm.x() - 0.17, c.floor_outline->centre_mm.y());
  config::Problems problems;
  Recipe recipe = recipe_from_text(text, "pemtron-warpage.toml and [alignment]", problems);
  problems.throw_first();
  return recipe;
}

/// The map turned about its middle and shifted: each pixel takes the heights around its place before, between four of them where they
/// lie within 50 um of each other, the nearest one where there is an edge.
HeightFrame turned(const HeightFrame& f, double deg, const Eigen::Vector2d& shift_px) {
  HeightFrame t = f;
  std::vector<float> counts(f.size(), 0);
  const double scale = f.z.scale_mm, c = std::cos(deg * M_PI / 180), s = std::sin(deg * M_PI / 180);
  const Eigen::Vector2d middle((f.cols - 1) / 2.0, (f.rows - 1) / 2.0);
  for (int row = 0; row < f.rows; ++row)
    for (int col = 0; col < f.cols; ++col) {
      const Eigen::Vector2d d = Eigen::Vector2d(col, row) - middle - shift_px,
                            at = middle + Eigen::Vector2d(c * d.x() + s * d.y(), c * d.y() - s * d.x());
      const std::size_t i = static_cast<std::size_t>(row) * f.cols + col;
      t.classes[i] = PixelClass::no_data;
      const int x = int(std::floor(at.x())), y = int(std::floor(at.y()));
      if (x < 0 || y < 0 || x + 1 >= f.cols || y + 1 >= f.rows) continue;
      const int near_x = int(std::lround(at.x())), near_y = int(std::lround(at.y()));
      t.classes[i] = f.class_at(near_y, near_x);
      double mm = f.z_mm(near_y, near_x), low = 1e9, high = -1e9, sum = 0;
      bool all = true;
      for (int k = 0; k < 4; ++k) {
        const int xx = x + k % 2, yy = y + k / 2;
        all = all && f.class_at(yy, xx) == PixelClass::ok;
        const double z = f.z_mm(yy, xx),
                     w = (k % 2 ? at.x() - x : x + 1 - at.x()) * (k / 2 ? at.y() - y : y + 1 - at.y());
        low = std::min(low, z), high = std::max(high, z), sum += w * z;
      }
      if (all && high - low < 0.05) mm = sum;
      counts[i] = static_cast<float>((mm - f.z.offset_mm) / scale);
    }
  t.counts = std::move(counts);
  return t;
}

double step_number(const BoardVerdict& v, const std::string& name) {
  for (const auto& [key, value] : v.stages.at(0).health)
    if (key == name) return value;
  return std::nan("");
}

/// The recipe's corners of the packages are whole pixels of 0.12 mm, so its own place is known to some 30 um alone; the maps are turned
/// against each other.
TEST(Pemtron, ItsPackagesAreFoundOnATurnedMap) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  Pemtron p;
  const BoardVerdict before = inspect(p.frame, p.inputs(), cpu_backend());
  p.recipe = with_alignment();
  const BoardVerdict still = inspect(p.frame, p.inputs(), cpu_backend());
  ASSERT_EQ(still.reason, Reason::none) << still.detail;
  for (const auto& [deg, shift] :
       {std::pair{0.5, Eigen::Vector2d(3.3, -4.7)}, {2.0, Eigen::Vector2d(-5.4, 2.6)}}) {
    const HeightFrame map = turned(p.frame, deg, shift);
    const BoardVerdict v = inspect(map, p.inputs(), cpu_backend());
    ASSERT_EQ(v.reason, Reason::none) << v.detail;
    const double u_turn = step_number(v, "u_rotation_mdeg"), u_x = step_number(v, "u_shift_x_um"),
                 u_y = step_number(v, "u_shift_y_um");
    const double off_turn = step_number(v, "rotation_mdeg") - step_number(still, "rotation_mdeg") - 1e3 * deg;
    // The recipe's board is the view, its middle half a pixel beside the map's: what was off is turned with it.
    const Eigen::Vector2d middle(70.68 - 0.12 * (p.frame.cols - 1) / 2, 47.1 - 0.12 * (p.frame.rows - 1) / 2),
        own(step_number(still, "shift_x_um") * 1e-3, step_number(still, "shift_y_um") * 1e-3);
    const Eigen::Vector2d expected =
        Eigen::Rotation2Dd(deg * M_PI / 180) * (middle + own) - middle + 0.12 * shift;
    const double off_x = step_number(v, "shift_x_um") - 1e3 * expected.x(),
                 off_y = step_number(v, "shift_y_um") - 1e3 * expected.y();
    std::printf("  %.1f deg: off [%.1f, %.1f] um %.1f mdeg, u %.1f %.1f %.1f, residual %.1f um\n", deg, off_x,
                off_y, off_turn, u_x, u_y, u_turn, step_number(v, "residual_um"));
    EXPECT_LE(std::abs(off_x), 2 * u_x);
    EXPECT_LE(std::abs(off_y), 2 * u_y);
    EXPECT_LE(std::abs(off_turn), 2 * u_turn);
    for (std::size_t i = 0; i < 5; ++i) {
      const CheckVerdict &a = before.components[i].checks.at(0), &b = v.components[i].checks.at(0);
      ASSERT_EQ(b.reason, Reason::none) << b.detail;
      std::printf("  %s %.1f, before %.1f, U %.1f um\n", v.components[i].reference.c_str(), b.value, a.value,
                  2 * b.u);
      EXPECT_NEAR(b.value, a.value, 2 * b.u) << v.components[i].reference;
      EXPECT_NEAR(b.value, a.value, 3) << "U is mostly the carrier's form, which turned with it";
    }
  }
}

TEST(Pemtron, TheSurfaceStandsInForARing) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  for (std::size_t hidden = 0; hidden < 5; ++hidden) {
    Pemtron p;
    p.recipe = with_warp("warp");
    const Component& c = p.recipe.components[hidden];
    const BoardRect& ring = *c.floor_outline;
    for (int row = 0; row < p.frame.rows; ++row)
      for (int col = 0; col < p.frame.cols; ++col) {
        const Eigen::Vector2d at(p.frame.x.at(col), p.frame.y.at(row));
        const Eigen::Vector2d off = (at - ring.centre_mm).cwiseAbs() - ring.size_mm / 2;
        if (off.maxCoeff() > 0 && off.maxCoeff() < 2)
          p.frame.classes[static_cast<std::size_t>(row) * p.frame.cols + col] = PixelClass::shadow;
      }
    const BoardVerdict v = inspect(p.frame, p.inputs(), cpu_backend());
    const CheckVerdict& check = v.components[hidden].checks[0];
    ASSERT_EQ(check.reason, Reason::none) << check.detail;
    ASSERT_TRUE(v.components[hidden].warp_floor);
    std::printf("  %s over the surface: %.1f +- %.1f um\n", c.reference.c_str(), check.value, 2 * check.u);
    EXPECT_LE(std::abs(check.value - 1165.1), 2 * check.u)
        << c.reference;  // the five parts' mean over their rings
  }
}

}  // namespace
}  // namespace datum::inspect_realdata_test

// The core claim on a real height map: five identical parts on a carrier that sags by 300 um.
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

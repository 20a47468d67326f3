// The core claim on a real height map: five identical parts on a carrier that sags by 300 um.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "config/sensor_profile_file.h"
#include "daemon/pipeline.h"
#include "drivers/sensor/read_frame.h"
#include "tests/real_data.h"

namespace datum {
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

}  // namespace
}  // namespace datum

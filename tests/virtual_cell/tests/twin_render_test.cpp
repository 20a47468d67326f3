#include "tests/virtual_cell/twin_render.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/virtual_cell/tests/twin_boards.h"
#include "tests/virtual_cell/twin_random.h"

namespace datum {
namespace {

using testing::small_board;
using testing::small_view;

TwinSensor noisy_sensor() {
  TwinSensor sensor;
  sensor.serial = "V1";
  sensor.noise.white_um = 3;
  sensor.noise.correlated_um = 1.5;
  sensor.noise.dropout_ratio = 0.01;
  sensor.noise.speckle_ratio = 0.005;
  sensor.noise.outlier_ratio = 0.002;
  return sensor;
}

const std::vector<std::int16_t>& counts_of(const HeightFrame& frame) {
  return std::get<std::vector<std::int16_t>>(frame.counts);
}

/// Noise of a flat board that fills the view, in um.
std::vector<double> flat_noise(const TwinNoise& noise, int rows, int cols, std::uint64_t seed) {
  TwinView view;
  view.rows = rows;
  view.cols = cols;
  view.x = view.y = {0.05, 0};
  const auto n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  const TwinSurface flat{std::vector<double>(n, 0.0), std::vector<PixelClass>(n, PixelClass::ok)};
  TwinSensor sensor;
  sensor.z.scale_mm = 1e-5;  // 10 nm counts, so that rounding does not contribute
  sensor.noise = noise;
  const HeightFrame frame = render(flat, view, sensor, seed);
  std::vector<double> um;
  for (std::int16_t count : counts_of(frame)) um.push_back(count * 0.01);
  return um;
}

double covariance(const std::vector<double>& um, int cols, int rows, int dx, int dy) {
  double sum = 0;
  for (int r = 0; r + dy < rows; ++r)
    for (int c = 0; c + dx < cols; ++c)
      sum +=
          um[static_cast<std::size_t>(r) * cols + c] * um[static_cast<std::size_t>(r + dy) * cols + c + dx];
  return sum / ((rows - dy) * (cols - dx));
}

TEST(TwinRender, SameSeedSameBytesOtherSeedOtherBytes) {
  const TwinView view = small_view();
  const TwinSurface surface = look_at(small_board(), view);
  const HeightFrame first = render(surface, view, noisy_sensor(), 7);
  const HeightFrame again = render(surface, view, noisy_sensor(), 7);
  const HeightFrame other = render(surface, view, noisy_sensor(), 8);
  EXPECT_EQ(first.counts, again.counts);
  EXPECT_EQ(first.classes, again.classes);
  EXPECT_NE(first.counts, other.counts);
}

TEST(TwinRender, WithoutNoiseCountsAreTheSurfaceRounded) {
  const TwinView view = small_view();
  const TwinSurface surface = look_at(small_board(), view);
  TwinSensor sensor;
  sensor.z = {0.00025, -1};
  const HeightFrame frame = render(surface, view, sensor, 1);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    ASSERT_EQ(frame.classes[i], surface.classes[i]);
    if (frame.classes[i] != PixelClass::ok) {
      ASSERT_EQ(counts_of(frame)[i], -32768);
    } else {
      ASSERT_NEAR(frame.z.at(counts_of(frame)[i]), surface.z_mm[i], 0.000125 + 1e-12);  // half a count
    }
  }
}

TEST(TwinRender, NoiseHasTheStatedSpreadAndAutocorrelation) {
  TwinNoise noise;
  noise.white_um = 3;
  noise.correlated_um = 2;
  noise.correlation_px = 5;
  constexpr int size = 600;
  const std::vector<double> um = flat_noise(noise, size, size, 3);
  // Variance 9 + 4; its standard error is below 13 sqrt(2 (1 + sum rho^2) / n) = 13 sqrt(2 * 3 / 360000) =
  // 0.054 with sum rho^2 = (4/13)^2 (sum of the squared pyramid, 11.6) = 1.1. Limits: 4 standard errors. At
  // lag k the pyramid leaves (5 - k) / 5 of the 4.
  EXPECT_NEAR(covariance(um, size, size, 0, 0), 13.0, 0.22);
  EXPECT_NEAR(covariance(um, size, size, 1, 0), 4 * 0.8, 0.22);
  EXPECT_NEAR(covariance(um, size, size, 0, 3), 4 * 0.4, 0.22);
  EXPECT_NEAR(covariance(um, size, size, 2, 2), 4 * 0.36, 0.22);
  EXPECT_NEAR(covariance(um, size, size, 5, 0), 0, 0.22);
  EXPECT_NEAR(covariance(um, size, size, 0, 5), 0, 0.22);
}

TEST(TwinRender, APixelsNoiseDoesNotDependOnTheFrameAroundIt) {
  TwinNoise noise;
  noise.white_um = 3;
  noise.correlated_um = 2;
  const std::vector<double> small = flat_noise(noise, 20, 30, 5), large = flat_noise(noise, 40, 70, 5);
  for (int r = 0; r < 20; ++r)
    for (int c = 0; c < 30; ++c)
      ASSERT_EQ(small[static_cast<std::size_t>(r * 30 + c)], large[static_cast<std::size_t>(r * 70 + c)]);
}

TEST(TwinRender, DropoutsSpeckleAndOutliersHaveTheirShare) {
  TwinNoise noise;
  noise.outlier_ratio = 0.01;
  noise.outlier_um = 100;
  std::vector<double> um = flat_noise(noise, 500, 500, 11);
  const auto off = [&] {
    return std::count_if(um.begin(), um.end(), [](double v) { return std::abs(v) > 0.5; });
  };
  // 2500 of 250,000, of which 0.5 % stay within +-0.5 um; binomial sigma 50, four of them
  EXPECT_NEAR(static_cast<double>(off()), 2487, 200);
  noise = {};
  noise.speckle_ratio = 0.02;
  um = flat_noise(noise, 500, 500, 11);
  // 5000 less 1.7 % within +-0.5 um and about 2 % overlap; 617 blobs whose area has a standard deviation of 6
  // pixels: sigma 250
  EXPECT_NEAR(static_cast<double>(off()), 4820, 1000);
  noise = {};
  noise.dropout_ratio = 0.02;
  um = flat_noise(noise, 500, 500, 11);
  EXPECT_NEAR(static_cast<double>(std::count(um.begin(), um.end(), -327.68)), 4900, 1000);
}

TEST(TwinRender, SystematicErrorsOfScaleAndLinearityAreAsStated) {
  TwinView view;
  view.rows = 1;
  view.cols = 3;
  view.x = view.y = {0.05, 0};
  const TwinSurface steps{{0.0, 0.5, 1.0}, std::vector<PixelClass>(3, PixelClass::ok)};
  TwinSensor sensor;
  sensor.z.scale_mm = 5e-5;
  sensor.noise.scale_error_ppm = 1000;
  const auto scaled = counts_of(render(steps, view, sensor, 1));
  EXPECT_EQ(scaled, (std::vector<std::int16_t>{0, 10010, 20020}));
  sensor.noise = {};
  sensor.noise.linearity_um = 1;  // period 2 mm: -1 um at 0, 0 at a quarter, +1 um at half
  EXPECT_EQ(counts_of(render(steps, view, sensor, 1)), (std::vector<std::int16_t>{-20, 10000, 20020}));
}

TEST(TwinRender, ALeftHandedDeliveryMirroredOnceIsTheRightHandedFrame) {
  const TwinView view = small_view();
  const TwinSurface surface = look_at(small_board(), view);
  TwinSensor sensor = noisy_sensor();
  const HeightFrame right = render(surface, view, sensor, 7);
  sensor.left_handed = true;
  HeightFrame left = render(surface, view, sensor, 7);
  EXPECT_NE(left.counts, right.counts);
  EXPECT_EQ(left.delivered, Handedness::left);
  mirror_to_right_handed(left);
  EXPECT_EQ(left.counts, right.counts);
  EXPECT_EQ(left.classes, right.classes);
  EXPECT_NEAR(left.x.offset_mm, right.x.offset_mm, 1e-12);
}

TEST(TwinRender, RefusesWhatNoSensorIs) {
  const TwinView view = small_view();
  const TwinSurface surface = look_at(small_board(), view);
  const auto refused = [&](auto change) {
    TwinSensor sensor = noisy_sensor();
    change(sensor);
    EXPECT_THROW(render(surface, view, sensor, 1), std::invalid_argument);
  };
  refused([](TwinSensor& s) { s.noise.dropout_ratio = 0.5; });
  refused([](TwinSensor& s) { s.noise.white_um = -1; });
  refused([](TwinSensor& s) { s.noise.correlation_px = 0; });
  refused([](TwinSensor& s) { s.z.scale_mm = 0; });
  EXPECT_THROW(render(TwinSurface{}, view, noisy_sensor(), 1), std::invalid_argument);
}

TEST(TwinRandom, NormalHasUnitVarianceAndStreamsDiffer) {
  const TwinRandom random(1, TwinStream::white), other(1, TwinStream::speckle);
  double sum = 0, squares = 0;
  constexpr int n = 200000;
  for (std::uint64_t k = 0; k < n; ++k) {
    const double v = random.normal(k);
    sum += v;
    squares += v * v;
  }
  EXPECT_NEAR(sum / n, 0, 4 / std::sqrt(n));            // four standard errors
  EXPECT_NEAR(squares / n, 1, 4 * std::sqrt(2.0 / n));  // likewise
  EXPECT_NE(random.word(5), other.word(5));
}

}  // namespace
}  // namespace datum

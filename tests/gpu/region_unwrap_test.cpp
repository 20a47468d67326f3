// Columns from one image's phase: followed over a smooth surface, parted at walls, refused where they contradict themselves.
#include "gpu/fringe_phase/region_unwrap.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gpu/fourier_profilometry/fourier_profilometry.h"
#include "tests/gpu/fringe_scenes.h"

namespace datum {
namespace {

using namespace testing;
using Surface = std::function<double(double, double)>;

constexpr std::uint32_t width = 160, height = 60;
constexpr double projector_period = 14, camera_period = 16;

/// Columns of a surface that departs from the level one by `bump` px.
Surface over_level(const Surface& bump) {
  return [bump](double x, double y) { return projector_period / camera_period * x + bump(x, y); };
}

/// Of a function of column and row, at pixel i of rows of w.
template <class F>
auto at_pixel(const F& f, std::size_t i, std::uint32_t w) {
  const std::size_t row = i / w, col = i % w;
  return f(static_cast<double>(col), static_cast<double>(row));
}

struct Scene {
  std::vector<float> phase;
  std::vector<FringeClass> classes;
  FringeResult result{std::size_t{width} * height, false, true};
  RegionSettings settings;

  explicit Scene(const Surface& u)
      : phase(std::size_t{width} * height), classes(phase.size(), FringeClass::ok) {
    for (std::size_t i = 0; i < phase.size(); ++i) {
      const double turns = at_pixel(u, i, width) / projector_period;
      phase[i] = static_cast<float>(2 * M_PI * (turns - std::round(turns)));
    }
    settings.period_px = projector_period;
    settings.camera_period_px = camera_period;
    settings.row_gate_rad = static_cast<float>(2 * M_PI / (3 * camera_period));
  }
  RegionEvidence unwrap(const HeightModel* model = nullptr) {
    result.maps.height = model ? result.height.data() : nullptr;
    return unwrap_region({phase.data(), classes.data(), width, height}, settings, model, result.maps);
  }
};

/// A model whose middle lies on the level surface and whose range is many periods.
struct LevelModel {
  std::vector<HeightNode> nodes;
  HeightModel model;
  LevelModel() {
    model.cell_px = 16;
    model.columns = nodes_along(width, 16);
    model.rows = nodes_along(height, 16);
    for (std::uint32_t i = 0; i < model.columns * model.rows; ++i)
      nodes.push_back(
          {static_cast<float>(projector_period / camera_period * 16) * static_cast<float>(i % model.columns),
           0.02f,
           {0, 5000, 0, 0},
           0,
           0});
    model.nodes = nodes.data();
  }
};

// Below 14 px * 2e-7 turns of float and the rounding of the column itself.
constexpr double float_error = 1e-4;

TEST(RegionUnwrap, FollowsASurfaceOverManyPeriods) {
  const auto bump = [](double x, double y) { return 5 * std::sin(x / 20) + 0.8 * y - 24; };
  Scene scene(over_level(bump));
  for (std::size_t i = 0; i < 800; ++i) scene.classes[i * 11 + 5] = FringeClass::low_modulation;
  const LevelModel level;
  const RegionEvidence evidence = scene.unwrap(&level.model);
  EXPECT_EQ(evidence.kept, std::size_t{width} * height - 800);
  EXPECT_EQ(evidence.parted, 0u);
  EXPECT_EQ(evidence.contradictory, 0u);
  for (std::size_t i = 0; i < scene.phase.size(); ++i) {
    const std::size_t row = i / width, col = i % width;
    const double x = static_cast<double>(col), y = static_cast<double>(row);
    if (scene.classes[i] != FringeClass::ok) {
      ASSERT_EQ(scene.result.classes[i], FringeClass::low_modulation);
      ASSERT_EQ(scene.result.column[i], 0);
      continue;
    }
    ASSERT_EQ(scene.result.classes[i], FringeClass::ok);
    ASSERT_NEAR(static_cast<double>(scene.result.column[i]), over_level(bump)(x, y), float_error);
    // 5000 um over 50 px, counts of 0.01 um
    ASSERT_NEAR(scene.result.height[i], bump(x, y) * 1e4, 1e4 * float_error + 1);
  }
}

TEST(RegionUnwrap, LeavesOutWhatAWallParts) {
  const auto box = [](double x, double y) { return x >= 50 && x < 90 && y >= 20 && y < 40; };
  Scene scene(over_level([&](double x, double y) { return box(x, y) ? 4.0 : 0.0; }));
  const RegionEvidence evidence = scene.unwrap();
  EXPECT_EQ(evidence.parted, 40u * 20u);
  EXPECT_EQ(evidence.kept, width * height - 40u * 20u);
  for (std::size_t i = 0; i < scene.phase.size(); ++i)
    ASSERT_EQ(scene.result.classes[i], at_pixel(box, i, width) ? FringeClass::unwrap : FringeClass::ok);
}

TEST(RegionUnwrap, KeepsNothingThatLeadsBackAPeriodOff) {
  Scene scene(over_level(
      [](double x, double y) { return projector_period * std::atan2(y - 30.5, x - 80.5) / (2 * M_PI); }));
  for (std::size_t i = 0; i < scene.classes.size();
       ++i)  // rows on either side of the centre hang together by themselves
    if (i % width >= 70 && i % width < 91 && i / width >= 20 && i / width < 41)
      scene.classes[i] = FringeClass::low_modulation;
  const RegionEvidence evidence = scene.unwrap();
  EXPECT_EQ(evidence.contradictory, 1u);
  EXPECT_EQ(evidence.kept, 0u);
  EXPECT_EQ(scene.result.count(FringeClass::ok), 0u);
}

TEST(RegionUnwrap, DoesNotLinkRowsThatAreOfTwoMinds) {
  Scene scene(over_level(
      [](double x, double y) { return projector_period * std::atan2(y - 30.5, x - 80.5) / (2 * M_PI); }));
  scene.settings.row_gate_rad = 3;  // rows are whole; half of 30 says of 31 what the other half does not
  const RegionEvidence evidence = scene.unwrap();
  EXPECT_EQ(evidence.contradictory, 0u);
  EXPECT_EQ(evidence.kept, 31u * width);
  EXPECT_EQ(evidence.parted, 29u * width);
}

TEST(RegionUnwrap, HasNoHeightBeyondTheModel) {
  Scene scene(over_level([](double x, double) { return 0.5 * x - 40; }));
  scene.settings.row_gate_rad = 1;
  const LevelModel level;
  scene.unwrap(&level.model);
  EXPECT_EQ(scene.result.count(FringeClass::out_of_range), 0u);
  LevelModel narrow;
  for (HeightNode& node : narrow.nodes) node.per_px = 1.f / 30;
  scene.unwrap(&narrow.model);
  EXPECT_EQ(scene.result.classes[0], FringeClass::out_of_range);  // 40 px from the middle
  EXPECT_EQ(scene.result.height[0], INT32_MIN);
  EXPECT_EQ(scene.result.classes[80], FringeClass::ok);
}

TEST(RegionUnwrap, MakesColumnsOfASingleImage) {
  const std::uint32_t w = 512, h = 40;
  const auto bump = [](double x, double y) { return 3 * std::sin(x / 60) + 0.1 * y; };
  FringePattern one = three_periods(3);
  one.periods = 1;
  one.period_px[0] = projector_period;
  one.width_px = 600;
  const RawFringes<std::uint8_t> raw = render<std::uint8_t>(one, w, h, over_level(bump), 120, 100);
  FourierSettings settings;
  settings.period_px = camera_period;
  settings.camera_maximum = 255;
  const FourierProfilometry fourier(w, settings);
  std::vector<FourierClass> found(std::size_t{w} * h);
  std::vector<float> phase(found.size());
  fourier.demodulate({raw.samples[0].data(), SampleType::u8, w, h}, cpu_backend(1),
                     {found.data(), phase.data(), nullptr});
  std::vector<FringeClass> classes;
  for (const FourierClass c : found)
    classes.push_back(c == FourierClass::ok ? FringeClass::ok : FringeClass::low_modulation);
  RegionSettings region;
  region.period_px = projector_period;
  region.camera_period_px = camera_period;
  region.row_gate_rad = static_cast<float>(fourier.slope_limit_rad_per_px());
  FringeResult r(found.size(), false, false);
  const RegionEvidence evidence =
      unwrap_region({phase.data(), classes.data(), w, h}, region, nullptr, r.maps);
  EXPECT_GT(evidence.kept, std::size_t{w} * h * 8 / 10);
  EXPECT_EQ(evidence.parted, 0u);
  double low = 1e9, high = -1e9;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (r.classes[i] != FringeClass::ok) continue;
    const double off = static_cast<double>(r.column[i]) - at_pixel(over_level(bump), i, w);
    low = std::min(low, off);
    high = std::max(high, off);
  }
  // The order is unknown, so the offset is whole periods. The window's weight falls by a Hann window's curvature over the
  // bump's own frequency, 1 / 377 of a pixel beside a half width of 0.75 / 16: 3 px (pi / 2 * 0.057)^2 = 0.024 px; samples
  // rounded to 0.29 grey on B = 100 leave five times 0.003 rad, 0.03 px.
  EXPECT_LT(high - low, 2 * (0.024 + 0.03));
  EXPECT_NEAR((low + high) / 2, projector_period * std::round((low + high) / 2 / projector_period), 0.06);
}

TEST(RegionUnwrap, RefusesSettingsThatMeanNothing) {
  Scene scene(over_level([](double, double) { return 0.0; }));
  const RegionSettings good = scene.settings;
  const auto expect = [&](const std::function<void(RegionSettings&)>& change) {
    scene.settings = good;
    change(scene.settings);
    EXPECT_THROW(scene.unwrap(), std::invalid_argument);
  };
  expect([](auto& s) { s.period_px = 0; });
  expect([](auto& s) { s.camera_period_px = 1; });
  expect([](auto& s) { s.direction = 0; });
  expect([](auto& s) { s.zero_turns = 2; });
  expect([](auto& s) { s.row_gate_rad = 0; });
  expect([](auto& s) { s.column_gate_rad = 4; });
}

}  // namespace
}  // namespace datum

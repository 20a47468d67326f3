// Phase shifting, unwrapping, validity and heights on rendered fringes; bytes of the CPU's instruction sets.
#include "gpu/fringe_phase/fringe_phase.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gpu/fringe_phase/unwrap_plan.h"
#include "tests/gpu/fringe_scenes.h"

namespace datum {
namespace {

using namespace testing;

/// Rounding to whole grey values moves each sample by 0.5 at most, so each sum by 0.5 N and the phase by
/// 0.5 N / (N B / 2) = 1 / B rad: that times the longest period / 2 pi in px. Float adds 1e-4 px at 1280.
double column_error(const FringePattern& p, double modulation) {
  float longest = 0;
  for (std::uint32_t i = 0; i < p.periods; ++i) longest = std::max(longest, p.period_px[i]);
  return static_cast<double>(longest) / (2 * M_PI) / modulation + 1e-4;
}

/// Steps in height and a slope, over the whole projector but its edges.
double steps_and_slope(double x, double y) { return 20 + 9.3 * x + 0.37 * y + (y > 20 ? 111.3 : 0); }

void expect_columns(const FringePattern& p, const FringeResult& r, std::uint32_t width, double tolerance) {
  ASSERT_EQ(r.count(FringeClass::ok), r.classes.size());
  for (std::size_t i = 0; i < r.column.size(); ++i) {
    const std::size_t row = i / width, col = i % width;
    ASSERT_NEAR(static_cast<double>(r.column[i]),
                steps_and_slope(static_cast<double>(col), static_cast<double>(row)), tolerance)
        << i << " " << p.steps;
  }
}

TEST(FringePhase, FindsTheColumnForEveryNumberOfSteps) {
  for (std::uint32_t steps = fewest_steps; steps <= 16; ++steps) {
    const FringePattern p = three_periods(steps);
    RawFringes<std::uint8_t> raw = render<std::uint8_t>(p, 101, 40, steps_and_slope, 120, 100);
    expect_columns(p, demodulated(raw, p, limits_of_bytes(), nullptr, cpu_backend(2)), 101,
                   column_error(p, 100));
  }
}

TEST(FringePhase, FollowsThePatternsDirectionZeroAndOrder) {
  FringePattern p = three_periods(5);
  std::swap(p.period_px[0], p.period_px[2]);
  p.direction = -1;
  p.zero_turns = -0.25f;
  RawFringes<std::uint8_t> raw = render<std::uint8_t>(p, 101, 40, steps_and_slope, 120, 100);
  expect_columns(p, demodulated(raw, p, limits_of_bytes(), nullptr, cpu_backend(1)), 101,
                 column_error(p, 100));
}

TEST(FringePhase, UnwrapsByPeriodsThatGrowToo) {
  FringePattern p = three_periods(4);
  p.period_px[1] = 160;
  p.period_px[2] = 1400;
  RawFringes<std::uint16_t> raw = render<std::uint16_t>(p, 101, 40, steps_and_slope, 20000, 15000);
  FringeLimits limits = limits_of_bytes();
  limits.camera_maximum = 65535;
  // the mean is as good as the shortest period: the others weigh 1 / 130 and less, and deviate 10 and 90 times as much
  FringePattern shortest = p;
  shortest.periods = 1;
  expect_columns(p, demodulated(raw, p, limits, nullptr, cpu_backend(1)), 101,
                 2 * column_error(shortest, 15000));
}

TEST(FringePhase, GivesTheSameBytesOnEveryInstructionSet) {
  for (std::uint32_t steps = fewest_steps; steps <= 16; ++steps)
    for (const std::uint32_t width : {1u, 5u, 8u, 15u, 16u, 47u, 97u}) {
      FringePattern p = three_periods(steps);
      p.periods = 1 + steps % 3;
      if (p.periods == 1) p.period_px[0] = 1280;
      if (p.periods == 2) p.width_px = 200;
      RawFringes<std::uint8_t> raw = ragged_images<std::uint8_t>(p, width, 30, steps);
      FringeLimits limits = limits_of_bytes();
      const ModelScene scene(width, 30, steps % 2 ? 16 : 4);
      Backend backend = cpu_backend(2);
      backend.isa = Isa::scalar;
      const FringeResult expected = demodulated(raw, p, limits, &scene.model, backend);
      if (width == 97) {
        EXPECT_GT(expected.count(FringeClass::saturated), 0u);
        EXPECT_GT(expected.count(FringeClass::low_modulation), 0u);
        EXPECT_GT(expected.count(FringeClass::out_of_range), 0u);
        if (p.periods > 1) {
          EXPECT_GT(expected.count(FringeClass::unwrap), 0u);
        }
        EXPECT_GT(expected.count(FringeClass::ok), 0u);
      }
      for (const Isa isa : {Isa::avx2, Isa::avx512, Isa::neon}) {
        if (isa > best_isa() || (isa == Isa::neon) != (best_isa() == Isa::neon)) continue;
        backend.isa = isa;
        EXPECT_EQ(demodulated(raw, p, limits, &scene.model, backend).bytes(), expected.bytes())
            << name_of(isa) << " " << steps << " " << width;
      }
    }
}

}  // namespace
}  // namespace datum

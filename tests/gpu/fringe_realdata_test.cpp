// Real fringes: one scene in three periods of twelve steps, of which three, four and six are taken again.
#include <gtest/gtest.h>

#include <cstdio>
#include <numeric>

#include "drivers/sensor/raster.h"
#include "tests/gpu/fringe_scenes.h"
#include "tests/real_data.h"

namespace datum::fringe_realdata_test {
namespace {

using namespace testing;

constexpr std::uint32_t width = 640, height = 480, all_steps = 12;
constexpr std::size_t pixels = std::size_t{width} * height;

std::string file_of(std::uint32_t number) {
  char name[32];
  std::snprintf(name, sizeof name, "fringe/0%03uh.png", 100 + number);
  return name;
}

/// `steps` of the twelve of each of the periods [first, first + periods).
RawFringes<std::uint8_t> real_fringes(std::uint32_t steps, std::uint32_t first, std::uint32_t periods) {
  RawFringes<std::uint8_t> raw(width, height, periods * steps);
  for (std::uint32_t i = 0; i < periods; ++i)
    for (std::uint32_t k = 0; k < steps; ++k) {
      const auto file = real_data_folder() / file_of((first + i) * all_steps + k * all_steps / steps);
      raw.samples[i * steps + k] =
          std::get<std::vector<std::uint8_t>>(read_png(read_bytes(file, 1 << 20), file.string()).samples);
    }
  return raw;
}

/// The projector is 912 columns wide: what the fringes' columns reach to, 7 to 883, is within it.
FringePattern real_pattern(std::uint32_t steps) {
  FringePattern p = three_periods(steps);
  p.width_px = 912;
  return p;
}

FringeResult measured(std::uint32_t steps, const FringeLimits& limits) {
  RawFringes<std::uint8_t> raw = real_fringes(steps, 0, 3);
  return demodulated(raw, real_pattern(steps), limits, nullptr, cpu_backend(0));
}

/// Phase of one period in turns: its column within itself.
std::vector<float> phase_of(std::uint32_t steps, std::uint32_t period) {
  RawFringes<std::uint8_t> raw = real_fringes(steps, period, 1);
  FringePattern p = real_pattern(steps);
  p.periods = 1;
  p.period_px[0] = p.width_px = three_periods(steps).period_px[period];
  FringeLimits limits = limits_of_bytes();
  limits.min_modulation = 1e-3f;
  limits.agreement_px = 1e-6f;  // nothing is lost at the ends of the period
  std::vector<float> turns = demodulated(raw, p, limits, nullptr, cpu_backend(0)).column;
  for (float& t : turns) t /= p.width_px;
  return turns;
}

double rms_from_twelve_steps(std::uint32_t steps, const std::vector<FringeClass>& classes) {
  double square = 0;
  std::size_t n = 0;
  for (std::uint32_t period = 0; period < 3; ++period) {
    const std::vector<float> few = phase_of(steps, period), truth = phase_of(all_steps, period);
    double own = 0;
    std::size_t counted = 0;
    for (std::size_t i = 0; i < pixels; ++i) {
      if (classes[i] != FringeClass::ok) continue;
      const double apart = static_cast<double>(few[i]) - static_cast<double>(truth[i]);
      own += std::pow(2 * M_PI * (apart - std::round(apart)), 2);
      ++counted;
    }
    std::printf("%u steps, period %u: %.4f rad rms over %zu pixels\n", steps, period + 14,
                std::sqrt(own / static_cast<double>(counted)), counted);
    square += own;
    n += counted;
  }
  return std::sqrt(square / static_cast<double>(n));
}

// What remains are harmonics of the camera's and the projector's response: the second with three steps, the third with
// four, the fifth with six. Over all three periods; with three steps that of 14 px has 0.115 rad and that of 16 px 0.123.
TEST(RealFringes, FewerStepsFollowTheTwelve) {
  DATUM_NEED_REAL_DATA("fringe/0100h.png");
  const FringeResult truth = measured(all_steps, limits_of_bytes());
  EXPECT_LE(rms_from_twelve_steps(3, truth.classes), 0.12);
  EXPECT_LE(rms_from_twelve_steps(4, truth.classes), 0.04);
  EXPECT_LE(rms_from_twelve_steps(6, truth.classes), 0.014);
}

/// Of the pixels with modulation: how many are OK, and how many of these lie half a period or more off the twelve steps.
struct Orders {
  std::size_t modulated = 0, ok = 0, wrong = 0;
};

Orders orders_of(std::uint32_t steps, const FringeResult& truth) {
  const FringeResult few = measured(steps, limits_of_bytes());
  Orders o;
  for (std::size_t i = 0; i < pixels; ++i) {
    if (truth.classes[i] != FringeClass::ok) continue;
    ++o.modulated;
    if (few.classes[i] != FringeClass::ok) continue;
    ++o.ok;
    o.wrong += std::fabs(few.column[i] - truth.column[i]) >= 7;
  }
  std::printf("%u steps: %zu of %zu pixels OK, %zu of a wrong order\n", steps, o.ok, o.modulated, o.wrong);
  return o;
}

// Why a profile refuses three steps: most pixels are lost, and of those that stay 4.2 % agree on a wrong order. Four
// keep 94 %, and none is wrong.
TEST(RealFringes, ThreeStepsTakeWrongOrdersAndFourTakeNone) {
  DATUM_NEED_REAL_DATA("fringe/0100h.png");
  const FringeResult truth = measured(all_steps, limits_of_bytes());
  const Orders three = orders_of(3, truth), four = orders_of(4, truth);
  EXPECT_LT(three.ok, three.modulated / 2);
  EXPECT_GT(three.wrong, three.ok / 100);
  EXPECT_GT(four.ok, four.modulated / 100 * 90);
  EXPECT_EQ(four.wrong, 0u);
}

// Of the pixels with modulation, none is called good whose periods disagree by more than a pixel, and nearly all agree to
// a quarter.
TEST(RealFringes, PeriodsAgree) {
  DATUM_NEED_REAL_DATA("fringe/0100h.png");
  FringeLimits wide = limits_of_bytes();
  wide.agreement_px = 14.f / 16.f;  // 1 px between the shortest and the longest
  const FringeResult within_one = measured(all_steps, wide), usual = measured(all_steps, limits_of_bytes());
  const std::size_t modulated = pixels - usual.count(FringeClass::low_modulation);
  std::printf("%zu pixels with modulation; %zu agree to 1 px, %zu to 0.25 px\n", modulated,
              within_one.count(FringeClass::ok), usual.count(FringeClass::ok));
  EXPECT_EQ(usual.count(FringeClass::saturated), 0u);
  EXPECT_GE(within_one.count(FringeClass::ok),
            modulated / 1000 * 999);  // the rest are edges, where a pixel sees two surfaces
  EXPECT_GE(usual.count(FringeClass::ok), modulated / 100 * 99);
}

// Neighbours on a smooth surface: a wrong order would be a jump of 14 px.
TEST(RealFringes, ColumnsHaveNoJumpsOffTheEdges) {
  DATUM_NEED_REAL_DATA("fringe/0100h.png");
  const FringeResult r = measured(all_steps, limits_of_bytes());
  std::size_t pairs = 0, jumps = 0;
  for (std::size_t i = 0; i + 1 < pixels; ++i) {
    if ((i + 1) % width == 0 || r.classes[i] != FringeClass::ok || r.classes[i + 1] != FringeClass::ok)
      continue;
    ++pairs;
    jumps += std::fabs(r.column[i + 1] - r.column[i]) > 7;  // half a period
  }
  std::printf("%zu of %zu pairs of neighbours jump\n", jumps, pairs);
  EXPECT_LE(jumps, 2u * height);  // the box has two edges across each row
}

}  // namespace
}  // namespace datum::fringe_realdata_test

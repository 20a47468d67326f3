// Single-shot phases against fringes whose phase is known.
#include "gpu/fourier_profilometry/fourier_profilometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/gpu/fourier_scenes.h"

namespace datum {
namespace {

using namespace testing;

struct Errors {
  double mean = 0, rms = 0, largest = 0;
  std::size_t count = 0;
};
Errors errors(const FringeScene& scene, const FourierResult& r, std::uint32_t margin) {
  Errors e;
  for (std::uint32_t y = 0; y < scene.height; ++y)
    for (std::uint32_t x = margin; x + margin < scene.width; ++x) {
      const std::size_t at = std::size_t{y} * scene.width + x;
      if (r.classes[at] != FourierClass::ok) continue;
      const double d = std::remainder(static_cast<double>(r.phase_rad[at]) - scene.phase(x, y), 2 * pi);
      e.mean += d;
      e.rms += d * d;
      e.largest = std::max(e.largest, std::fabs(d));
      ++e.count;
    }
  e.mean /= static_cast<double>(e.count);
  e.rms = std::sqrt(e.rms / static_cast<double>(e.count));
  return e;
}

TEST(FourierProfilometry, FindsThePhaseOfACarrierWithRelief) {
  FringeScene scene;
  scene.width = 1024;
  scene.period_px = 16;  // a row holds whole periods: nothing leaks
  // In grey values of 16 bits, so that rounding them does not show: 0.3 / (80 * 256) rad.
  const FourierResult r = demodulated(fringes<std::uint16_t>(scene, 1, 256), scene.width,
                                      fourier_settings(16, 65535), cpu_backend(1));
  const Errors e = errors(scene, r, 0);
  EXPECT_EQ(e.count, (1024 - 2 * 22) * scene.height);
  // The relief of 1.5 rad makes sidebands of 1 bin each; the window weighs bins b from the carrier by
  // (1 + cos(pi b / 48)) / 2, that is (pi / 96)^2 b^2 off, and b^2 of the relief is at most 1.5^2 + 1.5 (its slope
  // squared and its curvature): 4e-3.
  EXPECT_LT(e.largest, 4e-3);
  EXPECT_LT(std::fabs(e.mean), 1e-4);  // the relief is symmetric about 0: no bias
  for (const std::size_t at : {std::size_t{500}, std::size_t{3 * 1024 + 200}})
    EXPECT_NEAR(r.modulation[at], 80 * 256, 0.01 * 80 * 256);
}

TEST(FourierProfilometry, NoiseBecomesWhatItPromises) {
  FringeScene scene;
  scene.width = 2048;
  scene.height = 64;
  scene.period_px = 16;
  scene.relief_rad = 0;
  scene.noise = 2;
  const FourierProfilometry made(scene.width, fourier_settings(16));
  const FourierResult r =
      demodulated(fringes<std::uint8_t>(scene, 2), scene.width, fourier_settings(16), cpu_backend(1));
  const Errors e = errors(scene, r, 0);
  // Rounding to whole grey values adds 1/12 to the variance. Values within the filter's reach are alike: 64 rows of 90
  // independent ones know a deviation to 1 / sqrt(2 * 5760), 1 %; four of these.
  const double expected = made.phase_noise_rad(std::sqrt(2.0 * 2.0 + 1.0 / 12), 80);
  EXPECT_NEAR(e.rms / expected, 1, 0.04);
  EXPECT_LT(std::fabs(e.mean), 4 * expected / std::sqrt(5760.0));
}

TEST(FourierProfilometry, CarriesOtherWidthsOn) {
  for (const std::uint32_t width : {300u, 1000u, 1280u}) {
    FringeScene scene;
    scene.width = width;
    const FourierProfilometry made(width, fourier_settings(scene.period_px));
    const FourierResult r = demodulated(fringes<std::uint8_t>(scene, 3), width,
                                        fourier_settings(scene.period_px), cpu_backend(1));
    // Five times the reach from an end its response is below 1 / (5 (1 - 25)): of a whole amplitude 8 mrad, and rounding 0.3 / 80.
    EXPECT_LT(errors(scene, r, 5 * made.reach_px()).largest, 0.02) << width;
    EXPECT_EQ(r.classes[made.reach_px() - 1], FourierClass::row_end);
    EXPECT_EQ(r.classes[made.reach_px()], FourierClass::ok);
    EXPECT_EQ(r.classes[width - made.reach_px()], FourierClass::row_end);
    EXPECT_EQ(r.classes[width - made.reach_px() - 1], FourierClass::ok);
    EXPECT_EQ(r.phase_rad[0], 0);
  }
}

TEST(FourierProfilometry, SaysWhatIsSaturatedAndWhatHasNoFringes) {
  FringeScene scene;
  scene.width = 1024;
  scene.height = 3;  // the last row has no partner
  std::vector<std::uint8_t> image = fringes<std::uint8_t>(scene, 4);
  image[1024 + 400] = 255;
  std::fill(image.begin() + 2048 + 600, image.begin() + 2048 + 1000, 120);
  const FourierSettings settings = fourier_settings(scene.period_px);
  const FourierResult r = demodulated(image, scene.width, settings, cpu_backend(1));
  const std::uint32_t reach = FourierProfilometry(1024, settings).reach_px();
  for (std::uint32_t x = 300; x < 500; ++x) {
    const bool near = x + reach >= 400 && x <= 400 + reach;
    EXPECT_EQ(r.classes[1024 + x], near ? FourierClass::saturated : FourierClass::ok) << x;
    EXPECT_EQ(r.classes[x], FourierClass::ok) << x;
    EXPECT_EQ(r.phase_rad[1024 + x] == 0, near) << x;
  }
  // Five times the reach inside the flat piece no tenth of the fringes' 80 is left.
  for (std::uint32_t x = 600 + 5 * reach; x < 1000 - 5 * reach; ++x)
    EXPECT_EQ(r.classes[2 * 1024 + x], FourierClass::low_modulation) << x;
}

TEST(FourierProfilometry, GivesTheSameBytesByEveryInstructionSetAndNumberOfThreads) {
  const Isa best = best_isa();
  for (const std::uint32_t width : {256u, 300u, 512u, 4096u}) {
    FringeScene scene;
    scene.width = width;
    scene.height = 37;  // a group of pairs and a bit, the last without a partner
    scene.noise = 3;
    std::vector<std::uint8_t> image = fringes<std::uint8_t>(scene, width);
    for (std::size_t i = 0; i < image.size(); i += 7919) image[i] = 255;
    const FourierSettings settings = fourier_settings(scene.period_px);
    Backend backend = cpu_backend(3);
    const FourierResult expected = demodulated(image, width, settings, backend);
    backend.threads = 1;
    for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512, Isa::neon}) {
      if (isa != Isa::scalar && isa != best && !(best == Isa::avx512 && isa == Isa::avx2)) continue;
      backend.isa = isa;
      EXPECT_TRUE(demodulated(image, width, settings, backend) == expected) << width << ' ' << name_of(isa);
    }
  }
}

TEST(FourierProfilometry, TakedaAndMutohsSlopeIsAThirdOfTheCarrier) {
  FourierSettings s = fourier_settings(12);
  EXPECT_DOUBLE_EQ(FourierProfilometry(1024, s).slope_limit_rad_per_px(), 2 * pi / 12 / 3);
  s.width = 0.25f;  // a narrower window is the limit
  EXPECT_DOUBLE_EQ(FourierProfilometry(1024, s).slope_limit_rad_per_px(), 2 * pi / 12 / 4);
}

TEST(FourierProfilometry, RefusesWhatMeansNothing) {
  const auto refused = [](std::uint32_t width, auto change) {
    FourierSettings s = fourier_settings(12);
    change(s);
    EXPECT_THROW(FourierProfilometry(width, s), std::invalid_argument);
  };
  refused(8, [](FourierSettings&) {});
  refused(8193, [](FourierSettings&) {});
  refused(1024, [](FourierSettings& s) { s.period_px = 3.4f; });  // 1.75 / 3.4 is above half
  refused(1024, [](FourierSettings& s) { s.period_px = NAN; });
  refused(1024, [](FourierSettings& s) { s.period_px = 800; });
  refused(1024, [](FourierSettings& s) { s.width = 1; });
  refused(1024, [](FourierSettings& s) { s.width = 0; });
  refused(1024, [](FourierSettings& s) { s.camera_maximum = 0; });
  refused(1024, [](FourierSettings& s) { s.min_modulation = 0; });
  refused(30, [](FourierSettings&) {});  // 16 px to each side
  const std::vector<std::uint8_t> image(1024);
  FourierResult r(1024);
  const FourierProfilometry made(512, fourier_settings(12));
  EXPECT_THROW(made.demodulate(image_of(image, 1024), cpu_backend(1), r.maps()), std::invalid_argument);
  EXPECT_THROW(made.demodulate(image_of(image, 512), cpu_backend(1), {}), std::invalid_argument);
}

}  // namespace
}  // namespace datum

// Shifts of a board's picture that are known.
#include "gpu/phase_correlation/correlator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "tests/gpu/correlation_scenes.h"

namespace datum {
namespace {

using namespace testing;

CorrelationSettings settings() {
  CorrelationSettings s;
  s.most_shift_px = 20;
  return s;
}

CorrelationShift found(std::uint32_t cols, std::uint32_t rows, double dx, double dy,
                       const CorrelationSettings& s, double noise = 0) {
  const auto reference = parts(cols, rows, 0, 0, 1), image = parts(cols, rows, dx, dy, 1, noise);
  return PhaseCorrelation(reference.data(), cols, rows, s).find(image.data(), cpu_backend(1));
}

TEST(PhaseCorrelation, FindsAShiftToATenthOfAPixel) {
  for (const auto& [dx, dy] : {std::pair{0.0, 0.0}, {7.0, -3.0}, {-5.5, 2.25}, {0.3, 12.4}, {-15.7, -9.1}})
    for (const auto& [cols, rows] : {std::pair{128u, 128u}, {256u, 128u}, {128u, 256u}}) {
      const CorrelationShift s = found(cols, rows, dx, dy, settings());
      EXPECT_EQ(s.kind, CorrelationClass::ok) << dx << ' ' << dy << ' ' << s.ratio;
      EXPECT_NEAR(s.x_px, dx, 0.1);
      EXPECT_NEAR(s.y_px, dy, 0.1);
    }
}

TEST(PhaseCorrelation, NoiseOfATenthOfThePartsIsBorne) {
  const CorrelationShift s = found(256, 256, 4.5, -6.25, settings(), 0.1);
  EXPECT_EQ(s.kind, CorrelationClass::ok) << s.ratio;
  EXPECT_NEAR(s.x_px, 4.5, 0.1);
  EXPECT_NEAR(s.y_px, -6.25, 0.1);
}

TEST(PhaseCorrelation, TheSameImageHasAPeakOfOne) {
  const CorrelationShift s = found(128, 128, 0, 0, settings());
  // All phases are 0 and the low-pass sums to 1, less the nine bins that say nothing: those of the Gaussian of 1 px hold
  // (sum of exp(-2 pi^2 f^2) at -1, 0, 1) / (128 / sqrt(2 pi))^2 = (3 / 51)^2.
  EXPECT_NEAR(s.peak, 1 - 9.0 / (51.06 * 51.06), 1e-4);
  EXPECT_EQ(s.x_px, 0);
  EXPECT_EQ(s.y_px, 0);
}

TEST(PhaseCorrelation, SaysWhatItCannotTell) {
  EXPECT_EQ(found(128, 128, 21, 0, settings()).kind, CorrelationClass::too_far);
  const auto reference = parts(128, 128, 0, 0, 1);
  const PhaseCorrelation made(reference.data(), 128, 128, settings());
  EXPECT_EQ(made.find(std::vector<float>(reference.size()).data(), cpu_backend(1)).kind,
            CorrelationClass::no_peak);
  // Nothing but what a constant's transform was rounded to.
  EXPECT_EQ(made.find(std::vector<float>(reference.size(), 3).data(), cpu_backend(1)).kind,
            CorrelationClass::ambiguous);
  // Two boards in one picture, 17 px apart: both peaks are as high.
  auto both = parts(128, 128, -8, 0, 1);
  const auto other = parts(128, 128, 9, 0, 1);
  for (std::size_t i = 0; i < both.size(); ++i) both[i] += other[i];
  EXPECT_EQ(made.find(both.data(), cpu_backend(1)).kind, CorrelationClass::ambiguous);
  // Another board.
  EXPECT_EQ(made.find(parts(128, 128, 0, 0, 2).data(), cpu_backend(1)).kind, CorrelationClass::ambiguous);
}

TEST(PhaseCorrelation, GivesTheSameBytesByEveryInstructionSetAndNumberOfThreads) {
  const auto reference = parts(256, 64, 0, 0, 3), image = parts(256, 64, 3.3, -2.2, 3, 0.05);
  const PhaseCorrelation made(reference.data(), 256, 64, settings());
  Backend backend = cpu_backend(3);
  const CorrelationShift expected = made.find(image.data(), backend);
  const Isa best = backend.isa;
  backend.threads = 1;
  for (const Isa isa : {Isa::scalar, Isa::avx2, best}) {
    if (isa == Isa::avx2 && best != Isa::avx512) continue;
    backend.isa = isa;
    const CorrelationShift s = made.find(image.data(), backend);
    EXPECT_EQ(s.kind, expected.kind);
    for (const auto& [a, b] : {std::pair{s.x_px, expected.x_px},
                               {s.y_px, expected.y_px},
                               {s.peak, expected.peak},
                               {s.ratio, expected.ratio}})
      EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0) << name_of(isa);
  }
}

TEST(PhaseCorrelation, ALastReferenceIsTakenForNoOther) {
  CpuCorrelator correlator(cpu_backend(1));
  const auto a = parts(128, 64, 0, 0, 1), b = parts(128, 64, 0, 0, 2), image = parts(128, 64, 4, 2, 1);
  const auto find = [&](const std::vector<float>& reference, const CorrelationSettings& s,
                        std::uint32_t cols) {
    const auto rows = static_cast<std::uint32_t>(reference.size()) / cols;
    const CorrelationShift got = correlator.find({reference.data(), image.data(), cols, rows}, s);
    const CorrelationShift alone =
        PhaseCorrelation(reference.data(), cols, rows, s).find(image.data(), cpu_backend(1));
    EXPECT_EQ(got.kind, alone.kind);
    EXPECT_EQ(got.x_px, alone.x_px);
    EXPECT_EQ(got.peak, alone.peak);
    EXPECT_EQ(got.ratio, alone.ratio);
  };
  CorrelationSettings nearer = settings(), softer = settings();
  nearer.most_shift_px = 3;
  softer.smoothing_px = 2;
  for (int i = 0; i < 2; ++i) {
    find(a, settings(), 128);
    find(b, settings(), 128);
    find(a, nearer, 128);
    find(a, softer, 128);
    find(a, softer, 64);
  }
}

TEST(PhaseCorrelation, RefusesWhatMeansNothing) {
  auto reference = parts(128, 64, 0, 0, 1);
  const auto refused = [&](std::uint32_t cols, std::uint32_t rows, auto change) {
    CorrelationSettings s = settings();
    change(s);
    EXPECT_THROW(PhaseCorrelation(reference.data(), cols, rows, s), std::invalid_argument);
  };
  refused(100, 64, [](CorrelationSettings&) {});
  refused(128, 8, [](CorrelationSettings&) {});
  refused(128, 64, [](CorrelationSettings& s) { s.most_shift_px = 32; });
  refused(128, 64, [](CorrelationSettings& s) { s.most_shift_px = 0; });
  refused(128, 64, [](CorrelationSettings& s) { s.least_ratio = 0.9f; });
  refused(128, 64, [](CorrelationSettings& s) { s.smoothing_px = 0; });
  const PhaseCorrelation made(reference.data(), 128, 64, settings());
  reference[77] = NAN;
  refused(128, 64, [](CorrelationSettings&) {});
  EXPECT_THROW(made.find(reference.data(), cpu_backend(1)), std::invalid_argument);
}

}  // namespace
}  // namespace datum

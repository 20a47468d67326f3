// The arithmetic by itself, and the alternation that ends in a fixed point.
#include "gpu/plane_fit/plane_fit_math.h"

#include <random>

#include "gpu/core/wide.h"
#include "gpu/plane_fit/plane_fit_table.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "gpu/plane_fit/plane_fit_refine.h"
#include "tests/gpu/plane_fit_scene.h"

namespace datum {
namespace {

using namespace plane_math;
using namespace testing;

TEST(PlaneMath, HypothesesNeededIsEquationTwoOfThePaper) {
  for (const double p : {0.5, 0.999, 1 - 1e-9}) {
    for (const std::uint32_t inliers : {100u, 300u, 500u, 700u, 900u, 999u}) {
      const double w = inliers / 1000.0, exact = std::log(1 - p) / std::log(1 - w * w * w);
      if (std::fabs(exact - std::round(exact)) < 1e-6) continue;  // a tie that rounding may tell either way
      EXPECT_EQ(hypotheses_needed(inliers, 1000, p, 1 << 20), static_cast<int>(std::ceil(exact)))
          << w << " " << p;
    }
  }
  EXPECT_EQ(hypotheses_needed(500, 1000, 0.999, 512), 52);
  EXPECT_EQ(hypotheses_needed(500, 1000, 0.999, 40), 40);
  EXPECT_EQ(hypotheses_needed(0, 1000, 0.999, 512), 512);
  EXPECT_EQ(hypotheses_needed(-7, 1000, 0.999, 512), 512);
  EXPECT_EQ(hypotheses_needed(1000, 1000, 0.999, 512), 1);
}

TEST(PlaneMath, KeysOfALatticeAreUniform) {
  constexpr std::size_t bins = 256;
  for (const std::uint32_t seed : {0u, 1u, 0xDEADBEEFu}) {
    for (const double pitch : {2.0, 20.0, 0.12}) {
      std::array<double, bins> top{}, low{};
      for (int row = -100; row < 100; ++row) {
        for (int col = -100; col < 100; ++col) {
          const std::uint32_t key = point_key(bits_of(static_cast<float>(pitch * col)),
                                              bits_of(static_cast<float>(pitch * row)), seed, seed * 3);
          ++top[key >> 24], ++low[key & 255];
        }
      }
      // Chi square with 255 degrees of freedom: mean 255, s = sqrt(510) = 22.6. 18 values are drawn: 5 s.
      for (const auto& histogram : {top, low}) {
        double chi = 0;
        for (const double n : histogram) chi += (n - 40000. / bins) * (n - 40000. / bins) / (40000. / bins);
        EXPECT_LT(chi, 255 + 5 * 22.6) << "pitch " << pitch << " seed " << seed;
      }
    }
  }
}

TEST(PlaneMath, QuantisingScaleIsAPowerOfTwoThatFits) {
  for (const float bound : {1e-12f, 0.1f, 1.f, 8191.f, 8192.f, 1234.5f, 1e12f}) {
    const float scale = quantising_scale(bound);
    int exponent = 0;
    EXPECT_EQ(std::frexp(scale, &exponent), 0.5f);
    EXPECT_LE(bound * scale, quantised_max);
    EXPECT_GT(bound * scale, quantised_max / 2.0f - 1);
  }
}

TEST(PlaneMath, ThroughThreePointsMeetsThem) {
  const Point p{-150, 20, 7}, q{90, -80, -3}, s{10, 130, 40};
  const Hypothesis h = through(p, q, s, 1, 2, true);
  for (const Point& v : {p, q, s}) EXPECT_NEAR(double(h.a) * v.x + double(h.b) * v.y + h.c, v.z, 1e-4);
  EXPECT_NEAR(h.reach, 2 * std::sqrt(1 + double(h.a) * h.a + double(h.b) * h.b), 1e-6);
  EXPECT_EQ(through(p, q, s, 1, 2, false).reach, 2);
  EXPECT_LT(through(p, p, s, 1, 2, false).reach, 0);                      // two points
  EXPECT_LT(through(p, {0, 0, 1}, {150, -20, 9}, 1, 2, false).reach, 0);  // three on a line
  EXPECT_LT(through({0, 0, 3e38f}, q, s, 1, 2, false).reach, 0);          // a height that no plane has
}

struct Fixture {
  Scene scene = paper_scene({-0.1, 0.1, 3}, 0.7, 11);
  std::vector<float> memory = std::vector<float>(3 * (scene.x.size() + simd_padding));
  Refined run(const Plane& start, int limit = max_refits) {
    const std::size_t room = scene.x.size() + simd_padding;
    const Cloud cloud{scene.x.data(), scene.y.data(), scene.z.data(), scene.x.size()};
    const PointList band{memory.data(), memory.data() + room, memory.data() + 2 * room, 0};
    return refine(plane_kernels(best_isa()), cloud, start, 1, FitRegion{200, 200, true}, band, limit);
  }
};

TEST(Refine, EndsInTheSameFixedPointFromAnywhereNear) {
  Fixture f;
  const Refined near = f.run({-0.1, 0.1, 3});
  ASSERT_TRUE(near.fixed_point);
  for (const Plane& start : {Plane{-0.102, 0.1, 3.2}, Plane{-0.1, 0.098, 2.7}, Plane{-0.1015, 0.1015, 3}}) {
    const Refined r = f.run(start);
    EXPECT_TRUE(r.fixed_point);
    EXPECT_GT(r.refits, 1);
    EXPECT_EQ(r.moments.n, near.moments.n);
    EXPECT_LE(corner_error(r.plane, {near.plane.a, near.plane.b, near.plane.c}, 200, 200),
              2 * std::sqrt(7.) * 1.125 * 1.01 / 8192);
  }
}

TEST(Refine, SaysWhenTheLimitCameFirst) {
  Fixture f;
  const Refined r = f.run({-0.102, 0.1, 3.2}, 1);
  EXPECT_TRUE(r.spans);
  EXPECT_FALSE(r.fixed_point);
  EXPECT_EQ(r.refits, 1);
  EXPECT_FALSE(f.run({0, 0, 1e6}).spans);
}

TEST(HypothesesTable, SaysWhatTheLoopSays) {
  for (const double p : {0.5, 0.999, 1 - 1e-9}) {
    const std::vector<double> table = hypotheses_table(p, 300);
    Random random(1);
    for (int i = 0; i < 20000; ++i) {
      const auto inliers = static_cast<std::int64_t>(random.between(-5, 1024));
      const double w = inliers > 0 ? static_cast<double>(inliers) / 1024 : 0, miss = 1 - w * w * w;
      int k = 1;
      while (k < 300 && !(miss <= table[static_cast<std::size_t>(k - 1)])) ++k;
      ASSERT_EQ(k, plane_math::hypotheses_needed(inliers, 1024, p, 300)) << inliers;
    }
  }
}

/// The device's way to round 128-bit integers against the compiler's.
TEST(Wide, RoundsAsTheCompilerDoes) {
  __extension__ using Int128 = __int128;
  std::mt19937_64 engine(5);
  const auto expect = [](Int128 v) {
    ASSERT_EQ(double_of(static_cast<std::int64_t>(v >> 64), static_cast<std::uint64_t>(v)),
              static_cast<double>(v));
  };
  for (int i = 0; i < 200000; ++i) {
    Int128 v = static_cast<Int128>(engine()) << 64 | engine();
    v >>= engine() % 127;
    expect(v);
    expect(-v);
    const int shift = static_cast<int>(54 + engine() % 70);  // ties and their neighbours
    const Int128 tie = ((static_cast<Int128>(engine() >> 11 | 1) << 1) | 1) << (shift - 54);
    for (int d = -1; d <= 1; ++d) expect(tie + d);
  }
}

}  // namespace
}  // namespace datum

// The arithmetic by itself, and the alternation that ends in a fixed point.
#include "gpu/plane_fit/plane_fit_math.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "gpu/core/wide.h"
#include "gpu/plane_fit/hypotheses.h"
#include "gpu/plane_fit/local_optimization.h"
#include "gpu/plane_fit/refinement_cpu.h"
#include "gpu/plane_fit/sampling.h"
#include "gpu/plane_fit/stopping_table.h"
#include "tests/gpu/plane_fit_scene.h"

namespace datum {
namespace {

using namespace plane_math;
using namespace testing;

TEST(PlaneMath, HypothesesNeededIsEquationTwoOfThePaper) {
  for (const double p : {0.5, 0.999, 1 - 1e-9}) {
    for (const std::uint32_t inliers : {100u, 300u, 500u, 700u, 900u, 999u}) {
      const double w = inliers / 1000.0, exact = std::log(1 - p) / std::log(1 - w * w * w);
      if (std::fabs(exact - std::round(exact)) < 1e-6)
        continue;  // a tie, which rounding may decide either way
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
      // Chi square with 255 degrees of freedom: mean 255, s = sqrt(510) = 22.6. 18 values are sampled: 5 s.
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
  EXPECT_NEAR(h.z_threshold, 2 * std::sqrt(1 + double(h.a) * h.a + double(h.b) * h.b), 1e-6);
  EXPECT_EQ(through(p, q, s, 1, 2, false).z_threshold, 2);
  EXPECT_LT(through(p, p, s, 1, 2, false).z_threshold, 0);                      // two points
  EXPECT_LT(through(p, {0, 0, 1}, {150, -20, 9}, 1, 2, false).z_threshold, 0);  // three on a line
  EXPECT_LT(through({0, 0, 3e38f}, q, s, 1, 2, false).z_threshold, 0);          // a height that no plane has
}

struct Fixture {
  Scene scene = paper_scene({-0.1, 0.1, 3}, 0.7, 11);
  std::vector<float> memory = std::vector<float>(3 * (scene.x.size() + simd_padding));
  Refined run(const Plane& start, int limit = max_refits) {
    const std::size_t room = scene.x.size() + simd_padding;
    const Cloud cloud{scene.x.data(), scene.y.data(), scene.z.data(), scene.x.size()};
    const PointList boundary{memory.data(), memory.data() + room, memory.data() + 2 * room, 0};
    return refine(plane_kernels(best_isa()), cloud, start, 1, FitRegion{200, 200, true}, boundary, limit);
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
              2 * std::sqrt(7.) * (1 + boundary_share) * 1.01 / 8192);
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

/// Points on whole numbers within +-511 and halves within +-255.5, which 11 bits hold as they are.
struct OptimizerFixture {
  static constexpr FitRegion region{512, 256, false};
  std::vector<float> x, y, z;
  int steps = 0;
  double moved = 0;  // by the last step, at a corner

  void add(double px, double py, double pz) {
    x.push_back(static_cast<float>(px));
    y.push_back(static_cast<float>(py));
    z.push_back(static_cast<float>(pz));
  }
  /// The i-th point of a sequence of which every piece fills the region evenly: Roberts' R2.
  void add_evenly(std::size_t i, double pz) {
    const auto place = [&](double step) {
      return std::round(1022 * std::fmod(0.5 + step * static_cast<double>(i), 1));
    };
    add(place(0.7548776662466927) - 511, (place(0.5698402909980532) - 511) / 2, pz);
  }
  Moments sums(const Base& base, Isa isa = best_isa()) const {
    std::vector<float> nothing(3 * simd_padding);
    PointList none{nothing.data(), nothing.data() + simd_padding, nothing.data() + 2 * simd_padding, 0};
    return plane_kernels(isa).accumulate(Cloud{x.data(), y.data(), z.data(), x.size()}, base, &none);
  }
  /// Says for each step how far it moved; the last base is left in *base.
  LocalOptimum run(const Plane& start, float threshold, Base* base) {
    LocalOptimizer optimizer(start, threshold, region);
    bool more = true;
    for (steps = 0; more; ++steps) {
      EXPECT_TRUE(steps == 0 || moved > threshold / 8) << "went on at step " << steps;
      *base = optimizer.base();
      more = optimizer.advance(sums(*base));
      if (!optimizer.result().spans) break;
      moved =
          corner_error(optimizer.result().plane, {base->a, base->b, base->c}, region.half_x, region.half_y);
    }
    return optimizer.result();
  }
  /// Least squares over the points within `threshold` of a plane, in long double, unrounded.
  TruePlane plane_near(const TruePlane& p, double threshold, double* weight = nullptr) const {
    Scene s;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::fabs(z[i] - (p.a * x[i] + p.b * y[i] + p.c)) < threshold) s.add(x[i], y[i], z[i], true);
    if (weight) *weight = corner_weight(s);
    return least_squares(s, [](std::size_t) { return true; });
  }
  /// Sum of the weights' sizes with which points decide about the least-squares plane at the corner where it is largest.
  static double corner_weight(const Scene& s) {
    double most = 0;
    for (const double side : {-1., 1.}) {
      // The weight of a point at the corner: n^-1 (1, x, y) of the inverse of the mean of (1, x, y)' (1, x, y).
      const double n = static_cast<double>(s.x.size());
      double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
      for (std::size_t i = 0; i < s.x.size(); ++i) mx += s.x[i] / n, my += s.y[i] / n;
      for (std::size_t i = 0; i < s.x.size(); ++i) {
        const double u = s.x[i] - mx, v = s.y[i] - my;
        xx += u * u / n, xy += u * v / n, yy += v * v / n;
      }
      for (const double end : {-1., 1.}) {
        const double u = end * region.half_x - mx, v = side * region.half_y - my, det = xx * yy - xy * xy;
        double sum = 0;
        for (std::size_t i = 0; i < s.x.size(); ++i)
          sum +=
              std::fabs(1 + ((u * yy - v * xy) * (s.x[i] - mx) + (v * xx - u * xy) * (s.y[i] - my)) / det) /
              n;
        most = std::max(most, sum);
      }
    }
    return most;
  }
};

// Inliers within half a threshold, all others beyond one and a half: any plane within half a threshold of the floor has
// the same inliers, so the second step ends where the alternation does, but for rounding: half a step of 11 bits for each
// residual, and three roundings of floats below 64.
TEST(LocalOptimizer, EndsAtTheLeastSquaresPlaneOfItsInliers) {
  for (const float threshold : {0.75f, 1.f, 1.9f}) {
    OptimizerFixture f;
    Random random(3);
    const TruePlane floor{0.02, -0.03, 5};
    for (std::size_t i = 0; i < 1024; ++i) {
      const bool outlier = random.uniform() < 0.3;
      const double side = random.uniform() < 0.5 ? -1 : 1;
      f.add_evenly(i, 0);
      f.z.back() =
          static_cast<float>(floor.a * f.x.back() + floor.b * f.y.back() + floor.c +
                             threshold * side * (outlier ? random.between(1.5, 10) : random.between(0, 0.5)));
    }
    Base base{};
    const LocalOptimum end =
        f.run({floor.a + 0.1 * threshold / 512, floor.b - 0.1 * threshold / 256, floor.c + 0.2 * threshold},
              threshold, &base);
    ASSERT_TRUE(end.spans);
    EXPECT_EQ(f.steps, 2);
    double weight = 0;
    const TruePlane expected = f.plane_near(floor, threshold, &weight);
    EXPECT_LE(corner_error(end.plane, expected, 512, 256), weight * (0.5 / base.scale_r + 3 * 64 * 0x1p-24));
    EXPECT_EQ(end.z_threshold, threshold);
    std::int64_t inliers = 0;
    for (std::size_t i = 0; i < f.x.size(); ++i)
      inliers += std::fabs(f.z[i] - (floor.a * f.x[i] + floor.b * f.y[i] + floor.c)) < threshold;
    EXPECT_EQ(end.inliers, inliers);
  }
}

// Where inliers thin out across the threshold t, with rho of them per unit of the residual there, a plane that is d off the
// fixed point comes back to q d, q = 2 rho t / n: of n inliers 2 rho d change sides, by 1 t each. Normal noise, t = 1.5 s:
// q = 3 phi(1.5) / (2 Phi(1.5) - 1) = 0.449. Their number scatters: q n d / t points of t / n each move the three terms of
// a plane by 1, sqrt(3) and sqrt(3) times sqrt(q d t / n), a corner by their sizes' sum: its mean square is
// 7 + (3 + 2 sqrt(3)) 4 / pi = 15.2 of q d t / n. The last step moves by m = t / 8 at most, from
// d = sqrt(m^2 + e^2) / (1 - q), to sqrt((q m)^2 + e^2) / (1 - q), both independent: with n = 887 d is 0.239 t, e 0.043 t
// and the end 0.128 t off, root mean square.
TEST(LocalOptimizer, EndsNearTheFixedPointOfThePointsDrawn) {
  double squares = 0;
  constexpr int scenes = 200;
  for (int seed = 0; seed < scenes; ++seed) {
    OptimizerFixture f;
    Random random(static_cast<std::uint64_t>(seed));
    for (std::size_t i = 0; i < 1024; ++i)
      f.add_evenly(i + 7 * static_cast<std::size_t>(seed), random.gauss());
    Base base{};
    const double tilt = random.between(-0.5, 0.5);
    const LocalOptimum end = f.run({tilt / 512, -tilt / 256, 0.7 * tilt}, 1.5f, &base);
    ASSERT_TRUE(end.spans);
    EXPECT_LT(f.steps, LocalOptimizer::limit);
    EXPECT_LE(f.moved, 1.5 / 8);
    TruePlane still{end.plane.a, end.plane.b, end.plane.c};
    for (int k = 0; k < 60; ++k) still = f.plane_near(still, 1.5);
    squares += std::pow(corner_error(end.plane, still, 512, 256) / 1.5, 2);
  }
  EXPECT_LE(std::sqrt(squares / scenes), 0.128);
  RecordProperty("rms_of_thresholds", std::to_string(std::sqrt(squares / scenes)));
}

// Twice as many points with each 1.39 thresholds upwards: the mean of a window of +-t lies (coth(1/2) - 2) t = 0.164 t
// above its middle, wherever it is, so each step climbs by more than an eighth; 16 of them stay below the top.
TEST(LocalOptimizer, GivesUpAfterItsLimit) {
  OptimizerFixture f;
  for (std::size_t i = 0; i < 1536; ++i) {
    const double share = (static_cast<double>(i) + 0.5) / 1536, low = std::exp(-0.5), high = std::exp(2.25);
    f.add_evenly(i * 619 % 1536, 2 * std::log(low + share * (high - low)));
  }
  Base base{};
  const LocalOptimum end = f.run({0, 0, 0}, 1, &base);
  EXPECT_TRUE(end.spans);
  EXPECT_EQ(f.steps, 16);
  EXPECT_EQ(f.steps, LocalOptimizer::limit);
  EXPECT_GT(f.moved, 1. / 8);
}

TEST(LocalOptimizer, SaysWhenItsInliersSpanNoPlane) {
  Base base{};
  OptimizerFixture none, line, strip;
  for (int i = -500; i < 500; ++i) {
    line.add(i, i / 2., 0);
    strip.add(i, i % 2 ? 0.5 : -0.5, 0);  // a step of 11 bits either way; two are just enough
  }
  OptimizerFixture wider = strip;
  for (float& y : wider.y) y *= 2;
  EXPECT_FALSE(none.run({0, 0, 0}, 1, &base).spans);
  EXPECT_FALSE(line.run({0, 0, 0}, 1, &base).spans);
  EXPECT_FALSE(line.run({0, 0, 40}, 1, &base).spans);
  EXPECT_TRUE(wider.run({0, 0, 0}, 1, &base).spans);
  EXPECT_FALSE(strip.run({0, 0, 0}, 1, &base).spans);
}

// 1536 points in the corners, as far above or below the plane as an inlier may be: the largest sums of 11 bits.
TEST(LocalOptimizer, LargestSumsFit32Bits) {
  constexpr std::int64_t n = max_sampled_points, edge = LocalOptimizer::most;
  for (const double x : {-1., 1.}) {
    for (const double y : {-1., 1.}) {
      for (const double r : {-1., 1.}) {
        OptimizerFixture f;
        for (std::int64_t i = 0; i < n; ++i) f.add(1023 * x, 1023 * y, std::nextafter(1023.f, 0.f) * r);
        const Base base = LocalOptimizer({0, 0, 0}, 1023, {1023, 1023, false}).base();
        const auto sum = [&](double sign) { return static_cast<std::int64_t>(sign) * n * edge; };
        const Moments expected{n,
                               sum(x),
                               sum(y),
                               sum(r),
                               n * edge * edge,
                               sum(x * y) * edge,
                               n * edge * edge,
                               sum(x * r) * edge,
                               sum(y * r) * edge,
                               n * edge * edge};
        EXPECT_LT(n * edge * edge, std::int64_t{1} << 31);
        for (const Isa isa : runnable_isas()) EXPECT_TRUE(f.sums(base, isa) == expected) << name_of(isa);
      }
    }
  }
}

TEST(StoppingTable, SaysWhatTheLoopSays) {
  for (const double p : {0.5, 0.999, 1 - 1e-9}) {
    const std::vector<double> table = stopping_table(p, 300);
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

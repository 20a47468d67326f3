#include "gpu/diffusion/diffusion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/gpu/diffusion_scenes.h"

namespace datum {
namespace {

using namespace testing;

constexpr double infinite = std::numeric_limits<double>::infinity();

DiffusionSettings fixed(Conduction conduction, double kappa, double lambda, std::uint32_t iterations) {
  return {conduction, KappaRule::fixed, kappa, lambda, iterations};
}

const DiffusionGrid grids[] = {{37, 21, 9}, {16, 5, 4},  {17, 4, 3}, {1, 7, 33}, {33, 1, 7},
                               {64, 37, 2}, {37, 91, 1}, {91, 1, 1}, {1, 91, 1}, {1, 1, 1}};

std::vector<Isa> isas() {
  std::vector<Isa> all{Isa::scalar};
  const Isa best = best_isa();
  if (best == Isa::avx512) all.push_back(Isa::avx2);
  if (best != Isa::scalar) all.push_back(best);
  return all;
}

TEST(Diffusion, GivesTheSameBytesOnAllLanesAndThreads) {
  std::uint64_t seed = 0;
  for (const DiffusionGrid& g : grids)
    for (const Conduction conduction : {Conduction::exponential, Conduction::rational})
      for (const KappaRule rule : {KappaRule::fixed, KappaRule::mean_gradient, KappaRule::robust})
        for (const unsigned holes : {0u, 100u}) {
          const Field f = random_field(g, ++seed, 1 << 28, holes);
          const DiffusionSettings s{conduction, rule, rule == KappaRule::fixed ? 1e8 : 0, 1.0 / 7, 3};
          Backend one;
          const Field expected = diffused(f, g, s, one);
          for (const Isa isa : isas())
            for (const unsigned threads : {1u, 3u}) {
              Backend b;
              b.isa = isa;
              b.threads = threads;
              EXPECT_EQ(diffused(f, g, s, b), expected)
                  << g.nx << ' ' << g.ny << ' ' << g.nz << ' ' << name_of(isa);
            }
        }
}

TEST(Diffusion, KeepsTheSumToTheLastDigit) {
  for (const DiffusionGrid& g : grids)
    for (const Conduction conduction : {Conduction::exponential, Conduction::rational}) {
      const Field f = random_field(g, g.nx, 1000000, 50);
      EXPECT_EQ(sum_of(diffused(f, g, fixed(conduction, 5e5, 1.0 / 6, 20))), sum_of(f));
    }
}

/// Every count differs from all of its neighbours by the whole range.
Field chequered(const DiffusionGrid& g, std::int32_t range) {
  Field f(g.size());
  for (std::size_t z = 0; z < g.nz; ++z)
    for (std::size_t y = 0; y < g.ny; ++y)
      for (std::size_t x = 0; x < g.nx; ++x) f[at(g, x, y, z)] = (x + y + z) % 2 ? range : -range;
  return f;
}

void expect_within_neighbours(const Field& f, const DiffusionGrid& g) {
  Field lowest = f, highest = f;
  for_each_face(g, [&](std::size_t a, std::size_t b) {
    if (f[a] == no_count_32 || f[b] == no_count_32) return;
    lowest[a] = std::min(lowest[a], f[b]);
    lowest[b] = std::min(lowest[b], f[a]);
    highest[a] = std::max(highest[a], f[b]);
    highest[b] = std::max(highest[b], f[a]);
  });
  const double limit = g.nz > 1 ? 1.0 / 6 : 1.0 / 4;
  const Field u = diffused(f, g, fixed(Conduction::exponential, infinite, limit, 1));
  for (std::size_t i = 0; i < u.size(); ++i) {
    ASSERT_GE(u[i], lowest[i]) << i;
    ASSERT_LE(u[i], highest[i]) << i;
  }
}

// At lambda's limit and with plain heat flow a scheme that rounds to the nearest passes the neighbours by a count.
TEST(Diffusion, LeavesEveryCountWithinItsNeighbours) {
  for (const DiffusionGrid& g : grids)
    for (const std::int32_t range : {3, 20, 1 << 29}) {
      expect_within_neighbours(random_field(g, g.ny, range, 20), g);
      expect_within_neighbours(chequered(g, range), g);
    }
}

TEST(Diffusion, IsTheSameInAMirrorAndUpsideDown) {
  const DiffusionGrid g{37, 21, 9};
  const DiffusionSettings s{Conduction::exponential, KappaRule::robust, 0, 1.0 / 7, 5};
  const Field f = random_field(g, 8, 1000000, 30);
  const auto mirror = [&](const Field& from, int axis) {
    Field to(from.size());
    for (std::size_t z = 0; z < g.nz; ++z)
      for (std::size_t y = 0; y < g.ny; ++y)
        for (std::size_t x = 0; x < g.nx; ++x)
          to[at(g, axis == 0 ? g.nx - 1 - x : x, axis == 1 ? g.ny - 1 - y : y,
                axis == 2 ? g.nz - 1 - z : z)] = from[at(g, x, y, z)];
    return to;
  };
  const auto negative = [](Field from) {
    for (auto& v : from) v = v == no_count_32 ? v : -v;
    return from;
  };
  const Field u = diffused(f, g, s);
  for (const int axis : {0, 1, 2}) EXPECT_EQ(diffused(mirror(f, axis), g, s), mirror(u, axis)) << axis;
  EXPECT_EQ(diffused(negative(f), g, s), negative(u));
}

TEST(Diffusion, DoesNotSeeWhereZeroIs) {
  const DiffusionGrid g{40, 30, 1};
  const DiffusionSettings s{Conduction::rational, KappaRule::robust, 0, 0.25, 5};
  Field f = random_field(g, 9, 100000), moved = f;
  for (auto& v : moved) v += 2000000000;
  Field expected = diffused(f, g, s);
  for (auto& v : expected) v += 2000000000;
  EXPECT_EQ(diffused(moved, g, s), expected);
}

// A count that steps to each neighbour with probability lambda has the variance 2 lambda along each axis after a step
// (heat kernel). 2^30 counts in one place, of which a truncation holds back less than one at each of 6 faces of at most
// 21^3 places in 10 steps: 6 * 9261 * 10 counts at a distance below 10 change the variance by less than 100 * 6 * 9261
// * 10 / 2^30 = 0.052; what is left over 1e-6 of lambda's rounding vanishes in it.
TEST(Diffusion, WithoutEdgesIsHeatFlow) {
  const DiffusionGrid g{31, 31, 31};
  Field f(g.size());
  f[at(g, 15, 15, 15)] = 1 << 30;
  const Field u = diffused(f, g, fixed(Conduction::rational, infinite, 0.125, 10));
  double variance[3] = {};
  for (std::size_t z = 0; z < g.nz; ++z)
    for (std::size_t y = 0; y < g.ny; ++y)
      for (std::size_t x = 0; x < g.nx; ++x) {
        const double v = u[at(g, x, y, z)] / 1073741824.0,
                     c[3] = {static_cast<double>(x) - 15, static_cast<double>(y) - 15,
                             static_cast<double>(z) - 15};
        for (int k = 0; k < 3; ++k) variance[k] += v * c[k] * c[k];
      }
  for (const double v : variance) EXPECT_NEAR(v, 2 * 0.125 * 10, 0.052);
}

// Truncation takes less than a count at each of 6 faces and the arithmetic 1e-6 of a flux, itself below lambda kappa / 2;
// an error passed on grows at most by 1 + 12 lambda 0.446 (the flux falls with d by 0.446 lambda at the steepest) to
// 1.77 in an iteration: (6 + 6e-6 * 5e5 / 14) * (1 + 1.77 + ... + 1.77^4) = 6.2 * 21.3 = 133 counts.
TEST(Diffusion, IsTheFormula) {
  const DiffusionGrid g{45, 43, 11};
  const Field f = random_field(g, 11, 3000000, 40);
  for (const Conduction conduction : {Conduction::exponential, Conduction::rational}) {
    const DiffusionSettings s = fixed(conduction, 5e5, 1.0 / 7, 5);
    const Field u = diffused(f, g, s);
    const std::vector<double> expected = in_double(f, g, s, s.kappa);
    double worst = 0, moved = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      if (f[i] == no_count_32) continue;
      worst = std::max(worst, std::abs(u[i] - expected[i]));
      moved = std::max(moved, std::abs(expected[i] - f[i]));
    }
    EXPECT_LT(worst, 133) << name_of(conduction);
    EXPECT_GT(moved, 1e5);
  }
}

// Between two counts alone: the truncation of one count, 1e-6 of the flux for the arithmetic.
TEST(Diffusion, PassesTheFluxOfTheFormula) {
  for (const Conduction conduction : {Conduction::exponential, Conduction::rational})
    for (const double kappa : {1.0, 1000.0, 4e7, 2e9})
      for (std::int64_t d = 1; d < INT32_MAX; d += 1 + d / 7) {
        const DiffusionSettings s = fixed(conduction, kappa, 0.2, 1);
        const Field f{-static_cast<std::int32_t>(d / 2), static_cast<std::int32_t>(d - d / 2)};
        const Field u = diffused(f, {2, 1, 1}, s, cpu_backend(1));
        const double expected = in_double(f, {2, 1, 1}, s, kappa)[0] - f[0];
        ASSERT_NEAR(u[0] - f[0], expected, 1 + 1e-6 * expected)
            << d << " over " << kappa << ", " << name_of(conduction);
      }
}

TEST(Diffusion, PassesNothingThroughMissingCounts) {
  const DiffusionGrid g{40, 20, 6};
  Field f = random_field(g, 12, 1000);
  for (std::size_t z = 0; z < g.nz; ++z)
    for (std::size_t y = 0; y < g.ny; ++y)
      for (std::size_t x = 0; x < g.nx; ++x) {
        if (x == 17) f[at(g, x, y, z)] = no_count_32;
        if (x > 17) f[at(g, x, y, z)] += 1000000;
      }
  const Field u = diffused(f, g, fixed(Conduction::exponential, infinite, 1.0 / 6, 50));
  std::int64_t before = 0, after = 0;
  for (std::size_t z = 0; z < g.nz; ++z)
    for (std::size_t y = 0; y < g.ny; ++y) {
      for (std::size_t x = 0; x < 17; ++x) {
        before += f[at(g, x, y, z)];
        after += u[at(g, x, y, z)];
      }
      EXPECT_EQ(u[at(g, 17, y, z)], no_count_32);
    }
  EXPECT_EQ(after, before);
}

TEST(Diffusion, LeavesAloneWhatHasNoCountOrNoDifference) {
  const DiffusionGrid g{20, 20, 1};
  Field spike(g.size());
  spike[30] = 1000;  // most differences are 0, and so is kappa
  for (const Conduction conduction : {Conduction::exponential, Conduction::rational})
    EXPECT_EQ(diffused(spike, g, {conduction, KappaRule::robust, 0, 0.25, 3}), spike);
  for (const KappaRule rule : {KappaRule::mean_gradient, KappaRule::robust})
    for (const std::int32_t value : {7, no_count_32}) {
      const Field f(g.size(), value);
      EXPECT_EQ(diffused(f, g, {Conduction::exponential, rule, 0, 0.25, 3}), f);
      EXPECT_EQ(diffused(f, g, {Conduction::rational, rule, 0, 0.25, 3}), f);
    }
}

}  // namespace
}  // namespace datum

// The LU factorisation: its bytes, LAPACK's conventions, what singular and infinite matrices come to.
#include "gpu/lu/lu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/gpu/lu_scenes.h"

namespace datum {
namespace {

using namespace testing;

std::vector<Backend> all_backends() {
  std::vector<Backend> backends{cpu_backend(1), cpu_backend(2)};
  for (const Isa isa : {Isa::scalar, Isa::avx2}) {
    if (isa == Isa::avx2 && best_isa() != Isa::avx512) continue;
    backends.push_back(cpu_backend(1));
    backends.back().isa = isa;
  }
  return backends;
}

template <class T>
class Lu : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Lu, Types);

TYPED_TEST(Lu, EveryBackendGivesTheBytesOfThePlainLoops) {
  for (const std::uint32_t n : lu_sizes()) {
    const auto a = n % 2 ? random_matrix<TypeParam>(n, n) : integer_matrix<TypeParam>(n, n);
    const std::string expected = plain_loops(a, n).bytes();
    for (const Backend& backend : all_backends())
      EXPECT_TRUE(factor_with(backend, a, n).bytes() == expected) << n << " " << describe(backend);
  }
}

TYPED_TEST(Lu, ManyMatricesGiveTheBytesOfEach) {
  const std::uint32_t n = 37, batch = 9;
  std::vector<TypeParam> all;
  for (unsigned i = 0; i < batch; ++i) {
    const auto a = random_matrix<TypeParam>(n, 100 + i);
    all.insert(all.end(), a.begin(), a.end());
  }
  std::vector<std::int32_t> pivots(std::size_t{n} * batch), info(batch);
  lu_factor_batch(all.data(), n, batch, pivots.data(), info.data(), cpu_backend(2));
  for (unsigned i = 0; i < batch; ++i) {
    const std::size_t from = std::size_t{i} * n;
    const Factored<TypeParam> one{{all.begin() + from * n, all.begin() + (from + n) * n},
                                  {pivots.begin() + from, pivots.begin() + from + n},
                                  info[i]};
    EXPECT_TRUE(one.bytes() == plain_loops(random_matrix<TypeParam>(n, 100 + i), n).bytes()) << i;
  }
}

TYPED_TEST(Lu, ColumnsMayBeFartherApart) {
  const std::uint32_t n = 50, leading = 61;
  const auto a = random_matrix<TypeParam>(n, 3);
  const auto expected = plain_loops(a, n);
  std::vector<TypeParam> wide(std::size_t{n} * leading, TypeParam{7});
  for (std::uint32_t j = 0; j < n; ++j)
    std::copy(a.begin() + j * n, a.begin() + (j + 1) * n, wide.begin() + j * leading);
  std::vector<std::int32_t> pivots(n);
  EXPECT_EQ(lu_factor(wide.data(), n, leading, pivots.data(), cpu_backend(1)), 0);
  EXPECT_EQ(pivots, expected.pivots);
  for (std::uint32_t j = 0; j < n; ++j) {
    EXPECT_TRUE(std::equal(expected.lu.begin() + j * n, expected.lu.begin() + (j + 1) * n,
                           wide.begin() + j * leading));
    for (std::uint32_t i = n; i < leading; ++i) EXPECT_EQ(wide[i + j * leading], TypeParam{7});
  }
}

// The HPL benchmark's test: ||Ax - b|| / (eps (||A|| ||x|| + ||b||) n) below 16, infinity norms. Taken without refinement.
TYPED_TEST(Lu, PassesTheHplResidual) {
  for (const std::uint32_t n : {10u, 100u, 300u}) {
    const auto a = random_matrix<TypeParam>(n, n);
    std::vector<TypeParam> b(n), x;
    for (std::uint32_t i = 0; i < n; ++i) b[i] = static_cast<TypeParam>(std::sin(i + 1.0));
    const LuSystem<TypeParam> system(a.data(), n, cpu_backend(1));
    x = b;
    system.solve_plain(x.data(), 1);
    long double worst = 0, size = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      long double r = b[i];
      for (std::uint32_t j = 0; j < n; ++j) r -= static_cast<long double>(a[i + j * n]) * x[j];
      worst = std::max(worst, std::fabs(r));
      size = std::max<long double>(size, std::fabs(x[i]));
    }
    const long double eps = std::numeric_limits<TypeParam>::epsilon() / 2;
    EXPECT_LT(worst / (eps * (system.health().norm_infinity * size + 1) * n), 16) << n;
  }
}

TYPED_TEST(Lu, TiesGoToTheLowestRow) {
  const std::vector<TypeParam> a{2, -2, 2, 1, 3, -3, 0, 1, 5};  // columns (2 -2 2), (1 3 -3), (0 1 5)
  const auto f = factor_with(cpu_backend(1), a, 3);
  EXPECT_EQ(f.pivots,
            (std::vector<std::int32_t>{1, 2, 3}));  // after the first step the second column is 4, -4
  EXPECT_EQ(f.lu, (std::vector<TypeParam>{2, -1, 1, 1, 4, -1, 0, 1, 6}));
}

TYPED_TEST(Lu, WilkinsonsMatrixGrowsWithoutBound) {
  const std::uint32_t n = 20;
  const auto a = wilkinson_matrix<TypeParam>(n);
  const LuSystem<TypeParam> system(a.data(), n, cpu_backend(1));
  EXPECT_EQ(system.status(), LuStatus::ok);
  EXPECT_EQ(system.health().growth, std::ldexp(1.0, n - 1));
}

TYPED_TEST(Lu, ASingularMatrixSaysWhichPivotIsZero) {
  for (const std::uint32_t n : {5u, 40u, 90u}) {
    auto a = integer_matrix<TypeParam>(n, n);
    for (std::uint32_t i = 0; i < n; ++i) a[i + 3 * n] = 2 * a[i];  // the fourth column is twice the first
    for (const Backend& backend : all_backends()) {
      const auto f = factor_with(backend, a, n);
      EXPECT_EQ(f.info, 4) << n;
      EXPECT_TRUE(f.bytes() == plain_loops(a, n).bytes()) << n;
    }
    const LuSystem<TypeParam> system(a.data(), n, cpu_backend(1));
    EXPECT_EQ(system.status(), LuStatus::singular);
    EXPECT_EQ(system.health().condition, std::numeric_limits<double>::infinity());
    std::vector<TypeParam> x(n, TypeParam{1}), y(n);
    EXPECT_THROW(system.solve(x.data(), y.data()), std::logic_error);
    EXPECT_THROW(system.solve_plain(x.data(), 1), std::logic_error);
  }
}

TYPED_TEST(Lu, TheFirstOfSeveralZeroPivotsIsNamed) {
  for (const std::uint32_t n : {3u, 20u, 300u})
    for (const Backend& backend : all_backends()) {
      auto a = random_matrix<TypeParam>(n, n);
      for (const std::uint32_t column : {1u, n - 1})
        for (std::uint32_t i = 0; i < n; ++i) a[i + column * n] = 0;
      const auto f = factor_with(backend, a, n);
      EXPECT_EQ(f.info, 2);
      EXPECT_TRUE(f.bytes() == plain_loops(a, n).bytes()) << n;
    }
}

TYPED_TEST(Lu, WhatIsNotFiniteIsNeverSilent) {
  const std::uint32_t n = 40;
  const TypeParam infinite = std::numeric_limits<TypeParam>::infinity();
  for (const TypeParam bad : {infinite, -infinite, std::numeric_limits<TypeParam>::quiet_NaN()})
    for (const std::uint32_t row : {0u, 17u, 39u})
      for (const std::uint32_t column : {0u, 9u, 39u})
        for (const Backend& backend : all_backends()) {
          auto a = random_matrix<TypeParam>(n, 5);
          a[row + column * n] = bad;
          const auto f = factor_with(backend, a, n);
          EXPECT_EQ(f.info, -static_cast<std::int32_t>(column + 1)) << row << " " << column;
          for (const TypeParam v : f.lu) EXPECT_TRUE(std::isnan(v));
          for (std::uint32_t k = 0; k < n; ++k) EXPECT_EQ(f.pivots[k], static_cast<std::int32_t>(k + 1));
        }
}

TYPED_TEST(Lu, AnOverflowIsSeenWhereItHappens) {
  // u_22 = big + big: beyond the largest number.
  const TypeParam big = std::numeric_limits<TypeParam>::max() / TypeParam{1.5};
  const std::vector<TypeParam> a{1, -1, big, big};
  EXPECT_EQ(factor_with(cpu_backend(1), a, 2).info, -2);
}

// Where 1 / pivot is subnormal or infinite the multipliers come from divisions.
TYPED_TEST(Lu, PivotsAtTheEndsOfTheRange) {
  const TypeParam tiny = std::numeric_limits<TypeParam>::denorm_min() * 3,
                  huge = std::numeric_limits<TypeParam>::max();
  const TypeParam edge =
      1 / std::numeric_limits<TypeParam>::min();  // 2^126, 2^1022: the reciprocal is the least normal number
  for (const TypeParam p : {tiny, huge, edge, edge * TypeParam{1.25}}) {
    const std::vector<TypeParam> a{p, p / 3, 0, 1};
    const auto f = factor_with(cpu_backend(1), a, 2);
    EXPECT_EQ(f.info, 0);
    EXPECT_EQ(f.lu[1], (p / 3) / p);
  }
}

TYPED_TEST(Lu, RefusesWhatMeansNothing) {
  std::vector<TypeParam> a(9, 1);
  std::vector<std::int32_t> pivots(3);
  EXPECT_THROW(lu_factor(a.data(), 3, 2, pivots.data(), cpu_backend(1)), std::invalid_argument);
  EXPECT_THROW(lu_factor<TypeParam>(nullptr, 3, 3, pivots.data(), cpu_backend(1)), std::invalid_argument);
  EXPECT_THROW(lu_factor(a.data(), 3, 3, nullptr, cpu_backend(1)), std::invalid_argument);
  EXPECT_EQ(lu_factor<TypeParam>(nullptr, 0, 0, nullptr, cpu_backend(1)), 0);
}

}  // namespace
}  // namespace datum

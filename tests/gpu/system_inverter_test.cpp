#include "gpu/lu/system_inverter.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/gpu/lu_scenes.h"

namespace datum::system_inverter_test {
namespace {

using testing::random_matrix;

struct Inverted {
  explicit Inverted(std::vector<double> matrix, std::uint32_t rows)
      : a(std::move(matrix)), factors(a.size()), inverse(a.size()), pivots(rows), n(rows) {
    info = invert_system(system(), cpu_backend(2));
  }
  SystemToInvert system() { return {a.data(), n, factors.data(), pivots.data(), inverse.data()}; }
  bool contradicted() { return contradicts(system(), info, cpu_backend(1)); }

  std::vector<double> a, factors, inverse;
  std::vector<std::int32_t> pivots;
  std::uint32_t n;
  std::int32_t info = 0;
};

TEST(SystemInverter, FactorsAndSolvesForTheIdentity) {
  for (const std::uint32_t n : {1u, 2u, 9u, 100u}) {
    Inverted found(random_matrix<double>(n, n), n);
    const auto f = testing::factor_with(cpu_backend(1), found.a, n);
    EXPECT_EQ(found.factors, f.lu);
    EXPECT_EQ(found.pivots, f.pivots);
    for (std::uint32_t j = 0; j < n; ++j) {
      std::vector<double> unit(n, 0);
      unit[j] = 1;
      const std::vector<double> x = testing::plain_solution(f, unit);
      EXPECT_TRUE(std::equal(x.begin(), x.end(), found.inverse.begin() + j * n)) << n << " " << j;
    }
    EXPECT_FALSE(found.contradicted()) << n;
  }
  EXPECT_EQ(invert_system({}, cpu_backend(1)), 0);
  EXPECT_THROW(invert_system({nullptr, 3, nullptr, nullptr, nullptr}, cpu_backend(1)), std::invalid_argument);
}

TEST(SystemInverter, WhatIsSingularOrNotFiniteIsNoContradiction) {
  const std::uint32_t n = 30;
  auto a = random_matrix<double>(n, 1);
  std::fill(a.begin() + 5 * n, a.begin() + 6 * n, 0.0);
  Inverted singular(a, n);
  EXPECT_EQ(singular.info, 6);
  EXPECT_FALSE(singular.contradicted());
  singular.info = 7;
  EXPECT_TRUE(singular.contradicted());
  a[3] = std::nan("");
  Inverted broken(a, n);
  EXPECT_EQ(broken.info, -1);
  EXPECT_FALSE(broken.contradicted());
  broken.factors[8] = 0;
  EXPECT_TRUE(broken.contradicted());
}

TEST(SystemInverter, SeesAnyElementOfBothFactorsThatIsWrong) {
  const std::uint32_t n = 20;
  Inverted good(random_matrix<double>(n, 2), n);
  for (std::size_t i = 0; i < good.factors.size(); ++i) {
    Inverted bad = good;
    bad.factors[i] *= 1 + 1e-9;
    EXPECT_TRUE(bad.contradicted()) << i;
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    Inverted bad = good;
    bad.inverse[n * (n - 1) + i] = 7;
    EXPECT_TRUE(bad.contradicted()) << i;
    for (const std::int32_t pivot : {0, -1, static_cast<std::int32_t>(n) + 1}) {
      bad = good;
      bad.pivots[i] = pivot;
      EXPECT_TRUE(bad.contradicted()) << i;
    }
  }
  for (const std::int32_t info : {-21, 21, 1, -1}) {
    good.info = info;
    EXPECT_TRUE(good.contradicted()) << info;
  }
}

}  // namespace
}  // namespace datum::system_inverter_test

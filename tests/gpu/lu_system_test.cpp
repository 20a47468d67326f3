// Solutions and what is said of them: refinement, backward error, condition.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/gpu/lu_scenes.h"

namespace datum {
namespace {

using namespace testing;

template <class T>
class LuSystemOf : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LuSystemOf, Types);

template <class T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& x, bool transposed = false) {
  const std::size_t n = x.size();
  std::vector<T> b(n, T{0});
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) b[transposed ? j : i] += a[i + j * n] * x[transposed ? i : j];
  return b;
}

/// Odd numbers: none is 0, so none can be off by less than the residual shows.
template <class T>
std::vector<T> small_integers(std::uint32_t n) {
  std::vector<T> x(n);
  for (std::uint32_t i = 0; i < n; ++i) x[i] = static_cast<T>(2 * static_cast<int>(i * 7 % 19) - 17);
  return x;
}

// Matrix, solution and right-hand side are small integers, so b is exact. Condition times precision is far below 1, so a
// correction from an exact residual has at least one right digit: the last one rounds x to the integers.
TYPED_TEST(LuSystemOf, RefinementReachesTheExactSolution) {
  for (const std::uint32_t n : {5u, 30u, 120u}) {
    const auto a = integer_matrix<TypeParam>(n, 77 + n);
    const auto x = small_integers<TypeParam>(n);
    const auto b = product(a, x);
    for (const Isa isa : {Isa::scalar, best_isa()}) {
      Backend backend = cpu_backend(1);
      backend.isa = isa;
      const LuSystem<TypeParam> system(a.data(), n, backend);
      ASSERT_EQ(system.status(), LuStatus::ok);
      std::vector<TypeParam> found(n);
      const LuAnswer answer = system.solve(b.data(), found.data());
      EXPECT_EQ(found, x) << n;
      EXPECT_EQ(answer.backward_error, 0) << n;
      EXPECT_LE(answer.refinements, 5u);
    }
  }
}

// A Hilbert matrix scaled to integers: the solutions are columns of the inverse, which are integers below 2^23 (n = 4) and
// 2^53. Products with what is not yet exact need more digits than T has; a residual without them would not get there.
TYPED_TEST(LuSystemOf, RefinementOfAnIllConditionedMatrix) {
  const std::uint32_t n = sizeof(TypeParam) == 4 ? 4 : 8;
  const TypeParam scale = sizeof(TypeParam) == 4 ? 420 : 360360;  // the least common multiple of 1 to 2 n - 1
  std::vector<TypeParam> a(std::size_t{n} * n);
  for (std::uint32_t j = 0; j < n; ++j)
    for (std::uint32_t i = 0; i < n; ++i) a[i + j * n] = scale / static_cast<TypeParam>(i + j + 1);
  const LuSystem<TypeParam> system(a.data(), n, cpu_backend(1));
  for (std::uint32_t j = 0; j < n; ++j) {
    std::vector<TypeParam> b(n, TypeParam{0}), x(n);
    b[j] = scale;
    EXPECT_EQ(system.solve(b.data(), x.data()).backward_error, 0);
    for (const TypeParam v : x) EXPECT_EQ(v, std::round(v)) << j;
  }
}

// Without refinement the solution is backward stable: Higham, Accuracy and Stability, theorem 9.4 with growth near 1; with
// it the error is that of rounding x (theorem 12.1): n * eps / 2 holds with room.
TYPED_TEST(LuSystemOf, BackwardErrorIsThatOfRounding) {
  const std::uint32_t n = 150;
  const auto a = random_matrix<TypeParam>(n, 4);
  const auto b = random_matrix<TypeParam>(n, 5);
  const LuSystem<TypeParam> system(a.data(), n, cpu_backend(1));
  std::vector<TypeParam> x(n);
  const LuAnswer answer = system.solve(b.data(), x.data());
  EXPECT_GT(answer.backward_error, 0);
  EXPECT_LT(answer.backward_error, std::numeric_limits<TypeParam>::epsilon());
}

TYPED_TEST(LuSystemOf, SolvesTheTransposedAndSeveralColumns) {
  const std::uint32_t n = 45, columns = 3;
  const auto a = random_matrix<TypeParam>(n, 6);
  const auto f = factor_with(cpu_backend(1), a, n);
  std::vector<TypeParam> expected, b, transposed;
  for (std::uint32_t c = 0; c < columns; ++c) {
    const std::vector<TypeParam> x = small_integers<TypeParam>(n);
    for (const TypeParam v : product(a, x)) b.push_back(v);
    for (const TypeParam v : product(a, x, true)) transposed.push_back(v);
    expected.insert(expected.end(), x.begin(), x.end());
  }
  lu_solve(f.lu.data(), n, n, f.pivots.data(), b.data(), columns, n, cpu_backend(1));
  lu_solve(f.lu.data(), n, n, f.pivots.data(), transposed.data(), columns, n, cpu_backend(1), true);
  // |error| <= about n eps condition |x|; the condition is below 1e4 and |x| at most 19
  const double allowed = n * 1e4 * 19 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(b[i], expected[i], allowed);
    EXPECT_NEAR(transposed[i], expected[i], allowed);
  }
}

TYPED_TEST(LuSystemOf, SolvesToTheBytesOfThePlainLoops) {
  const std::uint32_t n = 61;
  const auto f = factor_with(cpu_backend(1), random_matrix<TypeParam>(n, 18), n);
  std::vector<TypeParam> b(n);
  for (std::uint32_t i = 0; i < n; ++i) b[i] = static_cast<TypeParam>(std::sin(i + 1.0));
  const auto expected = plain_solution(f, b);
  lu_solve(f.lu.data(), n, n, f.pivots.data(), b.data(), 1, n, cpu_backend(1));
  EXPECT_EQ(std::memcmp(b.data(), expected.data(), n * sizeof(TypeParam)), 0);
}

TYPED_TEST(LuSystemOf, ManyColumnsAreSolvedToTheBytesOfEach) {
  for (const std::uint32_t n : {1u, 7u, 8u, 9u, 33u, 64u, 100u, 257u, 300u}) {
    const auto f = factor_with(cpu_backend(1), random_matrix<TypeParam>(n, 19), n);
    const std::uint32_t columns = n < 100 ? 5 : 103, leading = n + 3;
    std::vector<TypeParam> right(std::size_t{columns} * leading, TypeParam{7}), expected = right;
    for (std::uint32_t c = 0; c < columns; ++c) {
      std::vector<TypeParam> b(n);
      for (std::uint32_t i = 0; i < n; ++i) b[i] = static_cast<TypeParam>(std::sin(i + 1.0 + c));
      std::copy(b.begin(), b.end(), right.begin() + c * leading);
      const auto x = plain_solution(f, b);
      std::copy(x.begin(), x.end(), expected.begin() + c * leading);
    }
    for (const Isa isa : {Isa::scalar, Isa::avx2, best_isa()}) {
      if (isa == Isa::avx2 && best_isa() != Isa::avx512) continue;
      for (const unsigned threads : {1u, 3u}) {
        Backend backend = cpu_backend(threads);
        backend.isa = isa;
        auto found = right;
        lu_solve(f.lu.data(), n, n, f.pivots.data(), found.data(), columns, leading, backend);
        EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(TypeParam)), 0)
            << n << " rows, " << describe(backend);
      }
    }
  }
}

TYPED_TEST(LuSystemOf, EveryBackendSolvesToTheSameBytes) {
  const std::uint32_t n = 77;
  const auto a = random_matrix<TypeParam>(n, 8);
  const auto b = random_matrix<TypeParam>(n, 9);
  std::vector<std::vector<TypeParam>> found;
  std::vector<double> conditions;
  for (const Isa isa : {Isa::scalar, best_isa()}) {
    Backend backend = cpu_backend(1);
    backend.isa = isa;
    const LuSystem<TypeParam> system(a.data(), n, backend);
    found.emplace_back(n);
    system.solve(b.data(), found.back().data());
    conditions.push_back(system.health().condition);
  }
  EXPECT_EQ(std::memcmp(found[0].data(), found[1].data(), n * sizeof(TypeParam)), 0);
  EXPECT_EQ(conditions[0], conditions[1]);
}

TYPED_TEST(LuSystemOf, FactorsFromElsewhereServe) {
  const std::uint32_t n = 20;
  const auto a = integer_matrix<TypeParam>(n, 12);
  const auto f = factor_with(cpu_backend(1), a, n);
  const LuSystem<TypeParam> system(a.data(), n, f.lu, f.pivots, f.info, cpu_backend(1));
  const auto x = small_integers<TypeParam>(n), b = product(a, x);
  std::vector<TypeParam> found(n);
  system.solve(b.data(), found.data());
  EXPECT_EQ(found, x);
  EXPECT_THROW(LuSystem<TypeParam>(a.data(), n, {}, f.pivots, 0, cpu_backend(1)), std::invalid_argument);
}

double binomial(unsigned n, unsigned k) {
  double b = 1;
  for (unsigned i = 0; i < k; ++i) b = b * (n - i) / (i + 1);
  return b;
}

/// ||H||_1 ||H^-1||_1 from the inverse's integers (Choi, Amer. Math. Monthly 90, 1983).
double hilbert_condition(unsigned n) {
  double norm = 0, inverse = 0;
  for (unsigned i = 1; i <= n; ++i) norm += 1.0 / i;
  for (unsigned j = 1; j <= n; ++j) {
    double sum = 0;
    for (unsigned i = 1; i <= n; ++i) {
      const double c = binomial(i + j - 2, i - 1);
      sum += (i + j - 1) * binomial(n + i - 1, n - j) * binomial(n + j - 1, n - i) * c * c;
    }
    inverse = std::max(inverse, sum);
  }
  return norm * inverse;
}

// The estimate is a lower bound and seldom below a third of the truth; solving with the factors perturbs it by about
// condition * eps, here below 1 %.
TYPED_TEST(LuSystemOf, ConditionOfHilbertMatrices) {
  const unsigned most = sizeof(TypeParam) == 4 ? 4 : 9;
  for (unsigned n = 2; n <= most; ++n) {
    const auto a = hilbert_matrix<TypeParam>(n);
    const double truth = hilbert_condition(n),
                 found = LuSystem<TypeParam>(a.data(), n, cpu_backend(1)).health().condition;
    EXPECT_GT(found, truth / 3) << n;
    EXPECT_LT(found, truth * 1.01) << n;
  }
}

TYPED_TEST(LuSystemOf, HealthOfSmallAndOfBrokenMatrices) {
  const TypeParam two = 2, nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const LuHealth one = LuSystem<TypeParam>(&two, 1, cpu_backend(1)).health();
  EXPECT_EQ(one.condition, 1);
  EXPECT_EQ(one.growth, 1);
  EXPECT_EQ(one.norm_one, 2);
  EXPECT_EQ(one.norm_infinity, 2);
  const LuSystem<TypeParam> broken(&nan, 1, cpu_backend(1));
  EXPECT_EQ(broken.status(), LuStatus::not_finite);
  EXPECT_TRUE(std::isnan(broken.health().condition));
  TypeParam x = 1;
  EXPECT_THROW(broken.solve_plain(&x, 1), std::logic_error);
  const LuSystem<TypeParam> none(nullptr, 0, cpu_backend(1));
  EXPECT_EQ(none.status(), LuStatus::ok);
  EXPECT_EQ(none.health().condition, 0);
}

}  // namespace
}  // namespace datum

// The CUDA factorisation gives the CPU's bytes.
#include "gpu/lu/lu_cuda.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "tests/gpu/lu_scenes.h"

namespace datum {
namespace {

using namespace testing;

template <class T>
class LuCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LuCuda, Types);

/// Matrices of one size, one after the other.
template <class T>
std::vector<T> joined(const std::vector<std::vector<T>>& matrices) {
  std::vector<T> all;
  for (const auto& m : matrices) all.insert(all.end(), m.begin(), m.end());
  return all;
}

template <class T>
void expect_the_bytes_of_the_cpu(CudaLu<T>& device, const std::vector<std::vector<T>>& matrices,
                                 std::uint32_t n, int launches = 2, LuMethod method = LuMethod::by_size) {
  const std::size_t batch = matrices.size(), size = std::size_t{n} * n;
  const std::vector<T> a = joined(matrices);
  std::vector<T> lu(a.size(), T{3});
  std::vector<std::int32_t> pivots(n * batch), info(batch, -9);
  device.prepare(n, batch, method);
  device.upload(nullptr, a.data());
  for (int i = 0; i < launches; ++i) device.launch(nullptr);
  device.fetch(nullptr, lu.data(), pivots.data(), info.data());
  for (std::size_t i = 0; i < batch; ++i) {
    const Factored<T> found{{lu.begin() + i * size, lu.begin() + (i + 1) * size},
                            {pivots.begin() + i * n, pivots.begin() + (i + 1) * n},
                            info[i]};
    const Factored<T> expected = factor_with(cpu_backend(1), matrices[i], n);
    EXPECT_EQ(found.info, expected.info) << n << " matrix " << i;
    EXPECT_TRUE(found.bytes() == expected.bytes()) << n << " matrix " << i;
  }
}

TYPED_TEST(LuCuda, GivesTheBytesOfTheCpu) {
  CudaLu<TypeParam> device;
  std::vector<std::uint32_t> sizes = lu_sizes();
  for (const std::uint32_t n : {300u, 511u, 512u, 513u, 600u, 1024u}) sizes.push_back(n);
  for (const std::uint32_t n : sizes)
    expect_the_bytes_of_the_cpu<TypeParam>(
        device, {random_matrix<TypeParam>(n, n), integer_matrix<TypeParam>(n, n)}, n);
}

TYPED_TEST(LuCuda, ManyLaunchesAndMatricesDoNotMix) {
  CudaLu<TypeParam> device;
  for (const std::uint32_t n : {20u, 70u, 130u}) {
    std::vector<std::vector<TypeParam>> matrices;
    for (unsigned i = 0; i < 300; ++i) matrices.push_back(random_matrix<TypeParam>(n, i));
    expect_the_bytes_of_the_cpu(device, matrices, n, 20);
  }
}

/// Singular and not finite ones.
template <class T>
std::vector<std::vector<T>> broken_matrices(std::uint32_t n) {
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinite = std::numeric_limits<T>::infinity();
  std::vector<std::vector<T>> matrices{std::vector<T>(std::size_t{n} * n, T{0}), wilkinson_matrix<T>(n),
                                       hilbert_matrix<T>(n)};
  for (const std::uint32_t column : {0u, n / 2, n - 1}) {
    matrices.push_back(random_matrix<T>(n, column));
    for (std::uint32_t i = 0; i < n; ++i) matrices.back()[i + column * std::size_t{n}] = 0;
    for (const T bad : {nan, infinite, -infinite})
      for (const std::uint32_t row : {0u, n - 1}) {
        matrices.push_back(random_matrix<T>(n, row));
        matrices.back()[row + column * std::size_t{n}] = bad;
      }
  }
  return matrices;
}

TYPED_TEST(LuCuda, SaysTheSameOfWhatIsSingularOrNotFinite) {
  CudaLu<TypeParam> device;
  for (const std::uint32_t n : {5u, 32u, 40u, 200u, 300u})
    expect_the_bytes_of_the_cpu(device, broken_matrices<TypeParam>(n), n);
}

TYPED_TEST(LuCuda, PivotsAtTheEndsOfTheRange) {
  CudaLu<TypeParam> device;
  const std::uint32_t n = 40;
  std::vector<std::vector<TypeParam>> matrices;
  for (const TypeParam scale :
       {std::numeric_limits<TypeParam>::min(), std::numeric_limits<TypeParam>::denorm_min() * 1000,
        std::numeric_limits<TypeParam>::max() / 4}) {
    matrices.push_back(random_matrix<TypeParam>(n, 8));
    for (TypeParam& v : matrices.back()) v *= scale;
  }
  expect_the_bytes_of_the_cpu(device, matrices, n);
}

TYPED_TEST(LuCuda, PanelsGiveTheBytesOfTheCpu) {
  CudaLu<TypeParam> device;
  std::vector<std::uint32_t> sizes = lu_sizes();
  for (const std::uint32_t n : {320u, 513u, 1000u, 1024u}) sizes.push_back(n);
  for (const std::uint32_t n : sizes)
    expect_the_bytes_of_the_cpu<TypeParam>(
        device,
        {random_matrix<TypeParam>(n, n), integer_matrix<TypeParam>(n, n), random_matrix<TypeParam>(n, 7)}, n,
        2, LuMethod::blocked);
  for (const std::uint32_t n : {40u, 130u, 200u})
    expect_the_bytes_of_the_cpu(device, broken_matrices<TypeParam>(n), n, 2, LuMethod::blocked);
}

TYPED_TEST(LuCuda, LargeMatricesHaveTheBytesOfTheCpu) {
  CudaLu<TypeParam> device;
  for (const std::uint32_t n : {1025u, 1919u, 1921u, 2881u, 4102u, CudaLu<TypeParam>::most_rows})
    expect_the_bytes_of_the_cpu<TypeParam>(device, {random_matrix<TypeParam>(n, n)}, n);
  expect_the_bytes_of_the_cpu<TypeParam>(
      device, {integer_matrix<TypeParam>(1100, 3), random_matrix<TypeParam>(1100, 4)}, 1100);
  auto broken = random_matrix<TypeParam>(1300, 5);
  broken[1299 + 700 * std::size_t{1300}] = std::numeric_limits<TypeParam>::infinity();
  auto singular = random_matrix<TypeParam>(1300, 6);
  std::fill(singular.begin() + 900 * 1300, singular.begin() + 901 * 1300, TypeParam{0});
  expect_the_bytes_of_the_cpu<TypeParam>(device, {broken, singular}, 1300);
}

template <class T>
void expect_the_solutions_of_the_cpu(std::uint32_t n, std::uint32_t columns, LuMethod method) {
  CudaLu<T> device;
  std::vector<std::vector<T>> matrices{random_matrix<T>(n, 1), random_matrix<T>(n, 2),
                                       std::vector<T>(std::size_t{n} * n, T{0})};
  const std::vector<T> a = joined(matrices);
  std::vector<T> b(n * std::size_t{columns} * matrices.size()), x(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(std::sin(1.0 + static_cast<double>(i)));
  device.prepare(n, matrices.size(), method);
  device.upload(nullptr, a.data());
  device.upload_right_sides(nullptr, b.data(), columns);
  device.launch(nullptr);
  device.launch_solve(nullptr);
  device.fetch_solutions(nullptr, x.data());
  const std::size_t given = n * std::size_t{columns};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto f = factor_with(cpu_backend(1), matrices[i], n);
    T* const expected = b.data() + i * given;
    lu_solve(f.lu.data(), n, n, f.pivots.data(), expected, columns, n, cpu_backend(1));
    EXPECT_EQ(std::memcmp(expected, x.data() + i * given, given * sizeof(T)), 0) << n;
  }
  for (std::size_t i = 2 * given; i < x.size(); ++i) EXPECT_TRUE(std::isnan(x[i]));  // singular
}

TYPED_TEST(LuCuda, SolvesToTheBytesOfTheCpu) {
  for (const std::uint32_t n : {1u, 7u, 33u, 100u, 255u, 300u, 1000u})
    expect_the_solutions_of_the_cpu<TypeParam>(n, 3, LuMethod::by_size);
  expect_the_solutions_of_the_cpu<TypeParam>(300, 3, LuMethod::blocked);
  for (const std::uint32_t n : {1025u, 1100u, 1343u})
    for (const std::uint32_t columns : {1u, 130u})
      expect_the_solutions_of_the_cpu<TypeParam>(n, columns, LuMethod::by_size);
}

TYPED_TEST(LuCuda, InvertsToTheBytesOfTheCpu) {
  CudaLu<TypeParam> device;
  for (const std::uint32_t n : {5u, 70u, 1090u}) {
    const auto a = random_matrix<TypeParam>(n, n);
    std::vector<TypeParam> x(a.size()), expected(a.size(), TypeParam{0});
    device.prepare(n, 1);
    device.upload(nullptr, a.data());
    device.launch(nullptr);
    device.set_identity(nullptr);
    device.launch_solve(nullptr);
    device.fetch_solutions(nullptr, x.data());
    const auto f = factor_with(cpu_backend(1), a, n);
    for (std::size_t i = 0; i < n; ++i) expected[i * n + i] = 1;
    lu_solve(f.lu.data(), n, n, f.pivots.data(), expected.data(), n, n, cpu_backend(1));
    EXPECT_EQ(std::memcmp(expected.data(), x.data(), x.size() * sizeof x[0]), 0) << n;
  }
}

TYPED_TEST(LuCuda, RefusesSizesItHasNoKernelFor) {
  CudaLu<TypeParam> device;
  EXPECT_THROW(device.prepare(0, 1), std::invalid_argument);
  EXPECT_THROW(device.prepare(CudaLu<TypeParam>::most_rows + 1, 1), std::invalid_argument);
  EXPECT_THROW(device.prepare(8, 0), std::invalid_argument);
  EXPECT_THROW(device.prepare(CudaLu<TypeParam>::most_rows_of_columns + 1, 1, LuMethod::columns),
               std::invalid_argument);
}

}  // namespace
}  // namespace datum

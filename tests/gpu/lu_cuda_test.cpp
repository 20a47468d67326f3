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
                                 std::uint32_t n, int launches = 2) {
  const std::size_t batch = matrices.size(), size = std::size_t{n} * n;
  const std::vector<T> a = joined(matrices);
  std::vector<T> lu(a.size(), T{3});
  std::vector<std::int32_t> pivots(n * batch), info(batch, -9);
  device.prepare(n, batch);
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

TYPED_TEST(LuCuda, SaysTheSameOfWhatIsSingularOrNotFinite) {
  CudaLu<TypeParam> device;
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const TypeParam infinite = std::numeric_limits<TypeParam>::infinity();
  for (const std::uint32_t n : {5u, 32u, 40u, 200u, 300u}) {
    std::vector<std::vector<TypeParam>> matrices{std::vector<TypeParam>(std::size_t{n} * n, TypeParam{0}),
                                                 wilkinson_matrix<TypeParam>(n),
                                                 hilbert_matrix<TypeParam>(n)};
    for (const std::uint32_t column : {0u, n / 2, n - 1}) {
      auto twice = random_matrix<TypeParam>(n, column);
      for (std::uint32_t i = 0; i < n; ++i) twice[i + column * n] = 0;
      matrices.push_back(twice);
      for (const TypeParam bad : {nan, infinite, -infinite})
        for (const std::uint32_t row : {0u, n - 1}) {
          matrices.push_back(random_matrix<TypeParam>(n, row));
          matrices.back()[row + column * n] = bad;
        }
    }
    expect_the_bytes_of_the_cpu(device, matrices, n);
  }
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

TYPED_TEST(LuCuda, SolvesToTheBytesOfTheCpu) {
  CudaLu<TypeParam> device;
  for (const std::uint32_t n : {1u, 7u, 33u, 100u, 255u, 300u, 1000u}) {
    const std::uint32_t columns = 3;
    std::vector<std::vector<TypeParam>> matrices{random_matrix<TypeParam>(n, 1),
                                                 random_matrix<TypeParam>(n, 2),
                                                 std::vector<TypeParam>(std::size_t{n} * n, TypeParam{0})};
    const std::vector<TypeParam> a = joined(matrices);
    std::vector<TypeParam> b(n * columns * matrices.size()), x(b.size());
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = static_cast<TypeParam>(std::sin(1.0 + static_cast<double>(i)));
    device.prepare(n, matrices.size());
    device.upload(nullptr, a.data());
    device.upload_right_sides(nullptr, b.data(), columns);
    device.launch(nullptr);
    device.launch_solve(nullptr);
    device.fetch_solutions(nullptr, x.data());
    for (std::size_t i = 0; i < 2; ++i) {
      const auto f = factor_with(cpu_backend(1), matrices[i], n);
      TypeParam* const expected = b.data() + i * n * columns;
      lu_solve(f.lu.data(), n, n, f.pivots.data(), expected, columns, n, cpu_backend(1));
      EXPECT_EQ(std::memcmp(expected, x.data() + i * n * columns, n * columns * sizeof(TypeParam)), 0) << n;
    }
    for (std::size_t i = 2 * n * columns; i < x.size(); ++i) EXPECT_TRUE(std::isnan(x[i]));  // singular
  }
}

TYPED_TEST(LuCuda, RefusesSizesItHasNoKernelFor) {
  CudaLu<TypeParam> device;
  EXPECT_THROW(device.prepare(0, 1), std::invalid_argument);
  EXPECT_THROW(device.prepare(CudaLu<TypeParam>::most_rows + 1, 1), std::invalid_argument);
  EXPECT_THROW(device.prepare(8, 0), std::invalid_argument);
}

}  // namespace
}  // namespace datum

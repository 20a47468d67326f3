#include "tests/gpu/quotient_device.h"

#include "gpu/core/cuda_support.cuh"
#include "gpu/core/philox.h"
#include "gpu/core/quotient.h"

namespace datum::testing {
namespace {

/// Random mantissa and sign; exponents evenly from the first to the last.
__device__ float drawn(std::uint32_t word, std::uint32_t more, int first, int last) {
  const int exponent = first + static_cast<int>(more % static_cast<std::uint32_t>(last - first));
  return float_of((word & 0x807FFFFFu) | static_cast<std::uint32_t>(exponent + 127) << 23);
}

__global__ void compare(std::uint64_t seed, std::uint64_t count, unsigned long long* differ) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count; i += step) {
    const PhiloxBlock r =
        philox({{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), 0, 0}}, seed);
    const float b = drawn(r.word[0], r.word[1], -40, 45),
                a = i % 64 == 0 ? 0.f : drawn(r.word[2], r.word[3], -80, 60);
    if (bits_of(quotient(a, b)) != bits_of(__fdiv_rn(a, b))) atomicAdd(differ, 1ull);
    const float c = fabsf(drawn(r.word[0], r.word[3], -100, 100));
    if (bits_of(square_root(c)) != bits_of(__fsqrt_rn(c))) atomicAdd(differ, 1ull);
  }
}

}  // namespace

std::uint64_t quotients_that_differ(std::uint64_t seed, std::uint64_t count) {
  cuda::Buffer<unsigned long long> differ;
  cuda::zeroed(differ, 1, "count of quotients");
  compare<<<1024, 256>>>(seed, count, differ.get());
  cuda::check(cudaGetLastError(), "comparison of quotients");
  unsigned long long n = 0;
  cuda::check(cudaMemcpy(&n, differ.get(), sizeof n, cudaMemcpyDeviceToHost), "count of quotients");
  return n;
}

}  // namespace datum::testing

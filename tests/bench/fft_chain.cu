#include "tests/bench/fft_chain.h"

#include "gpu/core/cuda_support.cuh"

namespace datum::bench {
namespace {

constexpr int threads = 256;
unsigned blocks_of(std::size_t count) { return static_cast<unsigned>((count + threads - 1) / threads); }

__global__ void __launch_bounds__(1024)
    pease(const float2* in, float2* out, float2* other, unsigned points, int stages) {
  const std::size_t row = std::size_t{blockIdx.x} * points;
  float2 *from = (stages % 2 == 0 ? out : other) + row, *to = (stages % 2 == 0 ? other : out) + row;
  for (unsigned i = threadIdx.x; i < points; i += blockDim.x) from[__brev(i) >> (32 - stages)] = in[row + i];
  __syncthreads();
  for (int stage = 0; stage < stages; ++stage) {
    for (unsigned i = threadIdx.x; i < points / 2; i += blockDim.x) {
      const float angle =
          -3.14159265f / static_cast<float>(1 << stage) * static_cast<float>(i >> (stages - 1 - stage));
      const float c = __cosf(angle), s = __sinf(angle);
      const float2 a = from[2 * i], b = from[2 * i + 1];
      const float2 w{b.x * c - b.y * s, b.y * c + b.x * s};
      to[i] = float2{a.x + w.x, a.y + w.y};
      to[i + points / 2] = float2{a.x - w.x, a.y - w.y};
    }
    __syncthreads();
    float2* last = from;
    from = to;
    to = last;
  }
}

// Xiao and Feng's barrier: a thread of the first block waits for one number of each block, and answers each.
__device__ void meet_all(volatile unsigned* arrived, volatile unsigned* released, unsigned goal) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) arrived[blockIdx.x] = goal;
  if (blockIdx.x == 0) {
    if (threadIdx.x < gridDim.x)
      while (arrived[threadIdx.x] != goal) {
      }
    __syncthreads();
    if (threadIdx.x < gridDim.x) released[threadIdx.x] = goal;
  }
  if (threadIdx.x == 0)
    while (released[blockIdx.x] != goal) {
    }
  __threadfence();
  __syncthreads();
}

constexpr int block_points = 1024;  // two for each thread

/// The goals go on from launch to launch: the paper's first block sets the numbers to 0 while others may have arrived.
__global__ void __launch_bounds__(block_points / 2)
    pease_across(const float2* in, float2* out, float2* other, int stages, float direction,
                 unsigned* arrivals) {
  const unsigned half = gridDim.x * (block_points / 2), i = blockIdx.x * (block_points / 2) + threadIdx.x;
  unsigned* const arrived = arrivals + 1;
  unsigned* const released = arrived + gridDim.x;
  unsigned goal = *static_cast<volatile unsigned*>(arrivals);
  volatile float2 *from = stages % 2 == 0 ? out : other, *to = stages % 2 == 0 ? other : out;
  for (const unsigned k : {i, i + half}) {
    const unsigned at = __brev(k) >> (32 - stages);
    from[at].x = in[k].x;
    from[at].y = in[k].y;
  }
  meet_all(arrived, released, ++goal);
  for (int stage = 0; stage < stages; ++stage) {
    const float angle = direction * 3.14159265f / static_cast<float>(1 << stage) *
                        static_cast<float>(i >> (stages - 1 - stage));
    const float c = __cosf(angle), s = __sinf(angle);
    const float2 a{from[2 * i].x, from[2 * i].y}, b{from[2 * i + 1].x, from[2 * i + 1].y};
    const float2 w{b.x * c - b.y * s, b.y * c + b.x * s};
    to[i].x = a.x + w.x;
    to[i].y = a.y + w.y;
    to[i + half].x = a.x - w.x;
    to[i + half].y = a.y - w.y;
    meet_all(arrived, released, ++goal);
    volatile float2* const last = from;
    from = to;
    to = last;
  }
  if (i == 0) *arrivals = goal;  // all have read it before their first meeting
}

__global__ void __launch_bounds__(threads) convert(const std::uint8_t* in, float* out, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t{threads} + threadIdx.x;
  if (i < count) out[i] = in[i];
}

__global__ void __launch_bounds__(threads)
    window(const float2* bins, const float* gain, float2* out, unsigned points) {
  const unsigned k = blockIdx.x * threads + threadIdx.x;
  const std::size_t row = blockIdx.y;
  float2 v{0, 0};
  if (k <= points / 2 && gain[k] != 0) {
    v = bins[row * (points / 2 + 1) + k];
    v.x *= gain[k];
    v.y *= gain[k];
  }
  out[row * points + k] = v;
}

__global__ void __launch_bounds__(threads) angle_of(const float2* in, float* out, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t{threads} + threadIdx.x;
  if (i < count) out[i] = atan2f(in[i].y, in[i].x);
}

}  // namespace

void pease_rows(CudaStream stream, const float* in, float* out, float* other, unsigned points,
                unsigned rows) {
  int stages = 0;
  while ((1u << stages) < points) ++stages;
  pease<<<rows, std::min(points / 2, 1024u), 0, stream>>>(reinterpret_cast<const float2*>(in),
                                                          reinterpret_cast<float2*>(out),
                                                          reinterpret_cast<float2*>(other), points, stages);
  cuda::check(cudaGetLastError(), "the paper's transform");
}

void pease_blocks(CudaStream stream, const float* in, float* out, float* other, unsigned points, bool inverse,
                  unsigned* arrivals) {
  int stages = 0;
  while ((1u << stages) < points) ++stages;
  pease_across<<<points / block_points, block_points / 2, 0, stream>>>(
      reinterpret_cast<const float2*>(in), reinterpret_cast<float2*>(out), reinterpret_cast<float2*>(other),
      stages, inverse ? 1.f : -1.f, arrivals);
  cuda::check(cudaGetLastError(), "the paper's transform on several blocks");
}

void to_float(CudaStream stream, const std::uint8_t* in, float* out, std::size_t count) {
  convert<<<blocks_of(count), threads, 0, stream>>>(in, out, count);
  cuda::check(cudaGetLastError(), "conversion");
}

void window_rows(CudaStream stream, const float* bins, const float* gain, float* out, unsigned points,
                 unsigned rows) {
  window<<<dim3(points / threads, rows), threads, 0, stream>>>(reinterpret_cast<const float2*>(bins), gain,
                                                               reinterpret_cast<float2*>(out), points);
  cuda::check(cudaGetLastError(), "window");
}

void angles(CudaStream stream, const float* in, float* out, std::size_t count) {
  angle_of<<<blocks_of(count), threads, 0, stream>>>(reinterpret_cast<const float2*>(in), out, count);
  cuda::check(cudaGetLastError(), "angles");
}

}  // namespace datum::bench

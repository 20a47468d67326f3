#include "tests/bench/gpu_timing.h"

#include <algorithm>
#include <chrono>

#include "gpu/core/cuda_support.cuh"

namespace datum::bench {
namespace {

using cuda::check;

/// 50 us at 2 GHz: longer than the host needs to enqueue two events and a graph.
constexpr long long hold_cycles = 100000;

__global__ void hold() {
  const long long begin = clock64();
  while (clock64() - begin < hold_cycles) {
  }
}

double event_us(const Stream& stream, cudaEvent_t begin, cudaEvent_t end,
                const std::function<void(cudaStream_t)>& enqueue) {
  hold<<<1, 1, 0, stream>>>();
  check(cudaEventRecord(begin, stream), "event");
  enqueue(stream);
  check(cudaEventRecord(end, stream), "event");
  stream.finish();
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin, end), "time between events");
  return static_cast<double>(ms) * 1e3;
}

class Events {
 public:
  Events() {
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
  }
  ~Events() {
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
  }
  cudaEvent_t begin = nullptr, end = nullptr;
};

__global__ void empty() {}

__global__ void __launch_bounds__(512) read_all(const float4* values, std::size_t count, float* out) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  float sum = 0;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + 3 * stride < count; i += 4 * stride) {
    const float4 a = __ldcs(values + i), b = __ldcs(values + i + stride), c = __ldcs(values + i + 2 * stride),
                 d = __ldcs(values + i + 3 * stride);
    sum += ((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w)) + ((c.x + c.y) + (c.z + c.w)) +
           ((d.x + d.y) + (d.z + d.w));
  }
  for (; i < count; i += stride) {
    const float4 a = __ldcs(values + i);
    sum += (a.x + a.y) + (a.z + a.w);
  }
  if (sum == 1.5f) *out = sum;  // never of zeros, but the compiler must do the sum
}

constexpr int chains = 16, fma_per_round = 8 * chains;

__global__ void __launch_bounds__(256) multiply_add(float a, float b, int rounds, float* out) {
  float v[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) v[i] = static_cast<float>(threadIdx.x + i);
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < fma_per_round; ++i) v[i % chains] = fmaf(v[i % chains], a, b);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < chains; ++i) sum += v[i];
  if (sum == 1.5f) *out = sum;
}

constexpr int scored_points = 16, scored_planes = 64, scoring_instructions = 5;

__device__ __forceinline__ float one_if_within(float r, float reach) {
  float one;
  asm("set.le.f32.f32 %0, %1, %2;" : "=f"(one) : "f"(fabsf(r)), "f"(reach));
  return one;
}

/// The scoring loop on points that stay in registers.
__global__ void __launch_bounds__(256, 3) score(float start, int rounds, float* out) {
  __shared__ float4 planes[scored_planes];
  if (threadIdx.x < scored_planes)
    planes[threadIdx.x] = make_float4(start * threadIdx.x, start, start + threadIdx.x, 1.0f);
  __syncthreads();
  float x[scored_points], y[scored_points], z[scored_points], within[4] = {};
#pragma unroll
  for (int i = 0; i < scored_points; ++i) {
    x[i] = start + threadIdx.x * i;
    y[i] = start - threadIdx.x - i;
    z[i] = start * i + blockIdx.x;
  }
  for (int round = 0; round < rounds; ++round) {
#pragma unroll 4
    for (int p = 0; p < scored_planes; ++p) {
      const float4 h = planes[p];
#pragma unroll
      for (int i = 0; i < scored_points; ++i)
        within[i % 4] += one_if_within(fmaf(h.x, x[i], fmaf(h.y, y[i], z[i] - h.z)), h.w);
    }
  }
  if (within[0] + within[1] + within[2] + within[3] == 1.5f) *out = 1;
}

}  // namespace

Spread spread_of(std::vector<double> sample) {
  std::sort(sample.begin(), sample.end());
  const auto at = [&](double share) {
    return sample[static_cast<std::size_t>(share * static_cast<double>(sample.size() - 1) + 0.5)];
  };
  return Spread{at(0.1), at(0.5), at(0.9), at(0.99)};
}

double wall_us(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

Stream::Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
Stream::~Stream() { cudaStreamDestroy(stream_); }

void Stream::finish() const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  cudaError_t state = cudaErrorNotReady;
  while ((state = cudaStreamQuery(stream_)) == cudaErrorNotReady)
    if (std::chrono::steady_clock::now() > deadline) break;
  check(state, "work in a stream");
}

Replay::Replay(const Stream& stream, const std::function<void(CudaStream)>& enqueue) : stream_(stream) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture of a graph");
  enqueue(stream);
  check(cudaStreamEndCapture(stream, &graph), "capture of a graph");
  const cudaError_t made = cudaGraphInstantiateWithFlags(&graph_, graph, 0);
  cudaGraphDestroy(graph);
  check(made, "graph");
  check(cudaEventCreate(&begin_), "event");
  check(cudaEventCreate(&end_), "event");
}

Replay::~Replay() {
  if (graph_) cudaGraphExecDestroy(graph_);
  if (begin_) cudaEventDestroy(begin_);
  if (end_) cudaEventDestroy(end_);
}

void Replay::launch() const { check(cudaGraphLaunch(graph_, stream_), "launch of a graph"); }

double Replay::device_us() const {
  return event_us(stream_, begin_, end_, [this](cudaStream_t) { launch(); });
}

Ceilings measure_ceilings(const Stream& stream, int repetitions) {
  int sms = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "multiprocessors");
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "memory");
  const Events events;
  const auto median_us = [&](const std::function<void(cudaStream_t)>& enqueue) {
    std::vector<double> us;
    for (int i = -2; i < repetitions; ++i) {
      const double one = event_us(stream, events.begin, events.end, enqueue);
      if (i >= 0) us.push_back(one);
    }
    check(cudaGetLastError(), "kernel of the ceilings");
    return spread_of(us).median;
  };

  Ceilings c;
  cuda::Buffer<float> out;
  out.reserve(1);
  {
    c.read_bytes = std::min<std::size_t>(std::size_t{2} << 30, free / 4 / 4096 * 4096);
    cuda::Buffer<float4> values;
    values.reserve(c.read_bytes / sizeof(float4));
    check(cudaMemsetAsync(values.get(), 0, c.read_bytes, stream), "zeros");
    const unsigned grid = static_cast<unsigned>(sms) * 4;
    const double us = median_us([&](cudaStream_t s) {
      read_all<<<grid, 512, 0, s>>>(values.get(), c.read_bytes / sizeof(float4), out.get());
    });
    c.read_gb_s = static_cast<double>(c.read_bytes) / us * 1e-3;
  }
  {
    const int rounds = 1024, blocks = sms * 8;
    const double us =
        median_us([&](cudaStream_t s) { multiply_add<<<blocks, 256, 0, s>>>(0.5f, 1, rounds, out.get()); });
    c.fma_per_s = 256.0 * blocks * rounds * fma_per_round / us * 1e6;
  }
  {
    const int rounds = 64, blocks = sms * 3 * 4;  // four full waves of three blocks on each
    const double us =
        median_us([&](cudaStream_t s) { score<<<blocks, 256, 0, s>>>(0.5f, rounds, out.get()); });
    c.scoring_per_s =
        256.0 * blocks * rounds * scored_planes * scored_points * scoring_instructions / us * 1e6;
  }
  {
    const std::size_t bytes = std::size_t{192} << 20;
    cuda::Buffer<unsigned char> host(cuda::Where::host_mapped), device;
    host.reserve(bytes);
    device.reserve(bytes);
    const double us = median_us([&](cudaStream_t s) {
      check(cudaMemcpyAsync(device.get(), host.get(), bytes, cudaMemcpyHostToDevice, s), "upload");
    });
    c.upload_gb_s = static_cast<double>(bytes) / us * 1e-3;
  }
  const Replay graph(stream, [](CudaStream s) { empty<<<1, 32, 0, s>>>(); });
  std::vector<double> us;
  for (int i = 0; i < 50 * repetitions; ++i)
    us.push_back(wall_us([&] {
      graph.launch();
      stream.finish();
    }));
  c.empty_graph_us = spread_of(us);
  return c;
}

}  // namespace datum::bench

// The thesis' figure 4.3: two parallel planes by weighted total least squares, first as its prototype did and then
// one improvement after the other. Two kernels a plane: sums for the centroid, then the scatter about it; the
// normal by the power method on the host. Baselines, written from the description; not for use in the product.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "gpu/core/cuda_support.cuh"
#include "tests/bench/papers_gpu.h"
#include "tests/bench/papers_scenes.h"

namespace datum::bench {
namespace {

constexpr int threads = 128, blocks = 132, planes = 2;

struct Sums {
  double centre[4] = {}, scatter[6] = {};
};

template <int count>
__device__ void add_all(const double* mine, double* to) {
  __shared__ double of[threads][count];
  for (int i = 0; i < count; ++i) of[threadIdx.x][i] = mine[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int t = 1; t < threads; ++t)
    for (int i = 0; i < count; ++i) of[0][i] += of[t][i];
  for (int i = 0; i < count; ++i) atomicAdd(to + i, of[0][i]);
}

/// Each thread has a run of points, as printed.
__device__ void run_of(unsigned n, unsigned* begin, unsigned* end) {
  const unsigned all = threads * blocks, i = blockIdx.x * threads + threadIdx.x;
  *begin = static_cast<unsigned>(static_cast<unsigned long long>(n) * i / all);
  *end = static_cast<unsigned>(static_cast<unsigned long long>(n) * (i + 1) / all);
}

__global__ void __launch_bounds__(threads) sum_centre(const float4* points, unsigned n, double* centre) {
  unsigned begin, end;
  run_of(n, &begin, &end);
  double s[4] = {};
  for (unsigned i = begin; i < end; ++i) {
    const float4 p = points[i];
    s[0] += p.w * p.x;
    s[1] += p.w * p.y;
    s[2] += p.w * p.z;
    s[3] += p.w;
  }
  add_all<4>(s, centre);
}

__global__ void __launch_bounds__(threads)
    sum_scatter(const float4* points, unsigned n, const double* centre, double* scatter) {
  unsigned begin, end;
  run_of(n, &begin, &end);
  const float c[3] = {static_cast<float>(centre[0] / centre[3]), static_cast<float>(centre[1] / centre[3]),
                      static_cast<float>(centre[2] / centre[3])};
  double s[6] = {};
  for (unsigned i = begin; i < end; ++i) {
    const float4 p = points[i];
    const float x = p.x - c[0], y = p.y - c[1], z = p.z - c[2];
    s[0] += p.w * x * x;
    s[1] += p.w * x * y;
    s[2] += p.w * x * z;
    s[3] += p.w * y * y;
    s[4] += p.w * y * z;
    s[5] += p.w * z * z;
  }
  add_all<6>(s, scatter);
}

/// The smallest eigenvector, as the largest of trace - S.
void normal_of(const double* s, double* v) {
  const double trace = s[0] + s[3] + s[5];
  const double m[3][3] = {
      {trace - s[0], -s[1], -s[2]}, {-s[1], trace - s[3], -s[4]}, {-s[2], -s[4], trace - s[5]}};
  v[0] = v[1] = v[2] = 1;
  for (int i = 0; i < 100; ++i) {
    double w[3];
    for (int r = 0; r < 3; ++r) w[r] = m[r][0] * v[0] + m[r][1] * v[1] + m[r][2] * v[2];
    const double length = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (int r = 0; r < 3; ++r) v[r] = w[r] / length;
  }
}

void finish(const Sums* sums, double* normal) {
  double scatter[6] = {};
  for (int p = 0; p < planes; ++p)
    for (int i = 0; i < 6; ++i) scatter[i] += sums[p].scatter[i];
  normal_of(scatter, normal);
}

void synchronise() { cuda::check(cudaDeviceSynchronize(), "the ladder"); }

/// Managed memory, an allocation for each variable, one wait after another.
void managed(const float4* const* points, unsigned n, double* normal) {
  Sums sums[planes];
  for (int p = 0; p < planes; ++p) {
    float4* device = nullptr;
    double *centre = nullptr, *scatter = nullptr;
    cuda::check(cudaMallocManaged(&device, n * sizeof(float4)), "managed memory");
    cuda::check(cudaMallocManaged(&centre, 4 * sizeof(double)), "managed memory");
    cuda::check(cudaMallocManaged(&scatter, 6 * sizeof(double)), "managed memory");
    std::memcpy(device, points[p], n * sizeof(float4));
    std::memset(centre, 0, 4 * sizeof(double));
    std::memset(scatter, 0, 6 * sizeof(double));
    sum_centre<<<blocks, threads>>>(device, n, centre);
    synchronise();
    sum_scatter<<<blocks, threads>>>(device, n, centre, scatter);
    synchronise();
    std::memcpy(sums[p].scatter, scatter, sizeof sums[p].scatter);
    cudaFree(device);
    cudaFree(centre);
    cudaFree(scatter);
  }
  finish(sums, normal);
}

/// The same with explicit memory and copies.
void explicit_memory(const float4* const* points, unsigned n, double* normal) {
  Sums sums[planes];
  for (int p = 0; p < planes; ++p) {
    float4* device = nullptr;
    double *centre = nullptr, *scatter = nullptr;
    const Sums none;
    cuda::check(cudaMalloc(&device, n * sizeof(float4)), "memory");
    cuda::check(cudaMalloc(&centre, sizeof none.centre), "memory");
    cuda::check(cudaMalloc(&scatter, sizeof none.scatter), "memory");
    cudaMemcpy(device, points[p], n * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(centre, none.centre, sizeof none.centre, cudaMemcpyHostToDevice);
    cudaMemcpy(scatter, none.scatter, sizeof none.scatter, cudaMemcpyHostToDevice);
    sum_centre<<<blocks, threads>>>(device, n, centre);
    synchronise();
    sum_scatter<<<blocks, threads>>>(device, n, centre, scatter);
    synchronise();
    cudaMemcpy(sums[p].scatter, scatter, sizeof sums[p].scatter, cudaMemcpyDeviceToHost);
    cudaFree(device);
    cudaFree(centre);
    cudaFree(scatter);
  }
  finish(sums, normal);
}

/// Two allocations for all, one wait.
void bundled(const float4* const* points, unsigned n, double* normal) {
  Sums sums[planes];
  float4* device = nullptr;
  Sums* bundle = nullptr;
  cuda::check(cudaMalloc(&device, planes * std::size_t{n} * sizeof(float4)), "memory");
  cuda::check(cudaMalloc(&bundle, sizeof sums), "memory");
  cudaMemcpy(bundle, sums, sizeof sums, cudaMemcpyHostToDevice);
  for (int p = 0; p < planes; ++p) {
    float4* const at = device + p * std::size_t{n};
    cudaMemcpy(at, points[p], n * sizeof(float4), cudaMemcpyHostToDevice);
    sum_centre<<<blocks, threads>>>(at, n, bundle[p].centre);
    sum_scatter<<<blocks, threads>>>(at, n, bundle[p].centre, bundle[p].scatter);
  }
  cudaMemcpy(sums, bundle, sizeof sums, cudaMemcpyDeviceToHost);
  cudaFree(device);
  cudaFree(bundle);
  finish(sums, normal);
}

/// A stream for each plane, page-locked points, memory that is kept.
class Streams {
 public:
  explicit Streams(unsigned n) {
    device_.reserve(planes * std::size_t{n});
    bundle_.reserve(planes);
    host_.reserve(planes);
    for (cudaStream_t& s : stream_) cuda::check(cudaStreamCreate(&s), "stream");
  }
  ~Streams() {
    for (cudaStream_t s : stream_) cudaStreamDestroy(s);
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  void fit(const float4* const* points, unsigned n, double* normal) {
    for (int p = 0; p < planes; ++p) {
      float4* const at = device_.get() + p * std::size_t{n};
      Sums* const sums = bundle_.get() + p;
      cudaMemsetAsync(sums, 0, sizeof *sums, stream_[p]);
      cudaMemcpyAsync(at, points[p], n * sizeof(float4), cudaMemcpyHostToDevice, stream_[p]);
      sum_centre<<<blocks, threads, 0, stream_[p]>>>(at, n, sums->centre);
      sum_scatter<<<blocks, threads, 0, stream_[p]>>>(at, n, sums->centre, sums->scatter);
      cudaMemcpyAsync(host_.get() + p, sums, sizeof *sums, cudaMemcpyDeviceToHost, stream_[p]);
    }
    synchronise();
    finish(host_.get(), normal);
  }

 private:
  cuda::Buffer<float4> device_;
  cuda::Buffer<Sums> bundle_, host_{cuda::Where::host_mapped};
  cudaStream_t stream_[planes] = {};
};

}  // namespace

void ladder_rows(const Stream&) {
  std::printf(
      "\nThe thesis, figure 4.3, two planes; ms: managed, explicit, bundled, streams with page-locked "
      "points; "
      "datumd on one thread; normals apart\n");
  for (const StackRow& row : stack_rows) {
    if (row.planes != planes) continue;
    const testing::Stack stack = paper_stack(row);
    const auto n = static_cast<unsigned>(row.points);
    const float4* points[planes];
    cuda::Buffer<float4> locked(cuda::Where::host_mapped);
    locked.reserve(planes * row.points);
    const float4* locked_points[planes];
    for (int p = 0; p < planes; ++p) {
      points[p] = reinterpret_cast<const float4*>(stack.points[p].data());
      std::memcpy(locked.get() + p * row.points, points[p], n * sizeof(float4));
      locked_points[p] = locked.get() + p * row.points;
    }
    double normal[4][3];
    Streams streams(n);
    const auto time = [](const std::function<void()>& work) {
      std::vector<double> us;
      for (int i = 0; i < 9; ++i) us.push_back(wall_us(work));
      return spread_of(us).median * 1e-3;
    };
    const double ms[4] = {time([&] { managed(points, n, normal[0]); }),
                          time([&] { explicit_memory(points, n, normal[1]); }),
                          time([&] { bundled(points, n, normal[2]); }),
                          time([&] { streams.fit(locked_points, n, normal[3]); })};
    cuda::check(cudaGetLastError(), "the ladder");
    testing::StackResult here(stack);
    const auto samples = stack.samples();
    const double cpu = time([&] {
      fit_parallel_planes(samples.data(), samples.size(), stack.sets.data(), stack.sets.size(),
                          stack_settings(), cpu_backend(1), here.shared.data(), here.planes.data());
    });
    double apart = 0;
    for (const auto& v : normal) {
      const double* const truth = here.shared[0].normal;
      const double sign = v[0] * truth[0] + v[1] * truth[1] + v[2] * truth[2] < 0 ? -1 : 1;
      for (int i = 0; i < 3; ++i) apart = std::max(apart, std::fabs(v[i] * sign - truth[i]));
    }
    std::printf("%8u points: %8.3f %8.3f %8.3f %8.3f; %8.3f; %.1e\n", n, ms[0], ms[1], ms[2], ms[3], cpu,
                apart);
  }
}

}  // namespace datum::bench

#include "tests/bench/paper_kernels.h"

#include <algorithm>
#include <cmath>

#include "gpu/core/cuda_support.cuh"
#include "gpu/core/philox.h"

namespace datum::bench {
namespace {

using cuda::Buffer;
using cuda::check;
using cuda::Where;

constexpr int block_size = 256;  // the paper: "usually 256"
constexpr int most_hypotheses = 1024, batch = 16, sums = 9;

struct Points {
  const float *x, *y, *z;
  const std::uint32_t *first, *size;  // of each plane
};

/// Unit normal and distance, a x + b y + c z + d = 0; of three points on a line NaN, which no point is
/// near.
struct NormalForm {
  float a, b, c, d;
};

__host__ __device__ inline NormalForm plane_through(const float3& p, const float3& q, const float3& r) {
  const float ux = q.x - p.x, uy = q.y - p.y, uz = q.z - p.z, vx = r.x - p.x, vy = r.y - p.y, vz = r.z - p.z;
  const float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
  const float scale = 1 / sqrtf(nx * nx + ny * ny + nz * nz);
  const NormalForm f{nx * scale, ny * scale, nz * scale, 0};
  return NormalForm{f.a, f.b, f.c, -(f.a * p.x + f.b * p.y + f.c * p.z)};
}

__device__ inline bool within(const NormalForm& f, float x, float y, float z, float t) {
  return fabsf(fmaf(f.a, x, fmaf(f.b, y, fmaf(f.c, z, f.d)))) < t;
}

/// Equation 2.
__host__ __device__ inline int needed(int inliers, int points, float log_miss, int limit) {
  const float w = static_cast<float>(inliers) / static_cast<float>(points);
  const float n = ceilf(log_miss / logf(1 - w * w * w));
  return n < static_cast<float>(limit) ? (n > 1 ? static_cast<int>(n) : 1) : limit;
}

/// Sum over the block, left in values[0]; block_size is a power of two. The caller has synchronised.
template <class T>
__device__ inline void reduce(T* values) {
  for (int half = block_size / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
    __syncthreads();
  }
}

struct Best {
  NormalForm plane;
  int inliers, hypotheses;
};

/// Kernel 1: N samples for each plane, N by equation 2 after the best so far.
__global__ void __launch_bounds__(block_size) sample(Points points, float t, float log_miss, Best* best) {
  __shared__ int ninliers[block_size];
  __shared__ NormalForm plane;
  __shared__ int limit;
  const std::uint32_t first = points.first[blockIdx.x], size = points.size[blockIdx.x];
  const float *x = points.x + first, *y = points.y + first, *z = points.z + first;
  const auto point = [&](std::uint32_t i) { return make_float3(x[i], y[i], z[i]); };
  if (size < 3) {
    if (threadIdx.x == 0) best[blockIdx.x] = Best{};
    return;
  }
  if (threadIdx.x == 0) limit = most_hypotheses;
  Best mine{};
  int tried = 0;
  __syncthreads();
  for (; tried < limit; ++tried) {
    if (threadIdx.x == 0) {
      const PhiloxBlock counter{{static_cast<std::uint32_t>(tried), blockIdx.x, 0, 0}};
      const Triple i = sample_three(philox(counter, 1), size);
      plane = plane_through(point(i.index[0]), point(i.index[1]), point(i.index[2]));
    }
    ninliers[threadIdx.x] = 0;
    __syncthreads();
    const NormalForm f = plane;
    for (std::uint32_t i = threadIdx.x; i < size; i += block_size)
      if (within(f, x[i], y[i], z[i], t)) ++ninliers[threadIdx.x];
    __syncthreads();
    reduce(ninliers);
    if (threadIdx.x == 0 && ninliers[0] > mine.inliers) {
      mine.plane = f;
      mine.inliers = ninliers[0];
      limit = needed(mine.inliers, static_cast<int>(size), log_miss, limit);
    }
    __syncthreads();
  }
  mine.hypotheses = tried;
  if (threadIdx.x == 0) best[blockIdx.x] = mine;
}

/// Kernel 2: which points are inliers.
__global__ void __launch_bounds__(block_size)
    classify(Points points, float t, const Best* best, int* isinlier) {
  const std::uint32_t first = points.first[blockIdx.x], size = points.size[blockIdx.x];
  const NormalForm f = best[blockIdx.x].plane;
  const bool found = best[blockIdx.x].inliers > 0;
  for (std::uint32_t i = threadIdx.x; i < size; i += block_size) {
    const std::uint32_t k = first + i;
    isinlier[k] = found && within(f, points.x[k], points.y[k], points.z[k], t) ? 1 : 0;
  }
}

/// z = a x + b y + c by the normal equations from n and the sums of x, y, z, xx, xy, yy, xz, yz.
__host__ __device__ inline PaperPlane solve(const double (&s)[sums]) {
  const double n = s[0], x = s[1], y = s[2], z = s[3];
  const double xx = s[4] - x * x / n, xy = s[5] - x * y / n, yy = s[6] - y * y / n;
  const double xz = s[7] - x * z / n, yz = s[8] - y * z / n;
  const double det = xx * yy - xy * xy, a = (xz * yy - yz * xy) / det, b = (yz * xx - xz * xy) / det;
  return PaperPlane{a, b, (z - a * x - b * y) / n};
}

/// Kernel 3: least squares over the inliers.
__global__ void __launch_bounds__(block_size)
    least_squares(Points points, const int* isinlier, PaperPlane* planes) {
  __shared__ float partial[sums][block_size];
  const std::uint32_t first = points.first[blockIdx.x], size = points.size[blockIdx.x];
  for (int j = 0; j < sums; ++j) partial[j][threadIdx.x] = 0;
  for (std::uint32_t i = threadIdx.x; i < size; i += block_size) {
    const std::uint32_t k = first + i;
    if (!isinlier[k]) continue;
    const float x = points.x[k], y = points.y[k], z = points.z[k];
    const float left[sums] = {1, x, y, z, x, x, y, x, y}, right[sums] = {1, 1, 1, 1, x, y, y, z, z};
    for (int j = 0; j < sums; ++j) partial[j][threadIdx.x] = fmaf(left[j], right[j], partial[j][threadIdx.x]);
  }
  __syncthreads();
  for (int j = 0; j < sums; ++j) reduce(partial[j]);
  if (threadIdx.x != 0) return;
  double s[sums];
  for (int j = 0; j < sums; ++j) s[j] = static_cast<double>(partial[j][0]);
  planes[blockIdx.x] = solve(s);
}

/// One thread, one point: counts `batch` hypotheses of the plane active[blockIdx.y].
__global__ void __launch_bounds__(block_size)
    count_point(Points points, const std::uint32_t* active, const NormalForm* planes, float t, int* counts) {
  const std::uint32_t plane = active[blockIdx.y], i = blockIdx.x * block_size + threadIdx.x;
  if (i >= points.size[plane]) return;
  const std::uint32_t k = points.first[plane] + i;
  const float x = points.x[k], y = points.y[k], z = points.z[k];
  for (int h = 0; h < batch; ++h)
    if (within(planes[blockIdx.y * batch + h], x, y, z, t)) atomicAdd(&counts[blockIdx.y * batch + h], 1);
}

/// One thread, one point: adds an inlier to the sums of its plane.
__global__ void __launch_bounds__(block_size)
    sum_point(Points points, const NormalForm* planes, float t, double* all_sums) {
  const std::uint32_t i = blockIdx.x * block_size + threadIdx.x;
  double terms[sums] = {};
  if (i < points.size[blockIdx.y]) {
    const std::uint32_t k = points.first[blockIdx.y] + i;
    const float x = points.x[k], y = points.y[k], z = points.z[k];
    if (within(planes[blockIdx.y], x, y, z, t)) {
      const double dx = x, dy = y, dz = z;
      const double of_point[sums] = {1, dx, dy, dz, dx * dx, dx * dy, dy * dy, dx * dz, dy * dz};
      for (int j = 0; j < sums; ++j) terms[j] = of_point[j];
    }
  }
  for (int j = 0; j < sums; ++j) {
    for (int step = 16; step > 0; step /= 2) terms[j] += __shfl_down_sync(0xFFFFFFFFu, terms[j], step);
    if (threadIdx.x % 32 == 0) atomicAdd(&all_sums[blockIdx.y * sums + j], terms[j]);
  }
}

}  // namespace

struct Baselines::State {
  std::vector<PlanePoints> on_host;
  std::uint32_t count = 0, largest = 0;
  std::size_t total = 0;
  float t = 0, log_miss = 0;
  Buffer<float> x, y, z;
  Buffer<std::uint32_t> first, size, active;
  Buffer<Best> best;
  Buffer<int> isinlier, counts;
  Buffer<PaperPlane> planes;
  Buffer<NormalForm> hypotheses;
  Buffer<double> all_sums;
  Buffer<std::uint32_t> active_on_host{Where::host_mapped};
  Buffer<NormalForm> hypotheses_on_host{Where::host_mapped};
  Buffer<int> counts_on_host{Where::host_mapped};

  Points points() const { return Points{x.get(), y.get(), z.get(), first.get(), size.get()}; }
  NormalForm draw(std::uint32_t plane, int i) const {
    const PlanePoints& p = on_host[plane];
    const PhiloxBlock counter{{static_cast<std::uint32_t>(i), plane, 0, 0}};
    const Triple k = sample_three(philox(counter, 1), p.size);
    const auto point = [&](std::uint32_t j) { return make_float3(p.x[j], p.y[j], p.z[j]); };
    return plane_through(point(k.index[0]), point(k.index[1]), point(k.index[2]));
  }
};

Baselines::Baselines(const std::vector<PlanePoints>& planes, float t, double p)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.on_host = planes;
  s.count = static_cast<std::uint32_t>(planes.size());
  s.t = t;
  s.log_miss = static_cast<float>(std::log(1 - p));
  std::vector<std::uint32_t> first, size;
  for (const PlanePoints& plane : planes) {
    first.push_back(static_cast<std::uint32_t>(s.total));
    size.push_back(plane.size);
    s.total += plane.size;
    s.largest = std::max(s.largest, plane.size);
  }
  for (Buffer<float>* b : {&s.x, &s.y, &s.z}) b->reserve(s.total);
  s.first.reserve(s.count), s.size.reserve(s.count), s.active.reserve(s.count);
  s.best.reserve(s.count), s.planes.reserve(s.count), s.isinlier.reserve(s.total);
  s.hypotheses.reserve(s.count * batch), s.counts.reserve(s.count * batch),
      s.all_sums.reserve(s.count * sums);
  s.active_on_host.reserve(s.count), s.hypotheses_on_host.reserve(s.count * batch);
  s.counts_on_host.reserve(s.count * batch);
  const auto copy = [](void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "points of the baselines");
  };
  for (std::uint32_t i = 0; i < s.count; ++i) {
    const std::size_t bytes = planes[i].size * sizeof(float);
    copy(s.x.get() + first[i], planes[i].x, bytes);
    copy(s.y.get() + first[i], planes[i].y, bytes);
    copy(s.z.get() + first[i], planes[i].z, bytes);
  }
  copy(s.first.get(), first.data(), first.size() * sizeof first[0]);
  copy(s.size.get(), size.data(), size.size() * sizeof size[0]);
}

Baselines::~Baselines() = default;

void Baselines::paper_kernel(CUstream_st* stream, int number) {
  State& s = *state_;
  if (number == 1) sample<<<s.count, block_size, 0, stream>>>(s.points(), s.t, s.log_miss, s.best.get());
  if (number == 2)
    classify<<<s.count, block_size, 0, stream>>>(s.points(), s.t, s.best.get(), s.isinlier.get());
  if (number == 3)
    least_squares<<<s.count, block_size, 0, stream>>>(s.points(), s.isinlier.get(), s.planes.get());
  check(cudaGetLastError(), "launch of the paper's kernels");
}

void Baselines::paper(CUstream_st* stream) {
  for (const int number : {1, 2, 3}) paper_kernel(stream, number);
}

std::vector<BaselineFit> Baselines::paper_fits() const {
  const State& s = *state_;
  std::vector<Best> best(s.count);
  std::vector<PaperPlane> planes(s.count);
  check(cudaMemcpy(best.data(), s.best.get(), s.count * sizeof(Best), cudaMemcpyDeviceToHost), "results");
  check(cudaMemcpy(planes.data(), s.planes.get(), s.count * sizeof(PaperPlane), cudaMemcpyDeviceToHost),
        "results");
  std::vector<BaselineFit> fits(s.count);
  for (std::uint32_t i = 0; i < s.count; ++i)
    fits[i] = BaselineFit{planes[i], best[i].hypotheses, best[i].inliers};
  return fits;
}

std::vector<BaselineFit> Baselines::point_per_thread(CUstream_st* stream) {
  State& s = *state_;
  struct Search {
    NormalForm plane{};
    int inliers = 0, tried = 0, limit = most_hypotheses;
  };
  const auto wait = [&] { check(cudaStreamSynchronize(stream), "one thread per point"); };
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "copy");
  };
  const unsigned blocks = (s.largest + block_size - 1) / block_size;
  std::vector<Search> searches(s.count);
  for (int round = 0; round < most_hypotheses / batch; ++round) {
    std::uint32_t n = 0;
    for (std::uint32_t i = 0; i < s.count; ++i) {
      if (s.on_host[i].size < 3 || searches[i].tried >= searches[i].limit) continue;
      s.active_on_host.get()[n] = i;
      for (int h = 0; h < batch; ++h)
        s.hypotheses_on_host.get()[n * batch + h] = s.draw(i, searches[i].tried + h);
      ++n;
    }
    if (n == 0) break;
    copy(s.active.get(), s.active_on_host.get(), n * sizeof(std::uint32_t));
    copy(s.hypotheses.get(), s.hypotheses_on_host.get(), n * batch * sizeof(NormalForm));
    check(cudaMemsetAsync(s.counts.get(), 0, n * batch * sizeof(int), stream), "zeros");
    count_point<<<dim3(blocks, n), block_size, 0, stream>>>(s.points(), s.active.get(), s.hypotheses.get(),
                                                            s.t, s.counts.get());
    copy(s.counts_on_host.get(), s.counts.get(), n * batch * sizeof(int));
    wait();
    for (std::uint32_t k = 0; k < n; ++k) {
      Search& one = searches[s.active_on_host.get()[k]];
      for (int h = 0; h < batch && one.tried < one.limit; ++h, ++one.tried) {
        const int inliers = s.counts_on_host.get()[k * batch + h];
        if (inliers <= one.inliers) continue;
        one.inliers = inliers;
        one.plane = s.hypotheses_on_host.get()[k * batch + h];
        one.limit = needed(inliers, static_cast<int>(s.on_host[s.active_on_host.get()[k]].size), s.log_miss,
                           one.limit);
      }
    }
  }
  for (std::uint32_t i = 0; i < s.count; ++i) s.hypotheses_on_host.get()[i] = searches[i].plane;
  copy(s.hypotheses.get(), s.hypotheses_on_host.get(), s.count * sizeof(NormalForm));
  check(cudaMemsetAsync(s.all_sums.get(), 0, s.count * sums * sizeof(double), stream), "zeros");
  sum_point<<<dim3(blocks, s.count), block_size, 0, stream>>>(s.points(), s.hypotheses.get(), s.t,
                                                              s.all_sums.get());
  std::vector<double> of_all(s.count * sums);
  copy(of_all.data(), s.all_sums.get(), of_all.size() * sizeof(double));
  wait();
  std::vector<BaselineFit> fits(s.count);
  for (std::uint32_t i = 0; i < s.count; ++i) {
    double of_one[sums];
    std::copy_n(of_all.begin() + i * sums, sums, of_one);
    fits[i] = BaselineFit{solve(of_one), searches[i].tried, searches[i].inliers};
  }
  return fits;
}

}  // namespace datum::bench

#include <chrono>
#include <cstring>
#include <limits>
#include <vector>

#include "gpu/core/cuda_support.cuh"
#include "gpu/parallel_planes/parallel_planes_check.h"
#include "gpu/parallel_planes/parallel_planes_cuda.h"
#include "gpu/parallel_planes/parallel_planes_math.h"

namespace datum {
namespace {

using namespace cuda;
using namespace parallel;

constexpr int threads = 128;                      // four warps of four tiles
constexpr int block_tiles = threads / lanes;      //
constexpr int block_points = block_tiles * tile;  // 256 KiB
constexpr int ahead = 8;                          // points of a lane that are on their way
constexpr std::chrono::milliseconds timeout{1000};

/// What a block works on.
struct BlockTask {
  const WeightedPoint* points;
  std::uint32_t size, sample;
};
struct DeviceCentre {
  float at[3];
};

struct Work {
  const BlockTask* tasks;
  const DeviceCentre* centres;
  SampleSums* sums;
  Job job;
};

/// Integers add up in any order.
__device__ void add_shared(long long* to, long long v) {
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(v));
}

__global__ void __launch_bounds__(threads) add_points(Work work) {
  __shared__ long long block_sums[moment_count];
  __shared__ unsigned int block_faults, block_count;
  if (threadIdx.x < moment_count) block_sums[threadIdx.x] = 0;
  if (threadIdx.x == 0) block_faults = block_count = 0;
  const BlockTask task = work.tasks[blockIdx.x];
  const DeviceCentre centre = work.centres[task.sample];
  const double cx = centre.at[0], cy = centre.at[1], cz = centre.at[2];
  const unsigned int lane = threadIdx.x % lanes, first = threadIdx.x / lanes * tile + lane;
  const unsigned int end = first / tile * tile + tile < task.size ? first / tile * tile + tile : task.size;
  const unsigned int n = first < end ? (end - first + lanes - 1) / lanes : 0;  // points of this lane
  double sums[moment_count];
#pragma unroll
  for (int m = 0; m < moment_count; ++m) sums[m] = work.job.scale.begin[m];
  unsigned int faults = 0, count = 0;
  const float4* from = reinterpret_cast<const float4*>(task.points) + first;
  const auto take = [&](const float4 v) {
    const WeightedPoint p{v.x, v.y, v.z, v.w};
    faults |= faults_of(p, centre.at, work.job.half_range, work.job.max_weight);
    count += bits_of(p.w) != 0;
    add_point<OneLane>(sums, static_cast<double>(p.x) - cx, static_cast<double>(p.y) - cy,
                       static_cast<double>(p.z) - cz, static_cast<double>(p.w));
  };
  unsigned int row = 0;
  for (; row + ahead <= n; row += ahead) {
    float4 p[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) p[k] = __ldcs(from + (row + k) * lanes);
#pragma unroll
    for (int k = 0; k < ahead; ++k) take(p[k]);
  }
  for (; row < n; ++row) take(__ldcs(from + row * lanes));
  __syncthreads();
#pragma unroll
  for (int m = 0; m < moment_count; ++m) {
    long long sum = gathered(sums[m], work.job.scale.begin[m]);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, step);
    if (threadIdx.x % 32 == 0) add_shared(&block_sums[m], sum);
  }
  const unsigned int warp_faults = __reduce_or_sync(0xFFFFFFFFu, faults);
  const unsigned int warp_count = __reduce_add_sync(0xFFFFFFFFu, count);
  if (threadIdx.x % 32 == 0) {
    atomicOr(&block_faults, warp_faults);
    atomicAdd(&block_count, warp_count);
  }
  __syncthreads();
  SampleSums* const to = work.sums + task.sample;
  if (threadIdx.x < moment_count) {
    const long long sum = block_sums[threadIdx.x];
    add_shared(reinterpret_cast<long long*>(&to->high[threadIdx.x]), sum >> 32);
    add_shared(reinterpret_cast<long long*>(&to->low[threadIdx.x]), sum & 0xFFFFFFFFll);
  }
  if (threadIdx.x == 32) {
    add_shared(reinterpret_cast<long long*>(&to->points), block_count);
    if (block_faults) atomicOr(&to->faults, block_faults);
  }
}

struct Finish {
  const ParallelSet* sets;
  const DeviceCentre* centres;
  SampleSums* sums;
  ParallelPlanes* shared;
  ParallelPlane* planes;
  Job job;
};

constexpr unsigned finish_threads = 32;

/// A warp for each set, a lane for each plane. Moments are added in the order of the planes, as the host does. The sums
/// are left at zero for the next launch.
__global__ void __launch_bounds__(finish_threads) finish_sets(Finish f) {
  __shared__ PlanePart parts[finish_threads];
  __shared__ SetSums sums;
  __shared__ ParallelPlanes shared;
  const ParallelSet set = f.sets[blockIdx.x];
  const unsigned lane = threadIdx.x;
  if (lane == 0) sums = SetSums{};
  PlanePart mine;
  for (std::uint32_t first = 0; first < set.planes; first += finish_threads) {
    const std::uint32_t here = set.planes - first < finish_threads ? set.planes - first : finish_threads;
    const std::uint32_t i = set.first + first + lane;
    if (lane < here) parts[lane] = mine = part_of(f.job, f.sums[i], f.centres[i].at);
    __syncwarp();
    if (lane == 0)
      for (std::uint32_t k = 0; k < here; ++k) gather(parts[k], &sums);
    __syncwarp();
  }
  if (lane == 0) f.shared[blockIdx.x] = shared = shared_of(f.job, sums);
  __syncwarp();
  for (std::uint32_t k = lane; k < set.planes; k += finish_threads) {
    const std::uint32_t i = set.first + k;
    if (set.planes > finish_threads) mine = part_of(f.job, f.sums[i], f.centres[i].at);
    complete(f.job, sums, shared, &mine);
    f.planes[i] = mine.plane;
    f.sums[i] = SampleSums{};
  }
}

/// Doubles as integers of the same order.
__device__ unsigned long long ordered(double v) {
  const unsigned long long bits = static_cast<unsigned long long>(__double_as_longlong(v));
  return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}

struct Search {
  const BlockTask* tasks;
  const std::uint32_t* set_of;
  const ParallelPlanes* shared;
  const ParallelPlane* planes;
  unsigned long long* lowest;  // ordered
  unsigned long long* highest;
};

__global__ void __launch_bounds__(threads) find_extremes(Search s) {
  const BlockTask task = s.tasks[blockIdx.x];
  const ParallelPlanes& set = s.shared[s.set_of[task.sample]];
  const ParallelPlane& plane = s.planes[task.sample];
  const double normal[3] = {set.normal[0], set.normal[1], set.normal[2]};
  const double origin[3] = {plane.centroid[0], plane.centroid[1], plane.centroid[2]};
  const double infinite = __longlong_as_double(0x7FF0000000000000ll);
  double low = infinite, high = -infinite;
  const float4* from = reinterpret_cast<const float4*>(task.points);
#pragma unroll 4
  for (unsigned int i = threadIdx.x; i < task.size; i += threads) {
    const float4 v = __ldcs(from + i);
    if (!(v.w > 0)) continue;
    const double d = distance_of(WeightedPoint{v.x, v.y, v.z, v.w}, normal, origin);
    low = d < low ? d : low;
    high = d > high ? d : high;
  }
  for (int step = 16; step > 0; step /= 2) {
    const double a = __shfl_down_sync(0xFFFFFFFFu, low, step), b = __shfl_down_sync(0xFFFFFFFFu, high, step);
    low = a < low ? a : low;
    high = b > high ? b : high;
  }
  if (threadIdx.x % 32 != 0 || low > high) return;
  atomicMin(s.lowest + task.sample, ordered(low));
  atomicMax(s.highest + task.sample, ordered(high));
}

unsigned long long ordered_on_host(double v) {
  unsigned long long bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}

double from_ordered(unsigned long long key) {
  const unsigned long long bits = key >> 63 ? key & 0x7FFFFFFFFFFFFFFFull : ~key;
  double v = 0;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

}  // namespace

struct CudaParallelPlanes::State {
  std::vector<PlaneSample> samples;
  std::size_t set_count = 0;
  Job job;
  bool on_device = false;
  unsigned blocks = 0;
  Buffer<WeightedPoint> points;
  Buffer<BlockTask> tasks;
  Buffer<DeviceCentre> centres;
  Buffer<ParallelSet> sets;
  Buffer<std::uint32_t> set_of;
  Buffer<SampleSums> sums;
  Buffer<ParallelPlanes> shared;
  Buffer<ParallelPlane> planes;
  Buffer<unsigned long long> extremes;
};

CudaParallelPlanes::CudaParallelPlanes() : state_(new State) {}
CudaParallelPlanes::~CudaParallelPlanes() = default;

void CudaParallelPlanes::prepare(const PlaneSample* samples, std::size_t count, const ParallelSet* sets,
                                 std::size_t set_count, const ParallelPlanesSettings& settings,
                                 bool on_device) {
  parallel::check(samples, count, sets, set_count, settings);
  State& s = *state_;
  s.samples.assign(samples, samples + count);
  s.set_count = set_count;
  s.job = job_of(settings);
  s.on_device = on_device;
  std::uint64_t total = 0;
  for (const PlaneSample& sample : s.samples) total += sample.size;
  if (!on_device) s.points.reserve(std::max<std::uint64_t>(total, 1));
  std::vector<BlockTask> tasks;
  std::vector<DeviceCentre> centres;
  std::uint64_t at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const PlaneSample& sample = s.samples[i];
    const WeightedPoint* points = on_device ? sample.points : s.points.get() + at;
    for (std::uint64_t first = 0; first < sample.size; first += block_points)
      tasks.push_back({points + first,
                       static_cast<std::uint32_t>(std::min<std::uint64_t>(block_points, sample.size - first)),
                       i});
    centres.push_back({{sample.centre[0], sample.centre[1], sample.centre[2]}});
    at += sample.size;
  }
  std::vector<std::uint32_t> set_of(count, 0);
  for (std::uint32_t i = 0; i < set_count; ++i)
    for (std::uint32_t k = 0; k < sets[i].planes; ++k) set_of[sets[i].first + k] = i;
  s.blocks = static_cast<unsigned>(tasks.size());
  to_device(s.tasks, tasks, "tasks of parallel planes");
  to_device(s.centres, centres, "centres of parallel planes");
  to_device(s.sets, std::vector<ParallelSet>(sets, sets + set_count), "sets of parallel planes");
  to_device(s.set_of, set_of, "sets of parallel planes");
  zeroed(s.sums, count, "sums of parallel planes");
  zeroed(s.shared, set_count, "parallel planes");
  zeroed(s.planes, count, "parallel planes");
  s.extremes.reserve(std::max<std::size_t>(2 * count, 1));
}

void CudaParallelPlanes::upload(CudaStream stream) {
  State& s = *state_;
  if (s.on_device) return;
  std::uint64_t at = 0;
  for (const PlaneSample& sample : s.samples) {
    if (sample.size > 0)
      cuda::check(cudaMemcpyAsync(s.points.get() + at, sample.points, sample.size * sizeof(WeightedPoint),
                                  cudaMemcpyHostToDevice, stream),
                  "upload of points");
    at += sample.size;
  }
}

void CudaParallelPlanes::launch(CudaStream stream) {
  State& s = *state_;
  if (s.blocks > 0) {
    const Work work{s.tasks.get(), s.centres.get(), s.sums.get(), s.job};
    add_points<<<s.blocks, threads, 0, stream>>>(work);
    cuda::check(cudaGetLastError(), "launch of the sums of parallel planes");
  }
  if (s.set_count == 0) return;
  const Finish f{s.sets.get(), s.centres.get(), s.sums.get(), s.shared.get(), s.planes.get(), s.job};
  finish_sets<<<static_cast<unsigned>(s.set_count), finish_threads, 0, stream>>>(f);
  cuda::check(cudaGetLastError(), "launch of the parallel planes");
}

void CudaParallelPlanes::fetch(CudaStream stream, ParallelPlanes* shared, ParallelPlane* planes) {
  State& s = *state_;
  cuda::wait(stream, timeout, "parallel planes");
  if (s.set_count > 0)
    cuda::check(cudaMemcpy(shared, s.shared.get(), s.set_count * sizeof *shared, cudaMemcpyDeviceToHost),
                "parallel planes");
  if (!s.samples.empty())
    cuda::check(cudaMemcpy(planes, s.planes.get(), s.samples.size() * sizeof *planes, cudaMemcpyDeviceToHost),
                "parallel planes");
}

void CudaParallelPlanes::extremes(CudaStream stream, PlaneExtremes* out) {
  State& s = *state_;
  const std::size_t n = s.samples.size();
  if (n == 0) return;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<unsigned long long> keys(2 * n, ordered_on_host(-infinite));
  std::fill(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n), ordered_on_host(infinite));
  to_device(s.extremes, keys, "extremes of parallel planes");
  if (s.blocks > 0) {
    const Search search{s.tasks.get(),  s.set_of.get(),   s.shared.get(),
                        s.planes.get(), s.extremes.get(), s.extremes.get() + n};
    find_extremes<<<s.blocks, threads, 0, stream>>>(search);
    cuda::check(cudaGetLastError(), "launch of the extremes of parallel planes");
  }
  cuda::wait(stream, timeout, "extremes of parallel planes");
  cuda::check(cudaMemcpy(keys.data(), s.extremes.get(), keys.size() * sizeof keys[0], cudaMemcpyDeviceToHost),
              "extremes of parallel planes");
  for (std::size_t i = 0; i < n; ++i) out[i] = {from_ordered(keys[i]), from_ordered(keys[n + i])};
}

}  // namespace datum

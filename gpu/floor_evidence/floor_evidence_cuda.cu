#include "gpu/floor_evidence/floor_evidence_cuda.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpu/component_height/box_products_cuda.h"
#include "gpu/core/block_arrival.cuh"
#include "gpu/core/cuda_support.cuh"
#include "gpu/floor_evidence/floor_evidence_device.cuh"

namespace datum {
namespace cuda {
namespace {

/// One board's rings as the kernels see them.
struct Rings {
  const RingTile* tiles;
  const PixelGroup* groups;
  const RingTask* tasks;
  RingWork* work;
  const ResidualWindow* windows;
};

__device__ void store_steps(const Eight<std::uint16_t>& steps, const PixelGroup& group,
                            const ResidualWindow& to) {
  const std::int64_t at = static_cast<std::int64_t>(group.row - to.row0) * to.pitch + (group.col - to.col0);
  *reinterpret_cast<Eight<std::uint16_t>*>(to.steps + at) = steps;
}

__device__ RingRecord* record_of(unsigned char* records, std::size_t stride, std::uint32_t site) {
  return reinterpret_cast<RingRecord*>(records + site * stride);
}

/// Writes a record, words side by side; the whole block.
__device__ void publish(const RingRecord& from, RingRecord* to) {
  for (unsigned int i = threadIdx.x; i < sizeof(RingRecord) / 4; i += ring_threads)
    reinterpret_cast<std::uint32_t*>(to)[i] = reinterpret_cast<const std::uint32_t*>(&from)[i];
}

/// The fullest window of other levels as one number that is largest for it: count, then the lowest end.
__device__ unsigned long long fullest_key(const unsigned int* histogram, int excluded) {
  unsigned long long best = 0;
  for (int end = level::window + static_cast<int>(threadIdx.x); end <= level::bins; end += ring_threads) {
    const int begin = end - level::window;
    if (!(end <= level::half_bins - excluded || begin >= level::half_bins + excluded)) continue;
    unsigned int count = 0;
    for (int bin = begin; bin < end; ++bin) count += histogram[bin];
    const unsigned long long key =
        (static_cast<unsigned long long>(count) << 32) | (0xFFFFFFFFu - static_cast<unsigned int>(end));
    if (count > 0 && key > best) best = key;
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    const unsigned long long other = __shfl_xor_sync(all_lanes, best, apart);
    if (other > best) best = other;
  }
  return best;
}

/// The last block of a ring: sums become a record and a form, and are zero again. A call, so that its
/// registers are not those of the pass over the pixels.
__device__ __noinline__ void finish(const RingTask& task, RingWork* work, unsigned int* histogram,
                                    RingRecord* out) {
  __shared__ unsigned long long memory[sizeof(RingRecord) / 8];
  RingRecord& record = *reinterpret_cast<RingRecord*>(memory);
  __shared__ unsigned long long keys[ring_warps];
  const int t = static_cast<int>(threadIdx.x);
  for (int bin = t; bin < level::bins; bin += ring_threads) {
    histogram[bin] = __ldcg(work->histogram + bin);
    work->histogram[bin] = 0;
  }
  if (t < moment_count) {
    const long long sum = static_cast<long long>(__ldcg(work->moments + t));
    (t < 15 ? record.moments.uv[t] : record.moments.r[t - 15]) = sum;
    work->moments[t] = 0;
  }
  if (t < site_sides) {
    record.side_inliers[t] = __ldcg(work->side_inliers + t);
    work->side_inliers[t] = 0;
  }
  if (t == 0) record.residuals = BoxProducts{};  // until their kernel has run
  __syncthreads();
  const unsigned long long key = fullest_key(histogram, task.pass.binning.excluded);
  if (t % 32 == 0) keys[t / 32] = key;
  __syncthreads();
  if (t == 0) {
    unsigned long long best = 0;
    for (int warp = 0; warp < ring_warps; ++warp)
      if (keys[warp] > best) best = keys[warp];
    record.second = static_cast<std::uint32_t>(best >> 32);
    record.second_bin = best ? static_cast<std::int32_t>(0xFFFFFFFFu - static_cast<std::uint32_t>(best)) : 0;
    record.inliers = static_cast<std::uint32_t>(record.moments.uv[0]);
    record.on_floor = __ldcg(&work->on_floor);
    work->on_floor = 0;
    work->tiles_done = 0;
    work->form =
        task.site.quadratic_form
            ? ring_math::form_of(ring_math::quadratic_of(record.moments, task.site), task.pass.steps_per_um)
            : ring_math::Form{};
  }
  __syncthreads();
  publish(record, out);
}

/// Sums over a tile's pixels into the ring's; the last tile of a ring finishes it. Where the floor is a plane alone the
/// residual steps are known too.
template <class Count>
__global__ void __launch_bounds__(ring_threads, 4)
    sum_rings(Rings rings, const Count* image, const PlaneFit* fits, unsigned char* records,
              std::size_t stride) {
  __shared__ unsigned int histogram[level::bins];
  __shared__ long long moments[ring_warps][moment_count];
  __shared__ unsigned int counts[ring_warps][3];
  __shared__ int last;
  const RingTile tile = rings.tiles[blockIdx.x];
  const RingTask& task = rings.tasks[tile.site];
  RingWork* const work = rings.work + tile.site;
  const int t = static_cast<int>(threadIdx.x);
  if (fits[tile.site].status != FitStatus::ok) {  // the same for all threads
    if (tile.first != task.first_group) return;
    __shared__ unsigned long long nothing[sizeof(RingRecord) / 8];
    for (unsigned int i = threadIdx.x; i < sizeof nothing / 8; i += ring_threads) nothing[i] = 0;
    __syncthreads();
    publish(reinterpret_cast<const RingRecord&>(nothing), record_of(records, stride, tile.site));
    return;
  }
  PixelGroup group[groups_per_thread] = {};
  Eight<Count> eight[groups_per_thread];
  if (tile.count > 0) {
#pragma unroll
    for (int g = 0; g < groups_per_thread; ++g) {
      // no branch: what lies behind the tile is its last group again, without pixels
      const std::uint32_t at = threadIdx.x + g * ring_threads;
      group[g] = rings.groups[tile.first + min(at, tile.count - 1)];
      if (at >= tile.count) group[g].pixels = 0;
      eight[g] = load(image, group[g]);
    }
  }
  const RingPass pass = pass_of(task, fits[tile.site]);
  const SiteGrid grid = task.site.grid;
  const ResidualWindow window = rings.windows[tile.site];
  const bool form = task.site.quadratic_form != 0;
  for (int bin = t; bin < level::bins; bin += ring_threads) histogram[bin] = 0;
  __syncthreads();
  RingSums sums;
#pragma unroll
  for (int g = 0; g < groups_per_thread; ++g) {
    if (group[g].pixels == 0) continue;
    Eight<std::uint16_t> steps;
    add_group(grid, pass, group[g], eight[g], histogram, &sums, &steps);
    if (!form) store_steps(steps, group[g], window);
  }
  __syncwarp();
  store_warp_sums(sums, moments, counts);
  __syncthreads();
  if (t < moment_count) {
    long long sum = 0;
    for (int warp = 0; warp < ring_warps; ++warp) sum += moments[warp][t];
    if (sum != 0) atomicAdd(work->moments + t, static_cast<unsigned long long>(sum));
  } else if (t >= 32 && t < 32 + site_sides + 1) {
    const int which = t - 32;  // a side, or what lies on the floor
    unsigned int sum = 0;
    for (int warp = 0; warp < ring_warps; ++warp)
      sum += which == site_sides ? counts[warp][2] : counts[warp][which / 2] >> (which % 2 * 16) & 0xFFFF;
    atomicAdd(which == site_sides ? &work->on_floor : work->side_inliers + which, sum);
  }
  for (int bin = t; bin < level::bins; bin += ring_threads)
    if (histogram[bin] != 0) atomicAdd(work->histogram + bin, histogram[bin]);
  if (!arrives_last(&work->tiles_done, task.tiles, &last)) return;
  finish(task, work, histogram, record_of(records, stride, tile.site));
}

/// Residual steps of a tile's pixels into the ring's window, 0 where there is no inlier, of a ring that has a form.
template <class Count>
__global__ void __launch_bounds__(ring_threads)
    step_rings(Rings rings, const Count* image, const PlaneFit* fits) {
  const RingTile tile = rings.tiles[blockIdx.x];
  const RingTask& task = rings.tasks[tile.site];
  if (task.site.quadratic_form == 0) return;
  if (fits[tile.site].status != FitStatus::ok) return;  // nobody reads the window then
  const RingPass pass = pass_of(task, fits[tile.site]);
  const SiteGrid grid = task.site.grid;
  const ring_math::Form form = rings.work[tile.site].form;
  const ResidualWindow window = rings.windows[tile.site];
  for (std::uint32_t at = threadIdx.x; at < tile.count; at += ring_threads) {
    const PixelGroup group = rings.groups[tile.first + at];
    const Eight<Count> counts = load(image, group);
    const ring_math::RowForm row = ring_math::row_form(form, ring_math::cell_of(pass.v, group.row));
    Eight<std::uint16_t> out;
    for_residuals(grid, pass, group, counts, [&](int k, float r) {
      const float left = r - ring_math::height_of(row, ring_math::cell_of(pass.u, group.col + k));
      const bool inlier = fabsf(r) <= pass.refit_threshold;
      out.v[k] = inlier ? packed_step(ring_math::noise_step(pass, left)) : std::uint16_t{0};
    });
    store_steps(out, group, window);
  }
}

}  // namespace
}  // namespace cuda

using namespace cuda;

struct CudaFloorEvidence::State {
  std::uint32_t sites = 0, tiles = 0;
  bool forms = false;  // some rings have one
  CountType type = CountType::int16;
  Buffer<RingTile> tile_memory;
  Buffer<PixelGroup> groups;
  Buffer<RingTask> tasks;
  Buffer<RingWork> work;
  CudaBoxProducts products;

  Rings rings() const {
    return {tile_memory.get(), groups.get(), tasks.get(), work.get(), products.windows()};
  }

  template <class Count>
  void launch(CudaStream stream, const void* image, const PlaneFit* fits, unsigned char* records,
              std::size_t stride) const {
    const Count* counts = static_cast<const Count*>(image);
    sum_rings<Count><<<tiles, ring_threads, 0, stream>>>(rings(), counts, fits, records, stride);
    if (forms) step_rings<Count><<<tiles, ring_threads, 0, stream>>>(rings(), counts, fits);
  }
};

namespace {

std::vector<RingTask> tasks_of(const BoardPlan& plan, const RingTable& table) {
  std::vector<RingTask> tasks(plan.site_count);
  for (const RingTile& tile : table.tiles) {
    RingTask& task = tasks[tile.site];
    if (task.tiles++ == 0) task.first_group = tile.first;
  }
  for (std::uint32_t i = 0; i < plan.site_count; ++i) {
    tasks[i].site = plan.sites[i];
    tasks[i].pass = ring_math::ring_pass(plan.sites[i], 0, 0, 0);
  }
  return tasks;
}

}  // namespace

CudaFloorEvidence::CudaFloorEvidence() : state_(std::make_unique<State>()) {}
CudaFloorEvidence::~CudaFloorEvidence() = default;

void CudaFloorEvidence::prepare(const BoardPlan& plan, std::int32_t pitch) {
  const RingTable table = ring_table(plan, pitch);
  State& s = *state_;
  s.sites = 0;  // nothing is prepared if what follows fails
  to_device(s.tile_memory, table.tiles, "ring tables");
  to_device(s.groups, table.groups, "ring tables");
  to_device(s.tasks, tasks_of(plan, table), "ring tables");
  zeroed(s.work, plan.site_count + std::size_t{1}, "the rings' sums");
  std::vector<RegionRuns> regions(plan.site_count);
  for (std::uint32_t i = 0; i < plan.site_count; ++i)
    regions[i] = RegionRuns{plan.sites[i].ring_run, plan.sites[i].ring_runs};
  s.products.prepare(plan.runs, regions.data(), regions.size());
  s.forms = std::any_of(plan.sites, plan.sites + plan.site_count,
                        [](const SitePlan& p) { return p.quadratic_form; });
  s.type = plan.type;
  s.tiles = static_cast<std::uint32_t>(table.tiles.size());
  s.sites = plan.site_count;
}

void CudaFloorEvidence::launch(CudaStream stream, const void* image, const PlaneFit* fits,
                               RingRecord* records, std::size_t stride_bytes) {
  const State& s = *state_;
  if (s.sites == 0) return;
  unsigned char* const out = reinterpret_cast<unsigned char*>(records);
  switch (s.type) {
    case CountType::int16:
      s.launch<std::int16_t>(stream, image, fits, out, stride_bytes);
      break;
    case CountType::int32:
      s.launch<std::int32_t>(stream, image, fits, out, stride_bytes);
      break;
    case CountType::float32:
      s.launch<float>(stream, image, fits, out, stride_bytes);
      break;
  }
  check(cudaGetLastError(), "ring evidence");
  static_assert(offsetof(RingRecord, residuals) % 8 == 0);
  s.products.launch(stream, fits, reinterpret_cast<BoxProducts*>(out + offsetof(RingRecord, residuals)),
                    stride_bytes);
}

}  // namespace datum

#include "gpu/component_height/component_height_cuda.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/component_height/box_tiles.h"
#include "gpu/component_height/component_height_ranks.cuh"
#include "gpu/component_height/component_height_residuals.cuh"
#include "gpu/component_height/component_height_take.cuh"
#include "gpu/core/cuda_dialect.cuh"
#include "gpu/core/cuda_stream.cuh"
#include "gpu/core/cuda_support.cuh"

namespace datum {
namespace {

using namespace cuda;

[[noreturn]] void refuse(std::size_t site, const std::string& what) {
  throw std::invalid_argument("component heights: site " + std::to_string(site) + ": " + what);
}

void check_body(const SitePlan& site, const height::Window& w, std::size_t index) {
  if (site.quantile_count > max_quantiles || site.top_count_count > max_top_counts)
    refuse(index, std::to_string(site.quantile_count) + " quantiles and " +
                      std::to_string(site.top_count_count) + " top counts; at most 8 of each are measured");
  if (w.rows > max_body_side_px || w.cols > max_body_side_px || site.body_pixels > max_body_px)
    refuse(index, "its body is larger than 8192 x 8192 or 2^24 pixels");
}

std::int32_t up_to(std::int32_t n, std::int32_t step) { return (n + step - 1) / step * step; }

std::uint32_t multiprocessor_count() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "device");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "device");
  return static_cast<std::uint32_t>(count);
}

/// Bits of one region's pixels, for each thread of its tiles.
void mark_pixels(const BoxLayout& layout, std::size_t region, const PixelRun* runs, std::uint32_t count,
                 std::vector<std::uint16_t>* masks) {
  const RegionWindow& w = layout.windows[region];
  const std::int32_t across = w.cols / box_tile_side + 1, down = w.rows / box_tile_side + 1;
  std::vector<std::uint32_t> tile_at(static_cast<std::size_t>(across) * down);
  for (std::uint32_t t = w.first_tile; t < w.first_tile + w.tiles; ++t)
    tile_at[layout.tiles[t].row / box_tile_side * across + layout.tiles[t].col / box_tile_side] = t;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::int32_t row = runs[i].row - w.row0, begin = runs[i].col - w.col0;
    for (std::int32_t col = begin; col < begin + runs[i].length; ++col) {
      const std::size_t tile = tile_at[row / box_tile_side * across + col / box_tile_side];
      const std::int32_t r = row % box_tile_side, c = col % box_tile_side;
      (*masks)[tile * body_threads + r % group_rows * 16 + c / 4] |=
          static_cast<std::uint16_t>(1u << (4 * (r / group_rows) + c % 4));
    }
  }
}

}  // namespace

/// Parts of one body, about equal, at most `most`.
void add_parts(const BodyTask& task, std::uint32_t region, std::uint32_t most, std::vector<RankPart>* parts) {
  const std::uint32_t count = std::min((task.tiles - 1) / held_tiles + 1, most);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t begin = static_cast<std::uint32_t>(std::uint64_t{task.tiles} * i / count),
                        end = static_cast<std::uint32_t>(std::uint64_t{task.tiles} * (i + 1) / count);
    parts->push_back(RankPart{region, task.first_tile + begin, end - begin, count});
  }
}

static_assert(rank_bytes_for(max_targets) <= static_cast<int>(orin_shared_bytes));

struct CudaComponentHeights::State {
  Buffer<std::uint16_t> steps;
  Buffer<std::int32_t> nm;
  Buffer<BodyTask> tasks;
  Buffer<BoxTile> tiles;
  Buffer<std::uint16_t> masks;
  Buffer<BodyWork> work;
  Buffer<std::uint32_t> first, second, third;
  Buffer<RankPart> parts;
  Buffer<unsigned int> next_part;
  std::uint32_t all_tiles = 0, box_tiles = 0, part_count = 0, targets = 0;
  CountType type = CountType::int16;
  std::int32_t pitch = 0;
  // ranks and residuals of a launch beside each other
  Stream branch{first_priority()};
  Event taken{cudaEventDisableTiming}, ranked{cudaEventDisableTiming};
};

CudaComponentHeights::CudaComponentHeights() : state_(new State) {}
CudaComponentHeights::~CudaComponentHeights() = default;

void CudaComponentHeights::prepare(const BoardPlan& plan, std::int32_t pitch) {
  State& s = *state_;
  if (pitch < plan.cols || pitch % 8 != 0)
    throw std::invalid_argument("component heights: a pitch of " + std::to_string(pitch) + " for " +
                                std::to_string(plan.cols) +
                                " columns; allowed: a multiple of 8, at least the columns");
  s.type = plan.type;
  s.pitch = pitch;
  const std::uint32_t multiprocessors = multiprocessor_count();
  std::vector<RegionRuns> regions;
  for (std::uint32_t i = 0; i < plan.site_count; ++i)
    regions.push_back(RegionRuns{plan.sites[i].body_run, plan.sites[i].body_runs});
  BoxLayout layout = lay_out_boxes(plan.runs, regions.data(), regions.size());
  s.box_tiles = static_cast<std::uint32_t>(layout.tiles.size());
  std::vector<std::uint16_t> masks(layout.tiles.size() * body_threads);
  std::vector<std::size_t> nm_first;
  std::size_t nm_size = 0;
  s.targets = 0;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const RegionWindow& w = layout.windows[i];
    const SitePlan& site = plan.sites[i];
    check_body(site, height::window_of(plan.runs + site.body_run, site.body_runs), i);
    mark_pixels(layout, i, plan.runs + site.body_run, site.body_runs, &masks);
    nm_first.push_back(nm_size);
    if (w.rows > 0) nm_size += static_cast<std::size_t>(w.rows + 2) * (up_to(w.cols, 4) + 4);
    s.targets = std::max(s.targets, 6 + 3 * site.quantile_count + site.top_count_count);
  }
  s.steps.reserve(std::max<std::size_t>(layout.size, 1));
  s.nm.reserve(std::max<std::size_t>(nm_size, 1));

  std::vector<BodyTask> tasks;
  std::vector<RankPart> parts;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const RegionWindow& w = layout.windows[i];
    const SitePlan& site = plan.sites[i];
    BodyTask t;
    t.grid = site.grid;
    t.window = ResidualWindow{s.steps.get() + w.first, w.row0, w.col0, w.pitch};
    t.nm = s.nm.get() + nm_first[i];
    t.nm_pitch = up_to(w.cols, 4) + 4;
    const height::Window exact = height::window_of(plan.runs + site.body_run, site.body_runs);
    t.row0 = exact.row + exact.rows / 2;
    t.col0 = exact.col + exact.cols / 2;
    t.present_nm = height::present_threshold_nm(site.present_above_um);
    t.first_tile = w.first_tile;
    t.tiles = w.tiles;
    if (w.tiles == 0) {  // a tile without pixels, so that somebody writes the record
      t.first_tile = static_cast<std::uint32_t>(layout.tiles.size());
      t.tiles = 1;
      layout.tiles.emplace_back().region = static_cast<std::uint32_t>(i);
    }
    std::copy(site.quantiles, site.quantiles + max_quantiles, t.quantiles);
    std::copy(site.top_counts, site.top_counts + max_top_counts, t.top_counts);
    t.quantile_count = site.quantile_count;
    t.top_count_count = site.top_count_count;
    t.opened = site.opened_maximum;
    tasks.push_back(t);
    if (w.tiles > 0) add_parts(t, static_cast<std::uint32_t>(i), multiprocessors, &parts);
  }
  s.all_tiles = static_cast<std::uint32_t>(layout.tiles.size());
  masks.resize(layout.tiles.size() * body_threads);

  BodyWork fresh{};
  fresh.lowest = INT32_MAX;
  fresh.highest = fresh.opened = INT32_MIN;
  to_device(s.work, std::vector<BodyWork>(regions.size(), fresh), "body sums");
  to_device(s.tasks, tasks, "bodies");
  to_device(s.tiles, layout.tiles, "tiles of bodies");
  to_device(s.parts, parts, "tiles of bodies");
  zeroed(s.next_part, 1, "tiles of bodies");
  s.part_count = static_cast<std::uint32_t>(parts.size());
  to_device(s.masks, masks, "pixels of bodies");
  zeroed(s.first, regions.size() * first_bins, "histograms");
  zeroed(s.second, regions.size() * s.targets * digit_bins, "histograms");
  zeroed(s.third, regions.size() * s.targets * digit_bins, "histograms");
  zeroed(s.steps, layout.size, "residual steps");
  const std::vector<std::int32_t> row(std::min<std::size_t>(nm_size, 1u << 20), height::no_height);
  for (std::size_t at = 0; at < nm_size; at += row.size())
    check(cudaMemcpy(s.nm.get() + at, row.data(), std::min(row.size(), nm_size - at) * sizeof(std::int32_t),
                     cudaMemcpyHostToDevice),
          "heights");
  check(cudaStreamSynchronize(nullptr), "heights");
  check(cudaFuncSetAttribute(rank_bodies, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             rank_bytes_for(max_targets)),  // another object may need more than this one
        "shared memory");
}

void CudaComponentHeights::launch(CudaStream stream, const void* image, const PlaneFit* fits, BodyRecord* out,
                                  std::size_t stride) const {
  const State& s = *state_;
  if (s.all_tiles == 0) return;
  BodyBatch b{};
  b.tasks = s.tasks.get();
  b.tiles = s.tiles.get();
  b.masks = s.masks.get();
  b.work = s.work.get();
  b.first = s.first.get();
  b.second = s.second.get();
  b.third = s.third.get();
  b.fits = fits;
  b.out = reinterpret_cast<unsigned char*>(out);
  b.stride = stride;
  b.pitch = s.pitch;
  b.parts = s.parts.get();
  b.next_part = s.next_part.get();
  b.part_count = s.part_count;
  b.targets = s.targets;
  constexpr std::size_t take_bytes = sizeof(TakeShared);
  switch (s.type) {
    case CountType::int16:
      take_heights<<<s.all_tiles, body_threads, take_bytes, stream>>>(
          b, static_cast<const std::int16_t*>(image));
      break;
    case CountType::int32:
      take_heights<<<s.all_tiles, body_threads, take_bytes, stream>>>(
          b, static_cast<const std::int32_t*>(image));
      break;
    case CountType::float32:
      take_heights<<<s.all_tiles, body_threads, take_bytes, stream>>>(b, static_cast<const float*>(image));
      break;
  }
  check(cudaGetLastError(), "launch of the heights");
  if (s.box_tiles == 0) return;
  check(cudaEventRecord(s.taken, stream), "launch of the ranks");
  check(cudaStreamWaitEvent(s.branch, s.taken, 0), "launch of the ranks");
  rank_bodies<<<s.part_count, body_threads, rank_bytes_for(s.targets), s.branch>>>(b);
  check(cudaGetLastError(), "launch of the ranks");
  check(cudaEventRecord(s.ranked, s.branch), "launch of the ranks");
  take_residuals<<<s.box_tiles, body_threads, 0, stream>>>(b);
  check(cudaGetLastError(), "launch of the residuals");
  sum_residuals<<<s.box_tiles, body_threads, 0, stream>>>(b);
  check(cudaGetLastError(), "launch of the residuals' sums");
  check(cudaStreamWaitEvent(stream, s.ranked, 0), "launch of the ranks");
}

}  // namespace datum

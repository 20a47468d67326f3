#include "gpu/plane_fit/plane_fit_cuda.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gpu/core/parallel_for.h"
#include "gpu/plane_fit/fit_launch.cuh"
#include "gpu/plane_fit/pixel_table.h"
#include "gpu/plane_fit/plane_fit_check.h"
#include "gpu/plane_fit/stopping_table.h"

namespace datum {
namespace {

using namespace cuda;

/// Memory of a PlaneWork, whose constructors run on the device only.
struct alignas(16) WorkBytes {
  unsigned char bytes[sizeof(PlaneWork)];
};
static_assert(sizeof(WorkBytes) == sizeof(PlaneWork) && sizeof(PlaneWork) % 4 == 0);

std::uint32_t up_to(std::uint32_t n, std::uint32_t step) { return (n + step - 1) / step * step; }

}  // namespace

struct CudaPlaneFit::State {
  CudaFitOptions options;
  int multiprocessors = 0;

  // the batch
  std::vector<PlanePoints> points;  // of planes of points
  PlaneFitSettings settings;
  bool of_map = false, exact = false, all_need_cpu = false;
  CountType type = CountType::int16;
  std::int32_t pitch = 0;
  std::size_t count = 0;

  std::vector<PlaneTask> tasks;
  std::uint64_t total_quads = 0;
  unsigned device_planes = 0;
  std::uint32_t first_count = 0, search_count = 0;

  Buffer<PlaneTask> task_buffer;
  Buffer<WorkBytes> work;
  Buffer<float4> samples, boundary, subsets, pools;
  Buffer<std::uint32_t> all_counts, needs_cpu, map_table, search_tasks, boundary_counts;
  Buffer<PixelQuad> sampled_pixels;
  Buffer<PlaneFit> fits;
  Buffer<Queue> queue;
  Buffer<unsigned long long> slots, first_tasks;
  std::uint32_t slot_count = 0, tile_quads = 0;
  Buffer<double> needed;
  double table_confidence = 0;
  Buffer<float4> coordinates;
  Buffer<float4> pinned{Where::host_mapped};
  Buffer<PlaneFit> host_fits{Where::host_mapped};
  Buffer<std::uint32_t> host_needs_cpu{Where::host_mapped};
  Buffer<Queue> host_queue{Where::host_mapped};

  void plan_tiles();
  unsigned blocks() const;
  std::uint32_t tile_for_device() const;
  std::string unfinished() const;
  Batch batch() const;
  template <class Source>
  void launch(cudaStream_t stream, const Source& source);
  template <class Count>
  void launch_map(cudaStream_t stream, const void* image);
};

unsigned CudaPlaneFit::State::blocks() const {
  return options.blocks ? options.blocks : static_cast<unsigned>(multiprocessors * blocks_per_multiprocessor);
}

/// Quads of a tile. Every block gets an equal share; where there are about as many planes as blocks, a plane is one
/// tile. Exact mode reads the points more often, so that larger tiles save it more hand-overs.
std::uint32_t CudaPlaneFit::State::tile_for_device() const {
  const std::uint32_t most = exact ? summed_quads + summed_quads / 4 * 3 : summed_quads;
  std::uint32_t largest = 0, planes = 0;
  for (const PlaneTask& t : tasks) {
    largest = std::max(largest, t.quads);
    planes += t.quads > 0;
  }
  const std::uint64_t share = total_quads / blocks() + 1;
  const std::uint64_t wanted = largest <= summed_quads && 2 * planes >= blocks() ? largest : share;
  return std::clamp<std::uint32_t>(
      up_to(static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, most)), block_threads), block_threads,
      most);
}

/// Divides the planes into tiles and allocates the memory of the batch.
void CudaPlaneFit::State::plan_tiles() {
  all_need_cpu = settings.max_hypotheses > max_tried;
  total_quads = 0;
  std::uint64_t sample_room = 0, all_tiles = 0;
  for (const PlaneTask& t : tasks) total_quads += t.quads;
  tile_quads = options.tile_quads ? std::min(options.tile_quads, max_tile_quads) : tile_for_device();
  device_planes = 0;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    PlaneTask& t = tasks[i];
    t.tiles = (t.quads + tile_quads - 1) / tile_quads;
    if (t.size >= max_points) all_need_cpu = true;
    t.by_index = settings.sampling == SamplingOrder::by_index && t.half_x != 0 && t.half_y != 0;
    t.first_limit = plane_math::key_limit(t.size - t.size / 4, plane_math::subset_target);
    t.subset_limit = plane_math::key_limit(t.size, plane_math::subset_target);
    t.pool_limit = plane_math::key_limit(t.size, plane_math::pool_target);
    t.first_sample = static_cast<std::uint32_t>(sample_room);
    t.sample_room = std::min(up_to(t.size, 4), sample_capacity);
    t.first_tile = static_cast<std::uint32_t>(all_tiles);
    all_tiles += t.tiles;
    sample_room += t.sample_room;
    if (t.tiles > 0) {
      ++device_planes;
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](auto i, auto j) { return tasks[i].tiles > tasks[j].tiles; });
  std::vector<std::uint32_t> searches;
  std::vector<unsigned long long> first;
  for (const std::size_t i : order) {
    if (tasks[i].by_index) searches.push_back(static_cast<std::uint32_t>(i));
    for (std::uint32_t t = 0; t < tasks[i].tiles; ++t)
      first.push_back(static_cast<unsigned long long>(i) << part_bits | t);
  }
  if (options.shuffle_seed) {
    std::mt19937_64 engine(options.shuffle_seed);
    std::shuffle(first.begin(), first.end(), engine);
  }
  first_count = static_cast<std::uint32_t>(first.size());
  search_count = static_cast<std::uint32_t>(searches.size());
  if (tasks.size() >= 1u << part_bits || all_tiles >= 1u << 30)
    throw GpuError("a batch of " + std::to_string(tasks.size()) + " planes in " + std::to_string(all_tiles) +
                       " tiles; the CUDA backend allows 2^20 - 1 planes and 2^30 - 1 tiles",
                   false);
  slot_count = 1024;
  while (slot_count < 2 * (all_tiles + blocks())) slot_count *= 2;

  to_device(task_buffer, tasks, "planes");
  to_device(first_tasks, first, "tiles");
  to_device(search_tasks, searches, "searches");
  zeroed(work, tasks.size(), "plane work");
  zeroed(queue, 1, "queue");
  zeroed(slots, slot_count, "queue");
  to_device(needs_cpu, std::vector<std::uint32_t>(std::max<std::size_t>(tasks.size(), 1), all_need_cpu),
            "flags");
  samples.reserve(std::max<std::uint64_t>(sample_room, 1));
  boundary.reserve(std::max<std::uint64_t>(4 * total_quads, 1));
  boundary_counts.reserve(std::max<std::uint64_t>(all_tiles, 1));
  all_counts.reserve(exact ? tasks.size() * max_tried : 1);
  subsets.reserve(exact ? tasks.size() * max_subset : 1);
  pools.reserve(exact ? tasks.size() * max_pool : 1);
  std::vector<PlaneFit> empty(tasks.size());
  for (PlaneFit& f : empty) f.status = FitStatus::too_few_points;  // the result of a plane without points
  to_device(fits, empty, "fits");
  host_fits.reserve(std::max<std::size_t>(tasks.size(), 1));
  host_needs_cpu.reserve(std::max<std::size_t>(tasks.size(), 1));
  host_queue.reserve(1);
  if (table_confidence != settings.confidence) {
    to_device(needed, stopping_table(settings.confidence, max_tried), "hypotheses");
    table_confidence = settings.confidence;
  }
}

CudaPlaneFit::CudaPlaneFit(const CudaFitOptions& options) : state_(new State) {
  state_->options = options;
  int device = 0;
  check(cudaGetDevice(&device), "device");
  check(cudaDeviceGetAttribute(&state_->multiprocessors, cudaDevAttrMultiProcessorCount, device), "device");
}

CudaPlaneFit::~CudaPlaneFit() = default;

void CudaPlaneFit::prepare(const PlanePoints* planes, std::size_t count, const PlaneFitSettings& settings) {
  check_batch(planes, count, settings);
  State& s = *state_;
  s.of_map = false;
  s.settings = settings;
  s.exact = settings.mode == FitMode::exact;
  s.points.assign(planes, planes + count);
  s.count = count;
  s.tasks.assign(count, PlaneTask{});
  std::uint64_t quads = 0;
  for (std::size_t i = 0; i < count; ++i) {
    PlaneTask& t = s.tasks[i];
    const PlanePoints& p = planes[i];
    t.first = quads;
    t.size = p.size;
    t.quads = (p.size + 3) / 4;
    t.half_x = p.half_x;
    t.half_y = p.half_y;
    t.threshold = settings.threshold;
    t.refit_threshold = settings.refit_threshold;
    t.seed = p.seed;
    quads += t.quads;
  }
  s.plan_tiles();
  s.coordinates.reserve(std::max<std::uint64_t>(3 * quads, 1));
  s.pinned.reserve(std::max<std::uint64_t>(3 * quads, 1));
  float* const base = reinterpret_cast<float*>(s.pinned.get());
  parallel_for(cpu_backend().threads, count, [&](std::size_t i, unsigned) {
    const PlanePoints& p = s.points[i];
    const PlaneTask& t = s.tasks[i];
    const float* from[3] = {p.x, p.y, p.z};
    for (std::uint64_t axis = 0; axis < 3; ++axis) {
      float* to = base + 4 * (axis * quads + t.first);
      std::copy(from[axis], from[axis] + p.size, to);
      std::fill(to + p.size, to + 4 * std::size_t{t.quads}, std::numeric_limits<float>::quiet_NaN());
    }
  });
}

void CudaPlaneFit::prepare(const BoardPlan& plan, std::int32_t pitch) {
  State& s = *state_;
  if (pitch < plan.cols || pitch % 8 != 0)
    throw std::invalid_argument("plane fit: a pitch of " + std::to_string(pitch) + " for " +
                                std::to_string(plan.cols) +
                                " columns; allowed: a multiple of 8, at least the columns");
  s.of_map = true;
  s.settings = PlaneFitSettings{};
  s.settings.mode = plan.mode;
  s.settings.confidence = plan.confidence;
  s.settings.max_hypotheses = plan.max_hypotheses;
  s.exact = plan.mode == FitMode::exact;
  s.type = plan.type;
  s.pitch = pitch;
  s.count = plan.site_count;
  const auto pixels = static_cast<std::uint64_t>(plan.rows) * pitch;
  if (pixels * pitch / 16 >= 1ull << 38)
    throw GpuError("a frame of " + std::to_string(plan.rows) + " rows of " + std::to_string(pitch) +
                       " is larger than the CUDA backend's tables",
                   false);
  s.tasks.assign(s.count, PlaneTask{});
  std::vector<std::uint32_t> table;
  std::vector<PixelQuad> sampled;
  for (std::size_t i = 0; i < s.count; ++i) {
    const SitePlan& site = plan.sites[i];
    PlaneTask& t = s.tasks[i];
    t.first = table.size();
    t.first_sampled_quad = static_cast<std::uint32_t>(sampled.size());
    add_sampled_quads(plan, site, pitch, &sampled);
    add_groups(plan, site, pitch, &table);
    t.quads = static_cast<std::uint32_t>(table.size() - t.first);
    t.size = site.ring_pixels;
    t.half_x = site.half_x;
    t.half_y = site.half_y;
    t.threshold = site.threshold;
    t.refit_threshold = site.refit_threshold;
    t.seed = site.seed;
    t.grid = site.grid;
    PlaneFitSettings own = s.settings;
    own.threshold = site.threshold;
    own.refit_threshold = site.refit_threshold;
    if (t.size > 0) check_settings(own);
    if (!inside_bounds(plan, site))
      throw GpuError("site " + std::to_string(i) + ": pixels of its ring lie outside its bounds", false);
    if (plan.type == CountType::int16 && std::abs(site.grid.z.ref) > 1 << 21)
      throw GpuError("site " + std::to_string(i) + ": the board lies outside the sensor's counts", false);
  }
  s.plan_tiles();
  to_device(s.map_table, table, "pixel table");
  to_device(s.sampled_pixels, sampled, "pixel table");
}

void CudaPlaneFit::upload(CudaStream stream) {
  State& s = *state_;
  if (s.total_quads == 0 || s.of_map) return;
  check(cudaMemcpyAsync(s.coordinates.get(), s.pinned.get(), 3 * s.total_quads * sizeof(float4),
                        cudaMemcpyHostToDevice, stream),
        "upload of points");
}

/// Names the first unfinished plane of a batch that timed out, for the log.
std::string CudaPlaneFit::State::unfinished() const {
  std::vector<WorkBytes> left(tasks.size());
  check(cudaMemcpy(left.data(), work.get(), left.size() * sizeof(WorkBytes), cudaMemcpyDeviceToHost),
        "plane work");
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto* w = reinterpret_cast<const PlaneWork*>(left[i].bytes);
    if (w->tiles_done || w->valid || w->phase != Phase::first)
      return "; plane " + std::to_string(i) + " of " + std::to_string(tasks[i].size) +
             " points stands in phase " + std::to_string(static_cast<int>(w->phase)) + " with " +
             std::to_string(w->tiles_done) + " of " + std::to_string(tasks[i].tiles) + " tiles";
  }
  return "";
}

Batch CudaPlaneFit::State::batch() const {
  Batch b{};
  b.tasks = task_buffer.get();
  b.work = reinterpret_cast<PlaneWork*>(work.get());
  b.samples = samples.get();
  b.boundary = boundary.get();
  b.boundary_counts = boundary_counts.get();
  b.all_counts = all_counts.get();
  b.subsets = subsets.get();
  b.pools = pools.get();
  b.fits = fits.get();
  b.needs_cpu = needs_cpu.get();
  b.searches = search_tasks.get();
  b.tile_quads = tile_quads;
  b.needed = StoppingTable{needed.get(), static_cast<float>(std::log2(1 - settings.confidence))};
  b.max_hypotheses = settings.max_hypotheses;
  b.perpendicular = settings.residual == Residual::perpendicular;
  b.schedule = Schedule{queue.get(),
                        slots.get(),
                        slot_count - 1,
                        first_tasks.get(),
                        first_count,
                        device_planes,
                        1'000'000ull * static_cast<unsigned>(options.timeout_ms)};
  return b;
}

template <class Source>
void CudaPlaneFit::State::launch(cudaStream_t stream, const Source& source) {
  const FitLaunch shape{blocks(), search_count, stream};
  exact ? launch_exact(shape, batch(), source) : launch_screened(shape, batch(), source);
}

template <class Count>
void CudaPlaneFit::State::launch_map(cudaStream_t stream, const void* image) {
  const auto groups = static_cast<std::uint32_t>(pitch / 4);
  launch(stream, MapSource<Count>{static_cast<const Count*>(image), map_table.get(),
                                  reinterpret_cast<const uint4*>(sampled_pixels.get()), groups,
                                  ((1ull << 38) + groups - 1) / groups});
}

void CudaPlaneFit::launch(CudaStream stream, const void* image) {
  State& s = *state_;
  if (s.device_planes == 0 || s.all_need_cpu) return;
  if (!s.of_map) {
    const float4* base = s.coordinates.get();
    s.launch(stream, PointSource{base, base + s.total_quads, base + 2 * s.total_quads});
  } else if (s.type == CountType::int16) {
    s.launch_map<std::int16_t>(stream, image);
  } else if (s.type == CountType::int32) {
    s.launch_map<std::int32_t>(stream, image);
  } else {
    s.launch_map<float>(stream, image);
  }
}

void CudaPlaneFit::fetch(CudaStream stream, PlaneFit* out, std::uint8_t* needs_cpu) {
  State& s = *state_;
  if (s.count == 0) return;
  check(cudaMemcpyAsync(s.host_fits.get(), s.fits.get(), s.count * sizeof(PlaneFit), cudaMemcpyDeviceToHost,
                        stream),
        "fits");
  check(
      cudaMemcpyAsync(s.host_needs_cpu.get(), s.needs_cpu.get(), s.count * 4, cudaMemcpyDeviceToHost, stream),
      "flags");
  check(cudaMemcpyAsync(s.host_queue.get(), s.queue.get(), sizeof(Queue), cudaMemcpyDeviceToHost, stream),
        "queue");
  wait(stream, std::chrono::milliseconds(2 * s.options.timeout_ms), "the plane fit");
  if (s.host_queue.get()->timed_out)
    throw GpuError("CUDA: the plane fit was not done within its time" + s.unfinished(), true);
  for (std::size_t i = 0; i < s.count; ++i) {
    const bool left = s.all_need_cpu || s.host_needs_cpu.get()[i];
    out[i] = s.host_fits.get()[i];
    if (needs_cpu) needs_cpu[i] = left;
    if (!left) continue;
    if (!s.of_map) {
      fit_planes(&s.points[i], 1, s.settings, cpu_backend(1), &out[i]);
    } else if (!needs_cpu) {
      throw GpuError("ring " + std::to_string(i) + " needs the CPU, and the caller asked for no flags",
                     false);
    }
  }
}

const PlaneFit* CudaPlaneFit::device_fits() const { return state_->fits.get(); }
const std::uint32_t* CudaPlaneFit::device_needs_cpu() const { return state_->needs_cpu.get(); }
const unsigned int* CudaPlaneFit::device_timed_out() const { return &state_->queue.get()->timed_out; }

}  // namespace datum

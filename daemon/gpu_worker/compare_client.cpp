// The daemon's side of snapshots compared with their model (service_client.h).
#include <algorithm>
#include <cstring>

#include "daemon/gpu_worker/in_pieces.h"
#include "daemon/gpu_worker/service_client.h"
#include "daemon/gpu_worker/service_contradictions.h"
#include "gpu/core/gpu_error.h"

namespace datum {
namespace {

template <class T>
void put(std::byte* to, const T* from, std::size_t count, unsigned threads) {
  in_pieces(threads, count, [&](std::size_t first, std::size_t last) {
    std::memcpy(to + first * sizeof *from, static_cast<const void*>(from + first),
                (last - first) * sizeof *from);
  });
}

/// Copies a piece of what the worker wrote, and blanks it while it is in the cache, for the next part.
template <class T>
void take(T* out, T* found, std::size_t from, std::size_t to) {
  std::memcpy(static_cast<void*>(out + from), found + from, (to - from) * sizeof *out);
  std::memset(static_cast<void*>(found + from), 0xff, (to - from) * sizeof *out);
}

}  // namespace

void ServiceClient::send_rays(const PartToCompare& part, unsigned threads) {
  rays_.clear();
  ServiceRequest order;
  order.what = ServiceRequest::What::rays;
  order.compare = order_of(part.shots);
  std::byte* const memory = memory_for(order);
  const RaysLayout l = layout_of_rays(order.compare);
  std::memcpy(memory, static_cast<const void*>(part.shots.rays), part.shots.count * sizeof(ShotRays));
  std::uint64_t pixels = 0;
  for (std::size_t s = 0; s < part.shots.count; ++s) {
    const ShotRays& rays = part.shots.rays[s];
    put(memory + l.facet + pixels * sizeof *rays.facet, rays.facet, rays.pixels(), threads);
    put(memory + l.z_mm + pixels * sizeof *rays.z_mm, rays.z_mm, rays.pixels(), threads);
    put(memory + l.is_away + pixels, rays.is_away, rays.pixels(), threads);
    pixels += rays.pixels();
  }
  ask(order, settings_.points_timeout);
  rays_ = part.kept;
}

void ServiceClient::compare(const ComparedModel& model, const PartToCompare& part,
                            const CompareSettings& settings, unsigned threads, const ComparedTaken& out) {
  prepare(model.searched.triangles);
  prepare(model.areas);
  if (rays_.empty() || rays_ != part.kept) send_rays(part, threads);
  ServiceRequest order;
  order.what = ServiceRequest::What::compare;
  order.count = part.shots.points;
  order.area = order_of(*model.areas);
  order.compare = order_of(part.shots);
  order.compare.settings = settings;
  std::byte* const memory = memory_for(order);
  if (order.bytes > 0) blank_of_points_ = 0;  // a new memory
  const CompareLayout l = layout_of(order.compare, order.area, order.count);
  std::memcpy(memory + l.heights, static_cast<const void*>(part.shots.heights),
              part.shots.count * sizeof(ShotHeights));
  put(memory + l.first, part.shots.first, order.compare.rows + 1, threads);
  const std::uint64_t bytes = bytes_of_count(order.compare.type);
  std::uint64_t pixels = 0;
  for (std::size_t s = 0; s < part.shots.count; ++s) {
    const ShotHeights& heights = part.shots.heights[s];
    const std::size_t count = part.shots.rays[s].pixels();
    put(memory + l.counts + pixels * bytes, static_cast<const std::byte*>(heights.counts), count * bytes,
        threads);
    put(memory + l.classes + pixels, heights.classes, count, threads);
    pixels += count;
  }
  if (const std::uint64_t begin = std::min(blank_of_points_, l.heights); begin < l.heights)
    in_pieces(threads, l.heights - begin, [&](std::size_t first, std::size_t last) {
      std::memset(memory + begin + first, 0xff, last - first);
    });
  blank_of_points_ = 0;
  ask(order, settings_.points_timeout);
  const ComparedPoints found = compared_in(memory, order), to = out.room();
  for (std::size_t k = 0; k < order.area.reaches; ++k)
    in_pieces(threads, order.area.patches[k], [&](std::size_t from, std::size_t end) {
      take(to.areas.marks[k], found.areas.marks[k], from, end);
      if (std::any_of(to.areas.marks[k] + from, to.areas.marks[k] + end,
                      [&](std::uint32_t marks) { return marks > order.count; }))
        throw GpuError("GPU worker: more points mark a patch than there are, which can't be", true);
    });
  in_pieces(threads, order.count, [&](std::size_t from, std::size_t end) {
    take(to.distances, found.distances, from, end);
    take(to.judgements, found.judgements, from, end);
    take(to.areas.area_mm2, found.areas.area_mm2, from, end);
    for (std::size_t i = from; i < end; ++i)
      if (contradicts(to.distances[i], to.judgements[i], order.area.facets, regions_) ||
          contradicts(to.areas.area_mm2[i], to.distances[i]))
        throw GpuError("GPU worker: the judgement of point " + std::to_string(i) + " can't be", true);
    out.taken(from, end);
  });
  blank_of_points_ = l.heights;
}

}  // namespace datum

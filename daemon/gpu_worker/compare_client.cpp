// The daemon's side of snapshots compared with their model (service_client.h).
#include <algorithm>
#include <cstring>
#include <vector>

#include "daemon/gpu_worker/service_client.h"
#include "daemon/gpu_worker/service_taking.h"
#include "gpu/core/gpu_error.h"

namespace datum {
namespace {

ServiceRequest order_of_sums(const FacetsToSum& sums, const PartShots& part) {
  ServiceRequest order;
  order.what = ServiceRequest::What::sums;
  order.count = sums.model->facet.size();
  order.scan.settings.by_points = sums.how.settings;
  order.scan.points = part.points;
  order.scan.views = part.count;
  order.scan.regions = static_cast<std::uint32_t>(sums.model->regions->total.size());
  std::copy_n(sums.how.origin, 3, order.origin);
  return order;
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
    put_list(memory + l.facet + pixels * sizeof *rays.facet, rays.facet, rays.pixels(), threads);
    put_list(memory + l.z_mm + pixels * sizeof *rays.z_mm, rays.z_mm, rays.pixels(), threads);
    put_list(memory + l.is_away + pixels, rays.is_away, rays.pixels(), threads);
    pixels += rays.pixels();
  }
  ask(order, settings_.points_timeout);
  rays_ = part.kept;
}

void ServiceClient::compare(const ComparedModel& model, const PartToCompare& part,
                            const CompareSettings& settings, unsigned threads, const ComparedTaken& out) {
  prepare(model.searched.triangles);
  prepare(model.areas);
  if (part.sums.model) {
    check_summable(*part.sums.model);
    prepare(part.sums.model);
  }
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
  put_list(memory + l.first, part.shots.first, order.compare.rows + 1, threads);
  const std::uint64_t bytes = bytes_of_count(order.compare.type);
  std::uint64_t pixels = 0;
  for (std::size_t s = 0; s < part.shots.count; ++s) {
    const ShotHeights& heights = part.shots.heights[s];
    const std::size_t count = part.shots.rays[s].pixels();
    put_list(memory + l.counts + pixels * bytes, static_cast<const std::byte*>(heights.counts), count * bytes,
             threads);
    put_list(memory + l.classes + pixels, heights.classes, count, threads);
    pixels += count;
  }
  if (const std::uint64_t begin = std::min(blank_of_points_, l.heights); begin < l.heights)
    in_pieces(threads, l.heights - begin, [&](std::size_t first, std::size_t last) {
      std::memset(memory + begin + first, 0xff, last - first);
    });
  blank_of_points_ = 0;
  const std::uint32_t number = send(order);
  out.sent();
  ServiceRequest sums;
  std::byte* of_sums = nullptr;
  if (part.sums.model) {
    sums = order_of_sums(part.sums, part.shots);
    of_sums = memory_for(sums);
    std::memset(static_cast<void*>(sums_in(of_sums)), 0xff, sums.scan.regions * sizeof(FacetSums));
    std::copy_n(part.sums.how.directions, sums.scan.views, directions_in(of_sums, sums.scan));
  }
  answer_to(number, settings_.points_timeout);
  // On the device while the points are taken here.
  const std::uint32_t sums_number = of_sums ? send(sums) : 0;
  take_compared(order, memory, threads, out);
  blank_of_points_ = l.heights;
  if (!of_sums) return;
  answer_to(sums_number, settings_.scan_timeout);
  take_sums(sums_in(of_sums), *part.sums.model->regions, part.sums.how.settings.gate, part.sums.out);
}

void ServiceClient::take_compared(const ServiceRequest& order, std::byte* memory, unsigned threads,
                                  const ComparedTaken& out) {
  const ComparedPoints found = compared_in(memory, order), to = out.room();
  const auto take_marks = [&](std::size_t k, std::size_t from, std::size_t end) {
    take_pages(found.areas.marks[k], from, end, to.areas.marks[k]);
    if (std::any_of(to.areas.marks[k] + from, to.areas.marks[k] + end,
                    [&](std::uint32_t marks) { return marks > order.count; }))
      throw GpuError("GPU worker: more points mark a patch than there are, which can't be", true);
  };
  const auto take_points = [&](std::size_t from, std::size_t end) {
    take_pages(found.distances, from, end, to.distances);
    take_pages(found.judgements, from, end, to.judgements);
    take_pages(found.areas.area_mm2, from, end, to.areas.area_mm2);
    for (std::size_t i = from; i < end; ++i)
      if (contradicts(to.distances[i], to.judgements[i], order.area.facets, regions_) ||
          contradicts(to.areas.area_mm2[i], to.distances[i]))
        throw GpuError("GPU worker: the judgement of point " + std::to_string(i) + " can't be", true);
    out.taken(from, end);
  };
  // One loop: its pieces are some for each of many threads, and whole pages.
  constexpr std::size_t piece = 4096;
  struct Part {
    std::size_t list, from, to;  // list: 0 for points, k + 1 for reach k
  };
  std::vector<Part> parts;
  const auto add = [&](std::size_t list, std::size_t count, std::size_t length) {
    for (std::size_t from = 0; from < count; from += length)
      parts.push_back({list, from, std::min(count, from + length)});
  };
  add(0, order.count, piece);
  for (std::size_t k = 0; k < order.area.reaches; ++k) add(k + 1, order.area.patches[k], 8 * piece);
  parallel_for(threads, parts.size(), [&](std::size_t i, unsigned) {
    const auto& [list, from, end] = parts[i];
    list == 0 ? take_points(from, end) : take_marks(list - 1, from, end);
  });
}

}  // namespace datum

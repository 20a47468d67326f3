// Snapshots to be compared, in the memories of their orders (service_wire.h).
#include <cstring>

#include "daemon/gpu_worker/service_wire.h"
#include "gpu/core/gpu_error.h"

namespace datum {
namespace {

[[noreturn]] void refuse() {
  throw GpuError("GPU worker: snapshots of other sizes than their order names", false);
}

template <class T>
const T* in(const std::byte* memory, std::uint64_t at) {
  return reinterpret_cast<const T*>(memory + at);
}

}  // namespace

CompareOrder order_of(const PartShots& part) {
  CompareOrder order;
  order.shots = part.count;
  for (std::size_t s = 0; s < part.count; ++s) {
    order.pixels += part.rays[s].pixels();
    order.rows += static_cast<std::uint64_t>(part.rays[s].rows);
  }
  if (part.count > 0) order.type = part.heights[0].type;
  return order;
}

RaysLayout layout_of_rays(const CompareOrder& order) {
  RaysLayout l;
  l.facet = aligned_up(order.shots * sizeof(ShotRays));
  l.z_mm = aligned_up(l.facet + order.pixels * sizeof(std::uint32_t));
  l.is_away = aligned_up(l.z_mm + order.pixels * sizeof(double));
  l.total = aligned_up(l.is_away + order.pixels);
  return l;
}

CompareLayout layout_of(const CompareOrder& order, const AreaOrder& area, std::uint64_t points) {
  CompareLayout l;
  l.judgements = aligned_up(points * sizeof(ModelDistance));
  l.areas = aligned_up(l.judgements + points * sizeof(PointJudgement));
  std::uint64_t end = aligned_up(l.areas + points * sizeof(double));
  for (std::size_t k = 0; k < area.reaches; ++k) {
    l.marks[k] = end;
    end = aligned_up(end + area.patches[k] * sizeof(std::uint32_t));
  }
  l.heights = end;
  l.first = aligned_up(l.heights + order.shots * sizeof(ShotHeights));
  l.counts = aligned_up(l.first + (order.rows + 1) * sizeof(std::uint32_t));
  l.classes = aligned_up(l.counts + order.pixels * bytes_of_count(order.type));
  l.total = aligned_up(l.classes + order.pixels);
  return l;
}

ComparedPoints compared_in(std::byte* memory, const ServiceRequest& order) {
  const CompareLayout l = layout_of(order.compare, order.area, order.count);
  ComparedPoints out;
  out.distances = reinterpret_cast<ModelDistance*>(memory);
  out.judgements = reinterpret_cast<PointJudgement*>(memory + l.judgements);
  out.areas.area_mm2 = reinterpret_cast<double*>(memory + l.areas);
  for (std::size_t k = 0; k < order.area.reaches; ++k)
    out.areas.marks[k] = reinterpret_cast<std::uint32_t*>(memory + l.marks[k]);
  return out;
}

std::vector<ShotRays> get_rays(const std::byte* memory, const CompareOrder& order) {
  const RaysLayout l = layout_of_rays(order);
  std::vector<ShotRays> rays(order.shots);
  std::memcpy(static_cast<void*>(rays.data()), memory, order.shots * sizeof(ShotRays));
  std::uint64_t pixels = 0;
  for (ShotRays& shot : rays) {
    if (shot.rows < 0 || shot.cols < 0 || shot.pixels() > order.pixels - pixels) refuse();
    shot.facet = in<std::uint32_t>(memory, l.facet) + pixels;
    shot.z_mm = in<double>(memory, l.z_mm) + pixels;
    shot.is_away = in<std::uint8_t>(memory, l.is_away) + pixels;
    pixels += shot.pixels();
  }
  if (pixels != order.pixels) refuse();
  return rays;
}

std::vector<ShotHeights> get_heights(const std::byte* memory, const ServiceRequest& order,
                                     const std::vector<ShotRays>& rays) {
  const CompareLayout l = layout_of(order.compare, order.area, order.count);
  std::vector<ShotHeights> heights(order.compare.shots);
  if (rays.size() != heights.size()) refuse();
  std::memcpy(static_cast<void*>(heights.data()), memory + l.heights, heights.size() * sizeof(ShotHeights));
  std::uint64_t pixels = 0, rows = 0;
  for (std::size_t s = 0; s < heights.size(); ++s) {
    heights[s].type = order.compare.type;
    heights[s].counts = memory + l.counts + pixels * bytes_of_count(order.compare.type);
    heights[s].classes = in<std::uint8_t>(memory, l.classes) + pixels;
    pixels += rays[s].pixels();
    rows += static_cast<std::uint64_t>(rays[s].rows);
    if (pixels > order.compare.pixels || rows > order.compare.rows) refuse();
  }
  if (pixels != order.compare.pixels || rows != order.compare.rows) refuse();
  return heights;
}

std::uint64_t sums_bytes(const ScanOrder& order) {
  return aligned_up(order.regions * sizeof(FacetSums)) + order.views * sizeof(PointDirection);
}

FacetSums* sums_in(std::byte* memory) { return reinterpret_cast<FacetSums*>(memory); }

PointDirection* directions_in(std::byte* memory, const ScanOrder& order) {
  return reinterpret_cast<PointDirection*>(memory + aligned_up(order.regions * sizeof(FacetSums)));
}

}  // namespace datum

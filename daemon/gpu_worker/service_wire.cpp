#include "daemon/gpu_worker/service_wire.h"

#include <algorithm>
#include <cstring>

#include "gpu/core/gpu_error.h"

namespace datum {
namespace {

constexpr std::uint64_t line = 64;  // alignment of each array

std::uint64_t up(std::uint64_t bytes) { return round_up(bytes, line); }

/// Visits the arrays of a model for the search in their order in memory.
template <class Model, class Visit>
void each_array(Model& model, const Visit& visit) {
  visit(model.corner);
  visit(model.normal);
  visit(model.cosine);
}

std::uint64_t model_bytes(std::uint64_t facets) {
  const TriangleModel none;
  std::uint64_t bytes = 0;
  each_array(none, [&](const auto& array) { bytes += facets * sizeof array[0]; });
  return bytes;
}

std::uint64_t points_bytes(std::uint64_t count) {
  return count * (sizeof(ModelPoint) + sizeof(ModelDistance));
}

std::uint64_t diffusion_bytes(const DiffusionGrid& grid) {
  const std::uint64_t plane = std::uint64_t{grid.nx} * grid.ny;  // values of 32 bits
  if (plane == 0 || plane > most_service_counts || grid.nz == 0 || grid.nz > most_service_counts / plane)
    return 0;
  return 2 * plane * grid.nz * sizeof(std::int32_t);
}

std::uint64_t scan_bytes(const ScanOrder& scan, std::uint64_t model_facets) {
  if (std::max(scan.points, scan.facets) > most_scanned || scan.views > UINT16_MAX + 1u ||
      model_facets > most_matched_facets)
    return 0;
  return layout_of(scan, model_facets).total;
}

std::uint64_t system_bytes(std::uint64_t rows) {
  return 3 * rows * rows * sizeof(double) + rows * sizeof(std::int32_t);
}

std::uint64_t fringe_bytes(const FringeOrder& f) {
  const std::uint64_t pixels = std::uint64_t{f.width} * f.height;
  const std::uint64_t nodes = std::uint64_t{f.model.columns} * f.model.rows;
  if (pixels == 0 || pixels > most_service_counts || nodes > most_service_counts ||
      f.pattern.periods > most_periods || f.pattern.steps > most_steps || f.pattern.periods == 0 ||
      f.pattern.steps == 0)
    return 0;
  return layout_of(f).total;
}

}  // namespace

std::uint64_t bytes_of(const ServiceRequest& order) {
  switch (order.what) {
    case ServiceRequest::What::model:
      return order.count <= most_model_facets ? model_bytes(order.count) : 0;
    case ServiceRequest::What::points:
      return order.count <= most_points_at_once ? points_bytes(order.count) : 0;
    case ServiceRequest::What::diffusion:
      return diffusion_bytes(order.grid);
    case ServiceRequest::What::fringes:
      return fringe_bytes(order.fringes);
    case ServiceRequest::What::facets:
      return order.count <= most_matched_facets ? order.count * (sizeof(ModelFacet) + sizeof(std::uint32_t))
                                                : 0;
    case ServiceRequest::What::scan:
      return scan_bytes(order.scan, order.count);
    case ServiceRequest::What::system:
      return order.count <= most_system_rows ? system_bytes(order.count) : 0;
  }
  return 0;
}

void put_facets(const ModelFacets& facets, std::byte* to) {
  const std::size_t bytes = facets.facet.size() * sizeof facets.facet[0];
  std::memcpy(to, facets.facet.data(), bytes);
  std::memcpy(to + bytes, facets.order.data(), facets.order.size() * sizeof facets.order[0]);
}

ModelFacets get_facets(const std::byte* from, std::uint64_t facets, float farthest) {
  ModelFacets out;
  out.farthest = farthest;
  out.facet.resize(facets);
  out.order.resize(facets);
  const std::size_t bytes = facets * sizeof out.facet[0];
  std::memcpy(out.facet.data(), from, bytes);
  std::memcpy(out.order.data(), from + bytes, facets * sizeof out.order[0]);
  if (std::any_of(out.order.begin(), out.order.end(), [&](std::uint32_t i) { return i >= facets; }))
    throw GpuError("GPU worker: the order of a model's facets names others", false);
  return out;
}

ScanLayout layout_of(const ScanOrder& order, std::uint64_t model_facets) {
  ScanLayout l;
  l.view = up(order.points * sizeof(ModelPoint));
  l.directions = up(l.view + order.points * sizeof(std::uint16_t));
  l.facets = up(l.directions + order.views * sizeof(PointDirection));
  l.by_points = up(l.facets + order.facets * sizeof(ScannedFacet));
  l.by_surface = up(l.by_points + (order.by_points ? model_facets * sizeof(FacetDeviation) : 0));
  l.total = up(l.by_surface + (order.by_surface ? model_facets * sizeof(FacetPierced) : 0));
  return l;
}

SystemToInvert system_in(std::byte* memory, std::uint64_t rows) {
  auto* const a = reinterpret_cast<double*>(memory);
  const std::uint64_t size = rows * rows;
  return {a, static_cast<std::uint32_t>(rows), a + size, reinterpret_cast<std::int32_t*>(a + 3 * size),
          a + 2 * size};
}

FringeLayout layout_of(const FringeOrder& order) {
  FringeLayout l;
  const std::uint64_t pixels = std::uint64_t{order.width} * order.height;
  l.image_bytes = pixels * (order.type == SampleType::u8 ? 1 : 2);
  l.image_pitch = up(l.image_bytes);
  l.nodes = l.image(order.pattern.periods * order.pattern.steps);
  l.node_bytes = std::uint64_t{order.model.columns} * order.model.rows * sizeof(HeightNode);
  l.maps = l.total = up(l.nodes + l.node_bytes);
  FringeMaps none;
  each_map(none, [&](auto* map, std::size_t i) {
    if (!(order.wanted >> i & 1)) return;
    l.map[i] = l.total;
    l.total = up(l.total + pixels * sizeof *map);
  });
  return l;
}

FringeOrder order_of(const FringeImages& images, const FringePattern& pattern, const FringeLimits& limits,
                     const HeightModel* model, FringeMaps maps) {
  FringeOrder order{pattern, limits, images.type, images.width, images.height, 0, {}};
  if (model) {
    order.model = *model;
    order.model.nodes = nullptr;
  }
  each_map(maps, [&](auto* map, std::size_t i) {
    if (map) order.wanted |= 1u << i;
  });
  return order;
}

void put_model(const TriangleModel& model, std::byte* to) {
  each_array(model, [&](const auto& array) {
    const std::size_t bytes = array.size() * sizeof array[0];
    std::memcpy(to, array.data(), bytes);
    to += bytes;
  });
}

TriangleModel get_model(const std::byte* from, std::uint64_t facets) {
  TriangleModel model;
  each_array(model, [&](auto& array) {
    array.resize(facets);
    const std::size_t bytes = array.size() * sizeof array[0];
    std::memcpy(array.data(), from, bytes);
    from += bytes;
  });
  return model;
}

}  // namespace datum

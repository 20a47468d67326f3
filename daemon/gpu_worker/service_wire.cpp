#include "daemon/gpu_worker/service_wire.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/area_share/area_share_math.h"
#include "gpu/core/gpu_error.h"

namespace datum {
namespace {

std::uint64_t up(std::uint64_t bytes) { return aligned_up(bytes); }

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

/// Of a facet to be matched; `sums`: in a region.
std::uint64_t facet_bytes(bool sums) {
  return sizeof(ModelFacet) + sizeof(std::uint32_t) +
         (sums ? sizeof(std::int64_t) + sizeof(std::uint16_t) : 0);
}

/// Calls visit(array) for the arrays of facets to be matched, in their order in memory.
template <class Facets, class Visit>
void each_facet_array(Facets& facets, const Visit& visit) {
  visit(facets.facet);
  visit(facets.order);
}
template <class Regions, class Visit>
void each_region_array(Regions& regions, const Visit& visit) {
  visit(regions.units);
  visit(regions.region);
}

std::uint64_t scan_bytes(const ScanOrder& scan, std::uint64_t model_facets) {
  if (std::max(scan.points, scan.facets) > most_scanned || scan.views > UINT16_MAX + 1u ||
      model_facets > most_matched_facets || scan.regions > most_regions)
    return 0;
  return layout_of(scan, model_facets).total;
}

/// Calls visit(list, length) for the lists of a model's reach in their order in memory.
template <class Lists, class Visit>
void each_list(Lists& lists, const AreaOrder& order, std::size_t k, const Visit& visit) {
  visit(lists.root, order.facets);
  visit(lists.cuts, order.cuts[k]);
  visit(lists.area_mm2, order.patches[k]);
  visit(lists.first_near, order.patches[k] + 1);
  visit(lists.near, order.near[k]);
}

bool is_within(const AreaOrder& order) {
  if (order.told != 0 && order.told != order.facets) return false;
  if (order.reaches == 0 || order.reaches > most_reaches || order.facets == 0 ||
      order.facets > most_model_facets)
    return false;
  for (std::size_t k = 0; k < order.reaches; ++k)
    if (std::max({order.cuts[k], order.patches[k], order.near[k]}) > most_listed) return false;
  return true;
}

/// What of a facet its points' nearest places are found by.
struct FacetOnWire {
  float corner[9], normal[3];
};
constexpr std::uint64_t area_facet_bytes = sizeof(FacetOnWire);

std::uint64_t patches_bytes(const AreaOrder& order) {
  if (!is_within(order)) return 0;
  std::uint64_t bytes = up(order.facets * area_facet_bytes) + up(order.told * sizeof(std::uint16_t));
  const PatchLists none;
  for (std::size_t k = 0; k < order.reaches; ++k)
    each_list(none, order, k,
              [&](const auto& list, std::uint64_t length) { bytes += up(length * sizeof list[0]); });
  return bytes;
}

bool is_within(const CompareOrder& o) {
  return o.shots > 0 && o.shots <= most_compared_shots && o.pixels <= most_compared_pixels &&
         o.rows <= o.pixels && static_cast<unsigned>(o.type) <= static_cast<unsigned>(CountType::float32);
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

/// Of a single image of fringes and its maps, in bytes from the begin of its memory.
struct SingleShotLayout {
  std::uint64_t classes = 0, phase = 0, modulation = 0, total = 0;
};

SingleShotLayout layout_of(const SingleShotOrder& o) {
  const std::uint64_t pixels = std::uint64_t{o.width} * o.height;
  SingleShotLayout l;
  l.classes = up(pixels * (o.type == SampleType::u8 ? 1 : 2));
  l.phase = up(l.classes + pixels * sizeof(FourierClass));
  l.modulation = up(l.phase + pixels * sizeof(float));
  l.total = l.modulation + (o.modulation ? up(pixels * sizeof(float)) : 0);
  return l;
}

std::uint64_t single_shot_bytes(const SingleShotOrder& o) {
  const std::uint64_t pixels = std::uint64_t{o.width} * o.height;
  return pixels == 0 || pixels > most_service_counts ? 0 : layout_of(o).total;
}

std::uint64_t correlation_bytes(const CorrelationOrder& o) {
  const std::uint64_t values = std::uint64_t{o.cols} * o.rows;
  return values == 0 || values > most_service_counts ? 0 : 2 * values * sizeof(float);
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
      return order.count <= most_matched_facets && order.regions <= most_regions
                 ? order.count * facet_bytes(order.regions > 0)
                 : 0;
    case ServiceRequest::What::scan:
      return scan_bytes(order.scan, order.count);
    case ServiceRequest::What::patches:
      return patches_bytes(order.area);
    case ServiceRequest::What::areas:
      return order.count <= most_points_at_once && is_within(order.area)
                 ? layout_of(order.area, order.count).total
                 : 0;
    case ServiceRequest::What::rays:
      return is_within(order.compare) ? layout_of_rays(order.compare).total : 0;
    case ServiceRequest::What::compare:
      return order.count <= most_points_at_once && is_within(order.area) && is_within(order.compare)
                 ? layout_of(order.compare, order.area, order.count).total
                 : 0;
    case ServiceRequest::What::sums:
      return order.count <= most_matched_facets && order.scan.regions > 0 &&
                     order.scan.regions <= most_regions && order.scan.views <= most_compared_shots
                 ? sums_bytes(order.scan)
                 : 0;
    case ServiceRequest::What::system:
      return order.count <= most_system_rows ? system_bytes(order.count) : 0;
    case ServiceRequest::What::single_shot:
      return single_shot_bytes(order.single_shot);
    case ServiceRequest::What::correlation:
      return correlation_bytes(order.correlation);
  }
  return 0;
}

void put_facets(const ModelFacets& facets, std::byte* to) {
  const auto put = [&](const auto& array) {
    const std::size_t bytes = array.size() * sizeof array[0];
    std::memcpy(to, array.data(), bytes);
    to += bytes;
  };
  each_facet_array(facets, put);
  if (facets.regions) each_region_array(*facets.regions, put);
}

ModelFacets get_facets(const std::byte* from, const ServiceRequest& order) {
  const auto get = [&](auto& array) {
    array.resize(order.count);
    const std::size_t bytes = array.size() * sizeof array[0];
    std::memcpy(static_cast<void*>(array.data()), from, bytes);
    from += bytes;
  };
  ModelFacets out;
  out.farthest = order.farthest;
  each_facet_array(out, get);
  if (std::any_of(out.order.begin(), out.order.end(), [&](std::uint32_t i) { return i >= order.count; }))
    throw GpuError("GPU worker: the order of a model's facets names others", false);
  if (order.regions == 0) return out;
  FacetRegions regions;
  each_region_array(regions, get);
  out.regions = std::make_shared<const FacetRegions>(
      facet_regions(std::move(regions.region), std::move(regions.units), order.regions));
  return out;
}

ScanLayout layout_of(const ScanOrder& order, std::uint64_t model_facets) {
  ScanLayout l;
  const std::uint64_t sums = order.regions * sizeof(FacetSums);
  const std::uint64_t of_points = sums > 0 ? sums : model_facets * sizeof(FacetDeviation);
  const std::uint64_t of_surface = sums > 0 ? sums : model_facets * sizeof(FacetPierced);
  l.by_surface = up(order.by_points ? of_points : 0);
  l.points = up(l.by_surface + (order.by_surface ? of_surface : 0));
  l.view = up(l.points + order.points * sizeof(ModelPoint));
  l.directions = up(l.view + order.points * sizeof(std::uint16_t));
  l.facets = up(l.directions + order.views * sizeof(PointDirection));
  l.total = up(l.facets + order.facets * sizeof(ScannedFacet));
  return l;
}

bool AreaOrder::operator==(const AreaOrder& o) const { return std::memcmp(this, &o, sizeof o) == 0; }

AreaOrder order_of(const AreaModel& model) {
  AreaOrder order;
  order.reaches = model.reaches.size();
  order.facets = model.triangles->corner.size();
  order.told = model.region.size();
  for (std::size_t k = 0; k < order.reaches; ++k) {
    order.cuts[k] = model.reaches[k]->cuts.size();
    order.patches[k] = model.reaches[k]->area_mm2.size();
    order.near[k] = model.reaches[k]->near.size();
  }
  return order;
}

void put_areas(const AreaModel& model, std::byte* to) {
  const AreaOrder order = order_of(model);
  auto* const facets = reinterpret_cast<FacetOnWire*>(to);
  for (std::uint32_t i = 0; i < order.facets; ++i) {
    const area::FacetPlace from = area::place_of(*model.triangles, i);
    std::copy_n(from.corner, 9, facets[i].corner);
    std::copy_n(from.normal, 3, facets[i].normal);
  }
  to += up(order.facets * area_facet_bytes);
  std::memcpy(to, model.region.data(), order.told * sizeof(std::uint16_t));
  to += up(order.told * sizeof(std::uint16_t));
  for (std::size_t k = 0; k < order.reaches; ++k)
    each_list(*model.reaches[k], order, k, [&](const auto& list, std::uint64_t length) {
      std::memcpy(to, static_cast<const void*>(list.data()), length * sizeof list[0]);
      to += up(length * sizeof list[0]);
    });
}

AreaModel get_areas(const std::byte* from, const AreaOrder& order) {
  AreaModel model;
  auto triangles = std::make_shared<TriangleModel>();
  const auto* const facets = reinterpret_cast<const FacetOnWire*>(from);
  triangles->corner.resize(order.facets);
  triangles->normal.resize(order.facets);
  for (std::size_t i = 0; i < order.facets; ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      std::copy_n(facets[i].corner + 3 * k, 3, triangles->corner[i][k].begin());
    std::copy_n(facets[i].normal, 3, triangles->normal[i][0].begin());
  }
  from += up(order.facets * area_facet_bytes);
  model.region.resize(order.told);
  std::memcpy(model.region.data(), from, order.told * sizeof(std::uint16_t));
  from += up(order.told * sizeof(std::uint16_t));
  model.triangles = std::move(triangles);
  for (std::size_t k = 0; k < order.reaches; ++k) {
    auto lists = std::make_shared<PatchLists>();
    each_list(*lists, order, k, [&](auto& list, std::uint64_t length) {
      list.resize(length);
      std::memcpy(static_cast<void*>(list.data()), from, length * sizeof list[0]);
      from += up(length * sizeof list[0]);
    });
    model.reaches.push_back(std::move(lists));
  }
  check(model);
  return model;
}

AreaLayout layout_of(const AreaOrder& order, std::uint64_t points) {
  AreaLayout l;
  l.distances = up(points * sizeof(ModelPoint));
  l.areas = up(l.distances + points * sizeof(ModelDistance));
  l.total = up(l.areas + points * sizeof(double));
  for (std::size_t k = 0; k < order.reaches; ++k) {
    l.marks[k] = l.total;
    l.total = up(l.total + order.patches[k] * sizeof(std::uint32_t));
  }
  return l;
}

JudgedPoints judged_in(std::byte* memory, const AreaOrder& order, std::uint64_t points) {
  return {reinterpret_cast<const ModelPoint*>(memory),
          reinterpret_cast<const ModelDistance*>(memory + layout_of(order, points).distances), points};
}

AreaShares shares_in(std::byte* memory, const AreaOrder& order, std::uint64_t points) {
  const AreaLayout l = layout_of(order, points);
  AreaShares out;
  out.area_mm2 = reinterpret_cast<double*>(memory + l.areas);
  for (std::size_t k = 0; k < order.reaches; ++k)
    out.marks[k] = reinterpret_cast<std::uint32_t*>(memory + l.marks[k]);
  return out;
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

FourierImage single_shot_in(std::byte* memory, const SingleShotOrder& order) {
  return {memory, order.type, order.width, order.height};
}

FourierMaps single_shot_maps_in(std::byte* memory, const SingleShotOrder& order) {
  const SingleShotLayout l = layout_of(order);
  return {reinterpret_cast<FourierClass*>(memory + l.classes), reinterpret_cast<float*>(memory + l.phase),
          order.modulation ? reinterpret_cast<float*>(memory + l.modulation) : nullptr};
}

SingleShotOrder order_of(const FourierProfilometry& profilometry, const FourierImage& image,
                         const FourierMaps& maps) {
  return {profilometry.settings(), image.type, image.width, image.height, maps.modulation != nullptr};
}

CorrelationImages images_in(std::byte* memory, const CorrelationOrder& order) {
  const auto* const reference = reinterpret_cast<const float*>(memory);
  return {reference, reference + std::size_t{order.cols} * order.rows, order.cols, order.rows};
}

}  // namespace datum

#include "daemon/inspection/surface/facet_pieces.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "daemon/inspection/surface/area_quantiles.h"
#include "daemon/inspection/surface/facet_surface.h"
#include "daemon/inspection/surface/surface_map.h"
#include "gpu/surface_match/surface_match_math.h"

namespace datum {
namespace {

/// The model's facets about its origin: the rounded places of the search, not the file's.
RawModel raw_of(const TriangleModel& model) {
  RawModel raw;
  for (const auto& facet : model.corner) {
    const auto first = static_cast<std::uint32_t>(raw.vertices.size());
    for (const auto& c : facet) raw.vertices.push_back({c[0], c[1], c[2]});
    raw.facets.push_back({first, first + 1, first + 2});
  }
  return raw;
}

/// Region of each facet, by its number in the model's file.
std::vector<std::uint16_t> regions_in_file(const TriangleModel& model,
                                           const std::vector<std::uint16_t>& of_facet) {
  const std::uint32_t last =
      model.facet.empty() ? 0 : *std::max_element(model.facet.begin(), model.facet.end());
  std::vector<std::uint16_t> in_file(std::size_t{last} + 1, no_region);
  for (std::size_t f = 0; f < of_facet.size(); ++f) in_file[model.facet[f]] = of_facet[f];
  return in_file;
}

}  // namespace

std::shared_ptr<const FacetPieces> facet_pieces(const TriangleModel& model, double longest_mm,
                                                const RegionsToCut& regions) {
  FacetPieces out;
  const CutModel pieces = cut(raw_of(model), longest_mm);
  const auto made = std::make_shared<const TriangleModel>(triangle_model(pieces.model));
  ModelFacets facets = model_facets(*made);
  const std::vector<std::uint16_t> in_file = regions_in_file(model, regions.of_facet);
  const auto sharp_cosine = static_cast<float>(std::cos(regions.edge_deg * M_PI / 180));
  std::vector<std::uint16_t> region;
  std::vector<std::int64_t> units;
  out.face_mm2.resize(regions.count);
  for (std::size_t i = 0; i < made->facet.size(); ++i) {
    out.facet_in_file.push_back(model.facet[pieces.origin[made->facet[i]]]);
    const std::uint16_t of = in_file[out.facet_in_file.back()];
    const double area_mm2 = facet_area(made->corner[i]);
    region.push_back(of);
    units.push_back(area_share(0, area_mm2).units);
    if (of < regions.count && match::class_of(facets.facet[i], sharp_cosine) == MatchClass::face)
      out.face_mm2[of] += area_mm2;
  }
  facets.regions =
      std::make_shared<const FacetRegions>(facet_regions(std::move(region), std::move(units), regions.count));
  out.facets = std::make_shared<const ModelFacets>(std::move(facets));
  out.model = made;
  return std::make_shared<const FacetPieces>(std::move(out));
}

}  // namespace datum

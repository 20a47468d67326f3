#include "daemon/inspection/surface/facet_pieces.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

std::shared_ptr<const FacetPieces> facet_pieces(const TriangleModel& model, double longest_mm) {
  FacetPieces out;
  const CutModel pieces = cut(raw_of(model), longest_mm);
  const auto made = std::make_shared<const TriangleModel>(triangle_model(pieces.model));
  out.facet_in_file.reserve(made->facet.size());
  for (const std::uint32_t piece : made->facet)
    out.facet_in_file.push_back(model.facet[pieces.origin[piece]]);
  out.facets = std::make_shared<const ModelFacets>(model_facets(*made));
  out.model = made;
  return std::make_shared<const FacetPieces>(std::move(out));
}

std::shared_ptr<const PieceRegions> piece_regions(const FacetPieces& pieces, const TriangleModel& model,
                                                  const std::vector<std::uint16_t>& region_of_facet,
                                                  std::size_t regions, double edge_deg) {
  const std::uint32_t last =
      model.facet.empty() ? 0 : *std::max_element(model.facet.begin(), model.facet.end());
  std::vector<std::uint16_t> in_file(std::size_t{last} + 1, no_region);
  for (std::size_t f = 0; f < region_of_facet.size(); ++f) in_file[model.facet[f]] = region_of_facet[f];
  const auto sharp_cosine = static_cast<float>(std::cos(edge_deg * M_PI / 180));
  PieceRegions out;
  out.face_mm2.resize(regions);
  for (std::size_t i = 0; i < pieces.facet_in_file.size(); ++i) {
    out.region.push_back(in_file[pieces.facet_in_file[i]]);
    const double area_mm2 = facet_area(pieces.model->corner[i]);
    out.units.push_back(area_share(0, area_mm2).units);
    out.kind.push_back(match::class_of(pieces.facets->facet[i], sharp_cosine));
    if (out.region[i] < regions && out.kind[i] == MatchClass::face) out.face_mm2[out.region[i]] += area_mm2;
  }
  return std::make_shared<const PieceRegions>(std::move(out));
}

}  // namespace datum

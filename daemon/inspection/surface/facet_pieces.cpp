#include "daemon/inspection/surface/facet_pieces.h"

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

}  // namespace datum

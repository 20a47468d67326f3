// A model subdivided for a facet map (facet_map.h), once for a recipe.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/surface_match/model_facets.h"

namespace datum {

struct FacetPieces {
  std::shared_ptr<const TriangleModel> model;
  std::shared_ptr<const ModelFacets> facets;  // facet i of the model
  std::vector<std::uint32_t> facet_in_file;   // of each piece
};

/// Cuts a model's facets until no edge is longer than `longest_mm`. Throws std::invalid_argument where that takes more than
/// 2^24 facets.
std::shared_ptr<const FacetPieces> facet_pieces(const TriangleModel& model, double longest_mm);

}  // namespace datum

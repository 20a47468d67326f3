// A model subdivided for a facet map (facet_map.h), once for a recipe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/model_distance/model_distance.h"
#include "gpu/surface_match/model_facets.h"

namespace datum {

struct FacetPieces {
  std::shared_ptr<const TriangleModel> model;
  std::shared_ptr<const ModelFacets> facets;  // facet i of the model, in the region of its facet in the file
  std::vector<std::uint32_t> facet_in_file;   // of each piece
  std::vector<double> face_mm2;  // of each region: area of its pieces that lie at no edge (MatchClass::face)
};

/// Regions of a model's facets.
struct RegionsToCut {
  const std::vector<std::uint16_t>& of_facet;  // of each facet: its region, or no_region
  std::size_t count = 0;
  double edge_deg = 0;  // sharper edges divide faces
};

/// Cuts a model's facets until no edge is longer than `longest_mm`. Throws std::invalid_argument where that takes more than
/// 2^24 facets.
std::shared_ptr<const FacetPieces> facet_pieces(const TriangleModel& model, double longest_mm,
                                                const RegionsToCut& regions);

}  // namespace datum

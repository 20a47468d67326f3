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
  std::shared_ptr<const ModelFacets> facets;  // facet i of the model
  std::vector<std::uint32_t> facet_in_file;   // of each piece
};

/// Cuts a model's facets until no edge is longer than `longest_mm`. Throws std::invalid_argument where that takes more than
/// 2^24 facets.
std::shared_ptr<const FacetPieces> facet_pieces(const TriangleModel& model, double longest_mm);

/// What of the pieces every part needs beside its measurements.
struct PieceRegions {
  std::vector<std::uint16_t> region;  // of each piece: that of its facet in the file
  std::vector<std::int64_t> units;    // of each piece: its area, 1e-9 mm^2
  std::vector<MatchClass> kind;  // of each piece, by its place alone: face, at a sharp edge, at an open rim
  std::vector<double> face_mm2;  // of each region: area of its pieces of kind face
};

/// `region_of_facet`: of the model that was cut.
std::shared_ptr<const PieceRegions> piece_regions(const FacetPieces& pieces, const TriangleModel& model,
                                                  const std::vector<std::uint16_t>& region_of_facet,
                                                  std::size_t regions, double edge_deg);

}  // namespace datum

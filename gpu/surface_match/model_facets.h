// A model's facets as matching sees them, and the cutting of long ones. C++17: CUDA sources include this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/model_distance/model_distance.h"
#include "gpu/model_distance/triangle_model.h"

namespace datum {

struct ModelFacet {
  float centre[3];  // centroid
  float radius;     // to the farthest corner
  float normal[3];  // of length 1
  float turn;       // least cosine at its edges and corners (TriangleModel::cosine)
};

/// Whose facets are summed together (facet_sums.h). Areas in 1e-9 mm^2.
struct FacetRegions {
  struct Total {
    std::uint64_t count = 0;
    std::int64_t units = 0;
  };
  std::vector<std::uint16_t> region;  // of each facet; total.size() and above: none
  std::vector<std::int64_t> units;    // area of each facet
  std::vector<Total> total;           // of each region, with data or not
};
FacetRegions facet_regions(std::vector<std::uint16_t> region, std::vector<std::int64_t> units,
                           std::size_t regions);

/// facet[i] is facet i of the triangle model. `order` puts those that lie near each other together.
struct ModelFacets {
  std::vector<ModelFacet> facet;
  std::vector<std::uint32_t> order;
  float farthest = 0;                                // largest coordinate of a corner, without its sign
  std::shared_ptr<const FacetRegions> regions = {};  // null: nobody sums them
};
ModelFacets model_facets(const TriangleModel& model);

/// Cuts facets until no edge is longer than `longest`, in half and at the same places on both sides of an edge: the surface stays
/// closed. `origin`: for each new facet its number in `raw`. Throws std::invalid_argument where that takes more than 2^24
/// facets, or `longest` is not above 0.
struct CutModel {
  RawModel model;
  std::vector<std::uint32_t> origin;
};
CutModel cut(const RawModel& raw, double longest);

}  // namespace datum

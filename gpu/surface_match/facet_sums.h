// What the facets of a region say together: their area, their mean deviation and its extremes, of those that have a value and lie
// at no edge of the model (MatchClass::face). Sums are of integers, and of equal extremes the first facet counts: neither the
// order nor the threads nor the backend matter. C++17: CUDA sources include this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/core/wide.h"
#include "gpu/surface_match/surface_match.h"

namespace datum {

/// Lengths in mm, areas in 1e-9 mm^2.
struct FacetSums {
  std::uint64_t count = 0;  // facets with a value
  std::int64_t units = 0;   // their area
  WideInt weighted;         // sum of their deviations in nm, each times its facet's area
  std::uint32_t highest = 0, lowest = 0;
  float highest_mm = 0, lowest_mm = 0;
};

/// Throws std::invalid_argument for facets without regions.
void check_summable(const ModelFacets& facets);

/// sums[r] is of facets.regions->total[r]; `found`: of all facets. Nothing depends on `threads`. Throws as
/// check_summable.
void sum_facets(const ModelFacets& facets, const FacetDeviation* found, unsigned threads, FacetSums* sums);
void sum_facets(const ModelFacets& facets, const FacetPierced* found, unsigned threads, FacetSums* sums);

}  // namespace datum

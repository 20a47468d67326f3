// What a CPU's instruction set supplies, and what both backends read.
#pragma once

#include <vector>

#include "gpu/surface_match/cell_grid.h"
#include "gpu/surface_match/surface_match_math.h"

namespace datum::match {

struct PointIndex {
  CellGrid grid;
  std::vector<PointDirection> direction;  // in the grid's order; empty: none
};

struct FacetIndex {
  CellGrid grid;
  std::vector<Corners> corners;  // in the grid's order
  // sorted for walks: the centroids' distances from the origin, ascending, and each ball's place among them
  std::vector<float> distance;
  std::vector<std::uint32_t> place;
};

struct PointTask {
  const CellGrid& grid;
  const PointDirection* direction;
  const ModelFacets& facets;
  PointMatchSettings settings;
  float scale, farthest;
  FacetDeviation* out;
};

struct FacetTask {
  const FacetIndex& measured;
  const ModelFacets& facets;
  FacetMatchSettings settings;
  float farthest;
  FacetPierced* out;
};

/// Facets in the order given. A result does not depend on it.
struct Kernels {
  void (*points)(const PointTask& task, const std::uint32_t* order, std::size_t count);
  void (*facets)(const FacetTask& task, const std::uint32_t* order, std::size_t count);
};

/// Largest power of two by which distances of `gate` stay below 2^19.
float scale_of(float gate);
/// Throw std::invalid_argument for settings that mean nothing.
void check(const PointMatchSettings& settings);
/// `sorted`: for walks.
void check(const FacetMatchSettings& settings, bool sorted);

}  // namespace datum::match

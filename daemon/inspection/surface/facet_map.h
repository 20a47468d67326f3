// Measurements at each facet of a model: the points in front of it (PFM) and the measured surface along its
// normal (FFM), see gpu/surface_match. The model's facets are first subdivided to a maximum size, because
// each has one value.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "daemon/inspection/surface/facet_pieces.h"
#include "daemon/inspection/surface/surface_compare.h"
#include "daemon/inspection/surface/unset_list.h"
#include "gpu/surface_match/facet_matcher.h"

namespace datum {

/// Which of both a recipe asks for, by its checks and files.
struct FacetsWanted {
  bool by_points = false, by_surface = false;
  bool lists = false;  // what was measured at each facet: files and percentiles want it
};
FacetsWanted facets_wanted(const Recipe& recipe);

/// Lists and sums that nobody asked for are empty.
struct FacetMap {
  FacetMapSettings settings;
  std::shared_ptr<const TriangleModel>
      model;  // subdivided; element i of the lists below belongs to its facet i
  std::shared_ptr<const FacetPieces> pieces;  // those of the model
  UnsetList<FacetDeviation> by_points;
  UnsetList<FacetPierced> by_surface;
  std::vector<FacetSums> sums_by_points, sums_by_surface;  // of each region
};

/// Joins the pixels of a snapshot to facets, two for each four neighbours that all have a point. Facets that
/// the sensor sees at more than max_view_deg are omitted: they bridge a step. Coordinates as the points',
/// corners anticlockwise as seen by the sensor.
std::vector<ScannedFacet> facets_of(const SnapshotGrid& grid, std::span<const ModelPoint> points,
                                    const Eigen::Vector3f& towards_sensor, double max_view_deg,
                                    unsigned threads = 1);

/// How points are matched by themselves, and with what directions; `map` gets room for their sums alone.
struct SumsByPoints {
  FacetMap map;
  std::vector<PointDirection> directions;
  FacetsToSum sums;
};
std::shared_ptr<SumsByPoints> sums_by_points(const SurfaceModel& model, const SurfaceSettings& settings,
                                             const FacetMapSettings& demand,
                                             std::span<const SurfaceShot> shots);

/// Of a model with pieces and placed points; how far they are from it does not matter. The result does not depend on the
/// matcher's backend. Throws std::invalid_argument for more than 2^25 points.
FacetMap map_facets(const SurfaceModel& model, const SurfaceSettings& settings,
                    const FacetMapSettings& demand, FacetsWanted wanted, const PlacedSurface& surface,
                    std::span<const SurfaceShot> shots, FacetMatcher& matcher, unsigned threads);

}  // namespace datum

// Measurements at each facet of a model: the points in front of it (PFM) and the measured surface along its
// normal (FFM), see gpu/surface_match. The model's facets are first subdivided to a maximum size, because
// each has one value.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "daemon/inspection/surface/surface_compare.h"
#include "gpu/surface_match/surface_match.h"

namespace datum {

struct FacetMap {
  FacetMapSettings settings;
  /// subdivided; element i of the lists below belongs to its facet i.
  std::shared_ptr<const TriangleModel> model;
  std::vector<std::uint32_t> facet_in_file;
  std::vector<FacetDeviation> by_points;
  std::vector<FacetPierced> by_surface;
};

/// Joins the pixels of a snapshot to facets, two for each four neighbours that all have a point. Facets that
/// the sensor sees at more than max_view_deg are omitted: they bridge a step. Coordinates as the points',
/// corners anticlockwise as seen by the sensor.
std::vector<MeasuredFacet> facets_of(const SnapshotGrid& grid, const std::vector<ModelPoint>& points,
                                     const Eigen::Vector3f& towards_sensor, double max_view_deg);

/// Throws std::invalid_argument where subdivision gives too many facets, or for more than 2^25 points.
FacetMap map_facets(const SurfaceModel& model, const SurfaceSettings& settings,
                    const FacetMapSettings& wanted, const ComparedSurface& surface,
                    std::span<const SurfaceShot> shots, const Backend& backend);

}  // namespace datum

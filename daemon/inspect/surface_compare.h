// Snapshots become points in model coordinates, each with its signed distance from the model.
//
// What is left out is counted. A point is not compared where nothing is within the search distance (beyond), where the
// nearest place is one that the sensor can't see from where it was (hidden: a table under a hole lies close to the part's
// underside), or where it is a sharp or open edge, which has no normal (class edge, rim).
#pragma once

#include <span>
#include <vector>

#include "daemon/inspect/surface_model.h"
#include "drivers/frame/height_frame.h"
#include "gpu/model_distance/distance_finder.h"

namespace datum {

/// A frame in right-handed sensor coordinates, and where they lie.
struct SurfaceShot {
  const HeightFrame* frame = nullptr;
  Htm<Model, Sensor> model_from_sensor;
};

inline constexpr std::uint32_t no_point = 0xFFFFFFFF;

/// Which pixel gave which point.
struct SnapshotGrid {
  int rows = 0, cols = 0;
  std::vector<std::uint32_t> point;  // rows * cols: index in the map, or no_point
};

struct ComparedSurface {
  SurfaceMap map;
  std::vector<SnapshotGrid> grids;
  /// Element i: region of point i where it was compared on a face of one; no_region otherwise.
  std::vector<std::uint16_t> face_region;
  /// Region of whose face, seen by the sensor, point i is nearest to but farther than the search; no_region otherwise.
  std::vector<std::uint16_t> beyond_region;
  std::uint64_t beyond = 0, hidden = 0;
};

/// Throws std::invalid_argument for more than 2^28 points. The result does not depend on who looks for the distances.
ComparedSurface compare_with_model(const SurfaceModel& model, const SurfaceSettings& settings,
                                   std::span<const SurfaceShot> shots, DistanceFinder& finder);

}  // namespace datum

// Conversion of snapshots to points in model coordinates, each with its signed deviation from the model
// (gpu/surface_compare/surface_compare.h).
//
// Excluded points are counted: those farther before or behind the model than the search distance (beyond),
// and those without evidence (explained): beside the model, or beside a step of it.
#pragma once

#include <future>
#include <span>
#include <vector>

#include "daemon/inspection/surface/surface_model.h"
#include "drivers/frame/height_frame.h"
#include "gpu/model_distance/distance_finder.h"
#include "gpu/surface_compare/surface_comparer.h"

namespace datum {

/// A frame in right-handed sensor coordinates, and its pose.
struct SurfaceShot {
  const HeightFrame* frame = nullptr;
  Htm<Model, Sensor> model_from_sensor;
  double edge_mm = 0;  // at a step: pixels nearer to it across the ray can't be assigned to a side
};

inline constexpr std::uint32_t no_point = 0xFFFFFFFF;

/// Pixel of each point.
struct SnapshotGrid {
  int rows = 0, cols = 0;
  UnsetList<std::uint32_t> point;  // rows * cols: index in the map, or no_point
};

class PointsOnPatches;  // surface_cover.h

/// A part's snapshots as they are compared; rays without the facets that they meet.
struct PartView {
  std::vector<ShotRays> rays;
  std::vector<ShotHeights> heights;
  std::vector<std::uint32_t> first;  // as first_points()

  std::size_t points() const { return first.back(); }
  PartShots shots() const { return {rays.data(), heights.data(), rays.size(), first.data(), points()}; }
};
/// Borrows the frames. Throws std::invalid_argument for more than 2^28 pixels.
PartView part_view(const TriangleModel& model, std::span<const SurfaceShot> shots, unsigned threads);

struct ComparedSurface {
  SurfaceMap map;
  std::vector<SnapshotGrid> grids;
  /// Of each point, mm: its map.distances, side by side.
  std::vector<float> deviation;
  /// Element i: region of point i if it was compared on a face of one; no_region otherwise.
  std::vector<std::uint16_t> face_region;
  /// The same, and if it was compared with an edge: the region charged with its deviation.
  std::vector<std::uint16_t> judged_region;
  /// Element i: point i lies beyond the search distance, before or behind beyond_region[i] (no_region: of a
  /// facet without a region).
  std::vector<std::uint8_t> is_beyond;
  std::vector<std::uint16_t> beyond_region;
  std::uint64_t beyond = 0, explained = 0;
};

/// A surface's points before they are compared. Borrowed.
struct PlacedSurface {
  std::span<const ModelPoint> points;
  const std::vector<std::uint16_t>& snapshot;
  const std::vector<SnapshotGrid>& grids;
};
inline PlacedSurface placed(const ComparedSurface& surface) {
  return {surface.map.points, surface.map.snapshot, surface.grids};
}

/// A surface without points, with its model.
ComparedSurface surface_of(const SurfaceModel& model);

/// Adds points and grids, with every pixel that has a height; nothing is compared yet.
void place_points(const PartView& part, unsigned threads, ComparedSurface& surface);

CompareSettings compare_settings(const SurfaceSettings& settings);

/// Looks for the nearest places of placed points, surface.map.distances; the points and their grids may be read meanwhile. The result
/// does not depend on the finder's backend. `beside`: it works elsewhere, on a thread of its own; else whoever waits does it. Borrows all.
std::future<void> find_distances(ComparedSurface& surface, const SurfaceModel& model,
                                 const SurfaceSettings& settings, DistanceFinder& finder, bool beside);

/// When they are `found`; points and grids may be read meanwhile. `on_patches`, of so many points, gets them all; null: nobody asks.
void compare_with_model(ComparedSurface& surface, const SurfaceModel& model, const SurfaceSettings& settings,
                        std::span<const SurfaceShot> shots, std::future<void> found, unsigned threads,
                        PointsOnPatches* on_patches);

/// The same in one order, with the points' areas, begun here and done on a thread of its own; the points may be placed meanwhile.
class SurfaceComparison {
 public:
  /// Borrows all but the model.
  SurfaceComparison(SurfaceComparer& comparer, std::shared_ptr<const SurfaceModel> model,
                    const SurfaceSettings& settings, std::span<const SurfaceShot> shots, PartView part,
                    const FacetsToSum& sums, unsigned threads, ComparedSurface& surface);
  /// Waits until the snapshots are on their way, or never will be: what competes with that can be done then.
  void wait_sent() { sent_.get_future().wait(); }
  /// Waits. False: it could not be done.
  bool done() { return done_.get(); }
  /// Of each reach, of each patch: how many points mark it.
  std::vector<UnsetList<std::uint32_t>> take_marks() { return std::move(marks_); }

 private:
  bool compare(SurfaceComparer& comparer, const SurfaceSettings& settings, std::span<const SurfaceShot> shots,
               const FacetsToSum& sums, unsigned threads, ComparedSurface& surface);
  ComparedPoints room(ComparedSurface& surface);

  const std::shared_ptr<const SurfaceModel> model_;
  PartView part_;
  std::promise<void> sent_;
  std::future<ComparedPoints> made_;
  UnsetList<PointJudgement> judgements_;
  std::vector<UnsetList<std::uint32_t>> marks_;
  std::future<bool> done_;  // the last member: it uses the others
};

}  // namespace datum

// First facet of a model on each viewing ray of a snapshot.
//
// A snapshot's rays are parallel to its sensor's z, one through the centre of each pixel, so the first facet
// on a ray is that of a depth buffer of the model (E. Catmull, "A subdivision algorithm for computer display
// of curved surfaces", 1974). Facets that face away from the sensor occlude too: an open model has a far
// side.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "daemon/inspection/surface/surface_compare.h"
#include "gpu/surface_compare/surface_compare.h"

namespace datum {

/// Where a shot's sensor stood and its pixels are; no rays.
ShotRays place_of(const TriangleModel& model, const SurfaceShot& shot);

/// Lengths in mm, sensor coordinates of the snapshot. Borrows the snapshot's frame. The result does not
/// depend on the number of threads.
class SurfaceRays {
 public:
  SurfaceRays(const TriangleModel& model, const SurfaceShot& shot, unsigned threads);
  /// Whether a shot of the same model has the same rays: a part in a fixture is seen alike again and again.
  bool are_of(const SurfaceShot& shot) const;
  std::size_t bytes() const;

  /// Borrowed: the first facets on the rays, their intersections.
  const ShotRays& view() const { return view_; }
  /// Of each facet that rays can meet.
  const FacetPlane* planes() const { return planes_.get(); }

 private:
  std::size_t index(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(view_.cols) +
           static_cast<std::size_t>(col);
  }
  void project(const TriangleModel& model, unsigned threads);
  /// A facet in whose box a pixel's centre lies.
  struct Candidate {
    std::uint32_t facet;
    int first_row, last_row, first_col, last_col;
  };
  /// False: no ray can meet it. Else its plane is known.
  bool can_be_met(const TriangleModel& model, Candidate& candidate);
  void keep_nearest(const TriangleModel& model, const Candidate& candidate, int first_row, int last_row);

  ShotRays view_;
  std::size_t facets_;
  Eigen::Matrix4d model_from_sensor_;
  std::unique_ptr<FacetPlane[]> planes_;
  std::vector<std::uint32_t> met_;
  std::vector<double> z_;
  std::vector<std::uint8_t> away_;
};

/// The rays of a model's last part, while they take no more than `most_bytes` together. Thread-safe.
class KeptRays {
 public:
  explicit KeptRays(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  /// Those of this snapshot of the last part where it was seen alike, else new ones.
  std::shared_ptr<const SurfaceRays> of(const TriangleModel& model, const SurfaceShot& shot,
                                        std::size_t snapshot, unsigned threads);

 private:
  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const SurfaceRays>> last_;
};

}  // namespace datum

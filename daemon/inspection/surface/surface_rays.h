// First facet of a model on each viewing ray of a snapshot.
//
// A snapshot's rays are parallel to its sensor's z, one through the centre of each pixel, so the first facet
// on a ray is that of a depth buffer of the model (E. Catmull, "A subdivision algorithm for computer display
// of curved surfaces", 1974). Facets that face away from the sensor occlude too: an open model has a far
// side.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "daemon/inspection/surface/area_quantiles.h"
#include "daemon/inspection/surface/surface_compare.h"

namespace datum {

inline constexpr std::uint32_t no_facet = 0xFFFFFFFF;

/// Lengths in mm, sensor coordinates of the snapshot. Borrows the snapshot's frame. The result does not
/// depend on the number of threads.
class SurfaceRays {
 public:
  SurfaceRays(const TriangleModel& model, const SurfaceShot& shot, unsigned threads);
  /// Whether a shot of the same model has the same rays: a part in a fixture is seen alike again and again.
  bool are_of(const SurfaceShot& shot) const;
  std::size_t bytes() const;

  /// The first facet on a pixel's ray; no_facet where it misses the model or the pixel does not exist.
  std::uint32_t facet(int row, int col) const { return inside(row, col) ? met_[index(row, col)] : no_facet; }
  /// Whether that facet looks away from the sensor.
  bool is_away(int row, int col) const { return away_[index(row, col)] != 0; }
  /// z of that intersection, for a pixel whose ray meets a facet.
  double z_mm(int row, int col) const { return z_[index(row, col)]; }
  /// z of a facet's plane at x, y.
  double plane_mm(std::uint32_t facet, double x_mm, double y_mm) const {
    const Plane& p = planes_[facet];
    return p.z_mm + p.slope_x * (x_mm - p.x_mm) + p.slope_y * (y_mm - p.y_mm);
  }
  /// Between the facet's normal and the sensor's z; below 0 the facet looks away.
  double cosine(std::uint32_t facet) const { return planes_[facet].cosine; }
  /// Sensor coordinates of a place relative to the model's origin.
  Eigen::Vector3d sensor_place(const std::array<double, 3>& model_place) const {
    return rotation_.lazyProduct(Eigen::Vector3d(model_place.data())) + shift_;  // inlined
  }
  /// Row and column of the nearest pixel, in the frame or not.
  Eigen::Vector2i pixel_of(const Eigen::Vector3d& place) const {
    const auto at = [](const AxisScale& axis, double mm) {
      return static_cast<int>(nearest_integer(std::clamp((mm - axis.offset_mm) / axis.scale_mm, -1e9, 1e9)));
    };
    return {at(y_, place.y()), at(x_, place.x())};
  }
  double x_mm(int col) const { return x_.at(col); }
  double y_mm(int row) const { return y_.at(row); }
  double step_x_mm() const { return x_.scale_mm; }
  double step_y_mm() const { return y_.scale_mm; }
  double pitch_mm() const { return std::max(x_.scale_mm, y_.scale_mm); }
  bool inside(int row, int col) const { return row >= 0 && row < rows_ && col >= 0 && col < cols_; }

 private:
  struct Plane {
    double x_mm, y_mm, z_mm, slope_x, slope_y, cosine;
  };
  using Corners = std::array<Eigen::Vector3d, 3>;

  std::size_t index(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols_) + static_cast<std::size_t>(col);
  }
  Corners corners_of(const TriangleModel& model, std::uint32_t facet) const;
  void project(const TriangleModel& model, unsigned threads);
  /// A facet in whose box a pixel's centre lies.
  struct Candidate {
    std::uint32_t facet;
    int first_row, last_row, first_col, last_col;
  };
  /// False: no ray can meet it. Else its plane is known.
  bool can_be_met(const TriangleModel& model, Candidate& candidate);
  void keep_nearest(const TriangleModel& model, const Candidate& candidate, int first_row, int last_row);

  int rows_, cols_;
  std::size_t facets_;
  AxisScale x_, y_;
  Eigen::Matrix4d model_from_sensor_;
  Eigen::Matrix3d rotation_;         // sensor from model
  Eigen::Vector3d shift_;            // of the model's origin
  std::unique_ptr<Plane[]> planes_;  // of facets that rays can meet
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

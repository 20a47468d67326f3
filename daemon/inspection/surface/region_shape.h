// What of a model's regions depends on the model alone, made once. Coordinates relative to the model's origin, mm.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <mutex>
#include <tuple>
#include <vector>

#include "gpu/model_distance/triangle_model.h"

namespace datum {

struct RegionShape {
  std::vector<std::uint32_t> facets;  // in their order
  Eigen::Vector3d low_mm, high_mm;    // the box about its corners
  Eigen::Vector3d mean_normal;        // over its area, of length 1
  double area_mm2 = 0;
};

/// Of each region, by the region of each facet.
std::vector<RegionShape> shapes_of(const TriangleModel& model,
                                   const std::vector<std::uint16_t>& region_of_facet, std::size_t regions);

/// Mean slope of a region's facets against the sensor's z axis: area times tan, at most 10. Of the last directions the slopes are
/// kept: a part in a fixture is always seen from the same. Thread-safe.
class RegionSlopes {
 public:
  /// `sensor_z`: in model coordinates. Nothing depends on `threads`.
  double of(const TriangleModel& model, const std::vector<RegionShape>& shapes, std::size_t region,
            const Eigen::Vector3d& sensor_z, unsigned threads);

 private:
  struct Kept {
    std::size_t region;
    Eigen::Vector3d sensor_z;
    double slope;
  };
  static constexpr std::size_t most = 256;
  std::mutex mutex_;
  std::vector<Kept> kept_;
  std::vector<double> share_;  // of each facet, while they are summed
};

}  // namespace datum

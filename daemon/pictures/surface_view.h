// Parallel projection of a model's facets: the visible facet of each pixel, and its depth.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/model_distance/triangle_model.h"

namespace datum {

/// Unit vectors in model coordinates; `towards` points from the part to the viewer, right x up = towards.
struct SurfaceView {
  std::string name;
  Eigen::Vector3d towards{0, 0, 1}, right{1, 0, 0}, up{0, 1, 0};
};

/// "top" (from +z, x to the right), "bottom", "front" (from -y, z up), "back", "left" (from -x), "right", "isometric"
/// (from (1, -1, 1)), or a direction towards the viewer as "X:Y:Z". Throws std::invalid_argument with the allowed values.
SurfaceView view_of(const std::string& text);

/// Row-major. Coordinates along the view's axes are relative to the model's origin, in mm.
struct SurfaceRaster {
  int width = 0, height = 0;
  double mm_per_px = 1;
  double left_mm = 0, top_mm = 0;  // centre of pixel (0, 0)
  std::vector<std::uint32_t>
      facet;                    // nearest to the viewer, at equal depth the first one; no_facet: background
  std::vector<float> depth_mm;  // along `towards`

  /// Column and row, not rounded, and depth in mm, of a place in the model.
  Eigen::Vector3d at(const SurfaceView& view, const Eigen::Vector3d& place_mm) const;
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  }
};

/// The longer side of the part becomes max_px, with a border of two pixels. Back faces are drawn too: an open model has
/// no front. Throws std::invalid_argument for max_px outside of 16..8192.
SurfaceRaster look_at(const TriangleModel& model, const SurfaceView& view, int max_px);

}  // namespace datum

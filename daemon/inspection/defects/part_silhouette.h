// What stands at a component's place: its raised pixels, their outline as a rectangle, and its top as a plane.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "daemon/inspection/defects/part_window.h"

namespace datum {

/// A rectangle in board coordinates by the moments of its pixels.
struct SeenRect {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  /// Along its own axes; of the two ways to name them, the one whose sizes are nearer to the component's body.
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();
  double rotation_deg = 0;  // from the component's own, -90 to 90; of a square body -45 to 45
};

struct PartSilhouette {
  std::uint32_t place = 0, place_valid = 0, place_raised = 0;  // pixels of the body's place
  bool found = false;                                          // something stands there
  bool cut = false;       // it ends at another part's place, or at the window's border
  double highest_um = 0;  // 95 % of its pixels are lower
  double top_um = 0;      // of its top plane at the middle
  Eigen::Vector2d slope = Eigen::Vector2d::Zero();  // of that plane, along the component's own axes
  double top_share = 0;                             // share of its inner pixels on that plane
  SeenRect low;                                     // pixels above a quarter of the nominal height
  SeenRect half;                                    // pixels above half of top_um
};

/// Level above which a pixel is raised: a quarter of the nominal height, so that pads and a lower part are told apart.
inline constexpr double raised_share = 0.25;

/// The raised regions that reach into the body's place. Missing pixels between raised ones of a row are theirs.
PartSilhouette silhouette_of(const PartWindow& window, const Component& component);

}  // namespace datum

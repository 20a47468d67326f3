// What stands at a component's place in a frame: the connected pixels above half its height, and their rectangle.
#pragma once

#include <optional>

#include "calib/htm.h"
#include "daemon/inspection/board/site_map.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"

namespace datum::teach {

/// Lengths in mm. The rectangle has the region's second moments, so that single pixels at its border do not count.
struct SeenOutline {
  double area_mm2 = 0;
  Eigen::Vector2d off_mm = Eigen::Vector2d::Zero();   // of its middle from the body's, board coordinates
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();  // along the body's own axes
  /// Of its longer axis against the longer one of the body, (-90, 90]; none: it or the body is nearly as wide as long (1.2).
  std::optional<double> turned_deg;
  double height_um = 0;  // median of the region over the floor
  bool cut = false;      // it leaves the searched window: something else is joined to it
};

/// A frame whose board was measured.
struct SeenBoard {
  const Recipe& recipe;
  const HeightFrame& frame;
  Htm<Board, Sensor> board_from_sensor;
};

/// Plane of a floor: that of the verdict, also where the board's surface replaced the ring's plane.
struct FloorPlane {
  double a = 0, b = 0, c_um = 0;
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  /// Height in um of a point of sensor coordinates over it.
  double over_um(double x_mm, double y_mm, double z_mm) const {
    return z_mm * 1e3 - (c_um + a * (x_mm - centre_mm.x()) * 1e3 + b * (y_mm - centre_mm.y()) * 1e3);
  }
};
/// None: the component has no floor.
std::optional<FloorPlane> floor_plane_of(const ComponentVerdict& component);

/// The largest region above a quarter of the nominal height (and above six sigmas of the floor's noise) that touches the body,
/// then above half of what it is high. Other components' bodies are left out. None: nothing stands there.
std::optional<SeenOutline> seen_outline(const SeenBoard& board, const Component& component,
                                        const FloorPlane& floor, double sigma_um);

}  // namespace datum::teach

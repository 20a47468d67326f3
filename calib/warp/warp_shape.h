// What is told of a warped board's surface: bow and twist (IPC-TM-650 2.4.22), warpage (JESD22-B112) and the flatness of
// a local area (IPC-9641), each with its standard uncertainty.
//
// Places in mm, heights in um over any plane: none of these quantities changes with a plane that is added.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "calib/warp/thin_plate.h"

namespace datum {

/// Rectangle; rotation counter-clockwise.
struct WarpArea {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();
  double rotation_rad = 0;
};

/// u: of the sum of heights that the value is; per_um: what 1 um at each of them, by itself, adds to it in squares. lift: half width of what the model's uncertainty alone adds to a value that
/// is picked as the largest of several, at most u sqrt(2 ln n) of n (the bound on the mean of the largest of n normal
/// values); a picked value is too large rather than too small. between: half width of what the surface may hide between
/// knots (ThinPlate::unresolved_um), at all places that the value is picked from.
struct WarpValue {
  double value = 0, u = 0, lift = 0, per_um = 0, between = 0;
};

/// Half width of a height at a place, in um.
using HalfWidth = std::function<double(const Eigen::Vector2d& at_mm)>;

/// Half width of a value whose heights are off by so much at each place, each as it does the most harm. peak: two places that
/// are off independently.
double bow_half_percent(const WarpArea& area, const HalfWidth& half);
double twist_half_percent(const WarpArea& area, const HalfWidth& half);
double convexity_half_um(const WarpArea& area, const HalfWidth& half);
double peak_half_um(const WarpArea& area, const HalfWidth& half);

/// Places that bow (`edges` alone) or all of an area's values are picked from: its corners, along its edges, and a lattice.
std::vector<Eigen::Vector2d> places_mm(const WarpArea& area, bool edges);

/// No place of the edges (`edges`), or of the area, lies farther from the nearest of them.
double between_places_mm(const WarpArea& area, bool edges);

/// Corners from (-x, -y), counter-clockwise.
std::array<Eigen::Vector2d, 4> corners_mm(const WarpArea& area);

/// Percent. The largest distance of an edge from the straight line through its two corners, over the length of that edge:
/// 100 R / L, the worst of the four edges, each looked at in 32 places.
WarpValue bow_percent(const ThinPlate& surface, const WarpArea& area);

/// Percent: 100 R / (2 D), R the height of one corner over the plane through the other three (z1 - z2 + z3 - z4 for every
/// choice of the corner), D the diagonal. The 2: holding three corners down doubles the fourth's height.
WarpValue twist_percent(const ThinPlate& surface, const WarpArea& area);

/// um: middle over the mean of the four corners. Positive: convex seen from above, the sign of JESD22-B112.
WarpValue convexity_um(const ThinPlate& surface, const WarpArea& area);

/// um: highest less lowest distance from the area's own least-squares plane, in steps + 1 places along either side;
/// corners are among them and, where the number is even, the middle. Of the whole board: peak to valley. Of a package's
/// footprint: its local flatness.
WarpValue peak_to_valley_um(const ThinPlate& surface, const WarpArea& area, int steps = 20);

}  // namespace datum

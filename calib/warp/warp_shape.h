// Shape quantities of a warped board's surface: bow and twist (IPC-TM-650 2.4.22), warpage (JESD22-B112),
// flatness of a local area (IPC-9641), each with its standard uncertainty.
//
// Places in mm, heights in um over any plane: adding a plane changes none of these quantities.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "calib/warp/thin_plate.h"

namespace datum {

/// Rectangle; rotation counter-clockwise, seen from above.
struct WarpArea {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();
  double rotation_rad = 0;
};

/// u: of the linear combination of heights that gives the value. per_um: squared sum of its coefficients, for
/// 1 um at each height. lift: half width of the excess of a value selected as the largest of several, at most
/// u sqrt(2 ln n) of n (bound on the mean of the largest of n normal values); a selected value is too large
/// rather than too small. between: half width of the form hidden between knots (ThinPlate::unresolved_um),
/// over all places among which the value is selected.
struct WarpValue {
  double value = 0, u = 0, lift = 0, per_um = 0, between = 0;
};

/// Half width of a height at a place, in um.
using HalfWidth = std::function<double(const Eigen::Vector2d& at_mm)>;

/// Half width of a value whose heights deviate by these amounts in the worst combination. peak: two
/// independent places.
double bow_half_percent(const WarpArea& area, const HalfWidth& half);
double twist_half_percent(const WarpArea& area, const HalfWidth& half);
double convexity_half_um(const WarpArea& area, const HalfWidth& half);
double peak_half_um(const WarpArea& area, const HalfWidth& half);

/// Places among which bow (`edges` alone) or an area's values are selected: corners, edges, and a lattice.
std::vector<Eigen::Vector2d> places_mm(const WarpArea& area, bool edges);

/// Largest distance of a place on the edges (`edges`), or in the area, from the nearest of them.
double between_places_mm(const WarpArea& area, bool edges);

/// Corners from (-x, -y), counter-clockwise.
std::array<Eigen::Vector2d, 4> corners_mm(const WarpArea& area);

/// Percent: 100 R / L, R the largest distance of an edge from the line through its two corners, L that edge's
/// length; the worst of the four edges, each evaluated at 32 places.
WarpValue bow_percent(const ThinPlate& surface, const WarpArea& area);

/// Percent: 100 R / (2 D), R the height of one corner over the plane through the other three (z1 - z2 + z3 -
/// z4 for every choice), D the diagonal. The factor 2: holding three corners down doubles the fourth's
/// height.
WarpValue twist_percent(const ThinPlate& surface, const WarpArea& area);

/// um: height of the middle over the mean of the four corners. Positive: convex seen from above
/// (JESD22-B112).
WarpValue convexity_um(const ThinPlate& surface, const WarpArea& area);

/// um: highest less lowest distance from the area's own least-squares plane, at steps + 1 places along either
/// side; they include the corners and, for even steps, the middle. Over the whole board it is the
/// peak-to-valley value, over a package's footprint the local flatness.
WarpValue peak_to_valley_um(const ThinPlate& surface, const WarpArea& area, int steps = 20);

}  // namespace datum

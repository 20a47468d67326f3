// A row of the statistics table: disturbances of a height map, and demands on the daemon.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/virtual_cell/twin_render.h"

namespace datum::statistics {

/// Measured quantity. quadratic: mean above a floor of form "quadratic". From bow on, in rows of their own: a board's
/// form, a height above it where a ring is hidden, a hole's radius and both coordinates of its centre.
enum class Column {
  mean,
  median,
  percentile,
  maximum,
  tilt,
  presence,
  quadratic,
  bow,
  twist,
  warp_fallback,
  hole_radius,
  hole_place
};
constexpr std::size_t column_count = 12;
const char* name_of(Column c);

constexpr double pitch_mm = 0.05;  // pixel pitch of the twin

/// A chip or package by its usual name. The true tilt is at least eight standard uncertainties under white noise.
struct Body {
  const char* name;
  double x_mm, y_mm, height_um, tilt_mdeg, erode_px;
};
const std::vector<Body>& bodies();
/// Approximate number of pixels in the recipe's top region.
double region_pixels(const Body& body);

/// A second level under a part of each ring.
enum class Level { none, side, sector, stripes, half, uneven, two_levels, ramp, step };
const char* name_of(Level level);

/// A board's form, of form_um. twist; fold: along a V-score, the ends lower by form_um; dome: under the component with
/// the hidden ring; bump: between two patches of the lower edge. bent: bending by production, also under dome and bump.
enum class WarpForm { none, bent, twist, fold, dome, bump };

/// Scenes of the real board (shared data, pemtron/board.ptr).
enum class Real {
  none,
  left_dies,   // five equal parts, within 4 um of their midrange
  stepped,     // a second level under a part of each package's ring; the dies' heights are unchanged
  right_dies,  // speckled: heights are those without the speckle
};

struct Wanted {
  double outside = 0.06;     // largest share of accepted values farther than U (k = 2) from the truth
  double outside_least = 0;  // smaller shares: U is larger than necessary
  double at_limit = 0.05;    // largest share of PASS with the limit at the truth; none at 1.25 times it
  double invalid_most = 1, invalid_least = 0;  // share of the cases
  double bias_um = std::numeric_limits<double>::infinity();
};

struct Row {
  std::string name;
  bool floors = false;  // only one component (0805) and heights: quality of the floor
  TwinNoise noise;
  double lsb_um = 0.25;
  double profile_sigma_um = 1;
  Level level = Level::none;
  double step_um = 35;
  bool bowed = false, three_sides = false;
  bool clipped = false;     // tops inclined by 80 um/mm, with the high side beyond the range
  bool dark = false;        // one end of each component reflects little light
  bool level_view = false;  // perpendicular view: counts are not dithered by a slope
  double shadow_slope = 0;
  // Boards of a production: components rotated, tilted and displaced, bowed boards, a sensor with scale and linearity
  // errors.
  bool production = false;
  std::optional<double> refit_threshold_sigmas, max_rms_sigmas;
  Real real = Real::none;
  WarpForm warp = WarpForm::none;
  bool composed = false;  // of these: placed at random and registered, and filtered by diffusion
  double form_um = 0;
  std::optional<double> max_curvature_um_per_mm2;  // of the recipe; none: its default
  std::optional<double> chamfer_mm;                // of a hole; none: no hole
  bool slope_unseen = false;                       // then a chamfer gives no height
  Wanted wanted;
};

/// Demands on one cell of the table.
Wanted wanted_in(const Row& row, const Body& body, Column column);

/// All rows of the table, in its order.
std::vector<Row> all_rows();

}  // namespace datum::statistics

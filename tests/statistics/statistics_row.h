// A row of the table of statistics: what the world does to a height map, and what is wanted of the daemon on it.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/virtual_cell/twin_render.h"

namespace datum::statistics {

/// What is measured. quadratic: the mean over a floor of form "quadratic". From bow on in rows of their own: of a board's
/// form, of a height over it where a ring is hidden, of a hole's radius and both coordinates of its place.
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

constexpr double pitch_mm = 0.05;  // of the twin's pixels

/// A chip or package by its usual name. The true tilt is eight standard uncertainties of
/// white noise at the least.
struct Body {
  const char* name;
  double x_mm, y_mm, height_um, tilt_mdeg, erode_px;
};
const std::vector<Body>& bodies();
/// Pixels that the recipe's top region holds, about.
double region_pixels(const Body& body);

/// A second level under part of each ring.
enum class Level { none, side, sector, stripes, half, uneven, two_levels, ramp, step };
const char* name_of(Level level);

/// A board's form, of form_um: a twist; a fold along a V-score, its ends lower by that; a dome under the body whose ring is
/// hidden; a bump between two patches of the lower edge. bent: as a production bends boards; it is under dome and bump too.
enum class WarpForm { none, bent, twist, fold, dome, bump };

/// Of the real board (shared data, pemtron/board.ptr).
enum class Real {
  none,
  left_dies,  // five equal parts: within 4 um of their midrange
  stepped,  // a second level is put under part of each package's ring: the dies' heights stay what they were
  right_dies,  // speckled: heights are those without the speckle
};

struct Wanted {
  double outside = 0.06;     // most of the accepted values farther than U (k = 2) from the truth
  double outside_least = 0;  // fewer: U is larger than it has to be
  double at_limit = 0.05;    // most PASS where the truth is the limit; there is none at 1.25 times it
  double invalid_most = 1, invalid_least = 0;  // share of the cases
  double bias_um = std::numeric_limits<double>::infinity();
};

struct Row {
  std::string name;
  bool floors = false;  // one body (0805) and heights alone: what the floor is worth
  TwinNoise noise;
  double lsb_um = 0.25;
  double profile_sigma_um = 1;
  Level level = Level::none;
  double step_um = 35;
  bool bowed = false, three_sides = false;
  bool clipped = false;     // tops tilted by 80 um/mm, their high side beyond the range
  bool dark = false;        // one end of each body gives back little light
  bool level_view = false;  // the sensor looks straight down: counts do not dither along a slope
  double shadow_slope = 0;
  // Boards from the line: bodies turned, tilted and out of place, bowed boards, a sensor whose scale and linearity err.
  bool production = false;
  std::optional<double> refit_threshold_sigmas, max_rms_sigmas;
  Real real = Real::none;
  WarpForm warp = WarpForm::none;
  double form_um = 0;
  std::optional<double> max_curvature_um_per_mm2;  // of the recipe; none: its default
  std::optional<double> chamfer_mm;                // of a hole; none: no hole
  bool slope_unseen = false;                       // then a chamfer gives no height
  Wanted wanted;
};

/// What is wanted in one cell of the table.
Wanted wanted_in(const Row& row, const Body& body, Column column);

/// All rows of the table, in its order.
std::vector<Row> all_rows();

}  // namespace datum::statistics

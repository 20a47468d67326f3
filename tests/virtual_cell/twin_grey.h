// The digital twin's grey image: artwork of a board (marks, pads, legend) as an intensity camera shows it, with its errors.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "drivers/frame/height_frame.h"
#include "tests/virtual_cell/twin_board.h"

namespace datum {

/// One layer's figure; later ones lie on earlier ones.
struct TwinInk {
  enum class Form : std::uint8_t { disc, ring, cross, rect } form = Form::disc;
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();  // board coordinates
  Eigen::Vector2d size_mm =
      Eigen::Vector2d::Zero();  // diameter and inner diameter, arms' length and width, or sides
  double rotation_deg = 0;
  double grey = 200;
};
/// The mark as a recipe describes it, on a window of solder mask's edge `window_grey` over its clear zone (negative: none).
void add_mark(std::vector<TwinInk>& inks, const Fiducial& mark, double grey, double window_grey = -1);

struct TwinGlare {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  double radius_mm = 1, grey = 300;  // added in the middle; falls to 0 at the radius
};

struct TwinGrey {
  double mask_grey = 60;    // solder mask; beyond the board 10
  double noise_grey = 2;    // standard deviation
  double vignetting = 0.3;  // share of light that is lost at the frame's corners
  double texture_grey = 4;  // weave of the laminate: amplitude, period 0.9 mm
  double blur_px = 0.7;     // standard deviation of the optics
  std::vector<TwinInk> inks;
  std::vector<TwinGlare> glares;
  int bits = 8;
};

/// Pixels of a frame over the board, as in BoardView: board coordinates = origin + col * per_col + row * per_row.
struct TwinGrid {
  int rows = 0, cols = 0;
  Eigen::Vector2d origin, per_col, per_row;
};

/// A pixel's value is the mean of 5 x 5 places in it, blurred, with noise of the seed; it ends at 0 and 2^bits - 1.
IntensityImage draw_grey(const TwinGrey& grey, const Eigen::Vector2d& board_mm, const TwinGrid& grid,
                         std::uint64_t seed);

}  // namespace datum

// A deposit of solder paste on a bare print: volume, area and height over its floor.
#pragma once

#include <Eigen/Core>
#include <string>

#include "daemon/inspection/defects/part_window.h"
#include "daemon/inspection/recipe/terminal_recipe.h"
#include "daemon/inspection/verdict/characteristic.h"

namespace datum {

/// Areas in mm^2, volumes in mm^2 um, of the pixels higher than the threshold that connect with the aperture.
struct PasteSeen {
  std::string why;      // not empty: nothing can be said, and why
  std::string bridged;  // reference of a deposit that its paste joins; empty: none
  double area_mm2 = 0, volume = 0;
  double u_edge_mm2 = 0;                       // pixels are whole at the border
  double u_level_mm2 = 0;                      // the area's change with the floor's uncertainty
  double missing_mm2 = 0, missing_volume = 0;  // bounds: by pixels without a height, which are filled in
  double spike_mm2 = 0, spike_volume = 0;      // bounds: by overshoot at the border
  double pixels = 0, pixel_mm2 = 0;
};

/// Paste is what is higher than the threshold and connects with the aperture, by eight neighbours.
///
/// Missing pixels of the aperture and beside the paste are interpolated from the next heights along row and column, and each may be
/// as high as the highest of those or as low as the lowest: a bound. Single pixels that stand out of their neighbours (the third
/// highest of eight by half the stencil's thickness) are missing ones. More than body.max_missing_ratio of the aperture: refused.
///
/// Border of a rectangle of w x h pixels: var = 2 (h r_x)^2 + 2 (w r_y)^2, r = rounding_of_mean_px of a side's wander across the lattice.
/// Border of a circle of radius r: 0.458 r, the mean square of the lattice points of a random circle about its area (Fourier series
/// of the disc: r / (2 pi^2) sum |m|^-3 over the lattice without 0; Kendall 1948).
PasteSeen paste_of(const PartWindow& window, const PartScene& scene);

/// In percent of the aperture, or um; INVALID (PASTE) where nothing can be said, or a bridge makes it another deposit's too.
CheckVerdict evaluate_paste(const Check& check, const Measured& m, const PasteSeen& seen);

}  // namespace datum

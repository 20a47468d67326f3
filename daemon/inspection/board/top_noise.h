// Effect of noise on a top's values, from its own residuals and from noise of the frame's rings that a top is
// too small to show.
#pragma once

#include "daemon/inspection/verdict/characteristic.h"

namespace datum {

struct TopNoise {
  double pixel_um = 0;                     // standard deviation of one pixel
  double mean_um = 0;                      // standard uncertainty of the mean of all pixels with a height
  double slope_x = 0, slope_y = 0;         // standard uncertainties of the top plane's slopes, um over um
  double correlation = 1;                  // S: mean_um^2 = pixel_um^2 S / n at least
  double rim_um = 0;                       // bound: effect of the body's rim on the mean
  double rim_slope = 0;                    // and to a slope, um over um
  double rim_high_um = 0, rim_low_um = 0;  // and to the highest and lowest
};

/// The variance of a mean over the body is the larger of two: that of its own residuals and their correlation
/// (including form); and the frame's (FrameNoise), times the top's residual variance over that expected from
/// the frame's noise in a body of its size, where the top is noisier. A body below 16 pixels has at least the
/// profile's noise. Estimates from the body's own residuals carry Student's t of their number. Slopes use
/// halves of the body.
///
/// Rim: where its pixels shift the mean by more than two standard deviations, or a slope by more than three,
/// the whole shift is the bound. Where a rim pixel's height over the plane exceeds 1.33 times the 95 %
/// quantile of the highest of so many noise values, that whole height is the bound. A body without an inside
/// can't distinguish walls from noise: an overshoot uniform between 0 and its largest has a mean of sqrt 3
/// times its standard deviation, so that multiple of the excess scatter is the bound.
TopNoise top_noise_of(const Measured& m);

/// Standard uncertainty of the floor beyond Floor::u_um, where the frame's noise averages less over a ring
/// than the ring's own residuals indicate; um.
double unseen_floor_um(const Measured& m);
/// Standard uncertainty of the floor's slopes, root sum of squares over x and y; um over um.
double floor_slope(const Measured& m);

}  // namespace datum

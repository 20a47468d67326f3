// How the noise of a top enters what is told of it: of its own residuals, and of what the frame's rings show of noise that a
// top can't show.
#pragma once

#include "daemon/inspection/verdict/characteristic.h"

namespace datum {

struct TopNoise {
  double pixel_um = 0;                     // standard deviation of one pixel
  double mean_um = 0;                      // standard uncertainty of the mean of all pixels with a height
  double slope_x = 0, slope_y = 0;         // standard uncertainties of the top plane's slopes, um over um
  double correlation = 1;                  // S: mean_um^2 = pixel_um^2 S / n at least
  double rim_um = 0;                       // what the body's rim may have added to the mean, a bound
  double rim_slope = 0;                    // and to a slope, um over um
  double rim_high_um = 0, rim_low_um = 0;  // and to the highest and lowest
};

/// The variance of a mean over the body is the largest of: that of its own residuals and their correlation (form included);
/// the frame's (FrameNoise), times the top's residual variance over the one that the frame's noise leaves in a body of its
/// size, where the top is noisier. A body below 16 pixels has at least the noise of the sensor's profile. What comes from
/// the body's own residuals carries Student's t of their number. Half of the body tells its slopes.
///
/// Rim: where the pixels of the rim shift the mean by more than two standard deviations or a slope by more than three, all of
/// the shift is the bound;
/// where they reach beyond what noise makes of so many (95 %, and a third more), all of that. A body without an inside can't
/// tell walls from noise: an overshoot between 0 and its largest has a mean of sqrt 3 times its scatter (uniform), so that
/// much of the scatter over the expected one is the bound.
TopNoise top_noise_of(const Measured& m);

/// Standard uncertainty that the floor has over Floor::u_um where the frame's noise averages less over a ring than the
/// ring's own residuals say; um.
double unseen_floor_um(const Measured& m);
/// Standard uncertainties of the floor's slopes, root of the sum over x and y; um over um.
double floor_slope(const Measured& m);

}  // namespace datum

// Effect of rounding to the height's LSB on means, selected heights and slopes.
#pragma once

#include "daemon/inspection/verdict/characteristic.h"

namespace datum {

/// Standard uncertainty of a height in um: of the top and, independently, of the floor.
///
/// Noise of standard deviation s dithers rounding: the mean error of a rounded value is at most LSB / pi *
/// exp(-2 pi^2 s^2 / LSB^2) (first term of its Fourier series), a sinusoid, hence divided by sqrt 2. Rounded
/// values scatter by s^2 + LSB^2 / 12. Where their standard deviation is below 0.6 LSB (s below half an LSB)
/// dithering is not certain, and LSB / sqrt 12 remains, divided by the number of steps of the slopes across
/// the region. A single selected height of the top keeps LSB / sqrt 12 for any noise.
double height_quantisation_um(bool picked, const Measured& m);

/// Remaining share of `most` (LSB) in a mean of rounded values with this standard deviation.
double left_of_rounding(double scatter_lsb, double most);

/// Bound of a tilt in um over um: a region of width w with one step in its middle has a least-squares slope
/// of 1.5 LSB / w. Dithering and steps as above.
double slope_quantisation(const Measured& m);

}  // namespace datum

// What rounding to the height's LSB leaves in means, picked heights and slopes.
#pragma once

#include "daemon/inspection/verdict/characteristic.h"

namespace datum {

/// Standard uncertainty of a height in um: of the top and, independent of it, of the floor.
///
/// Noise of standard deviation s dithers rounding: the mean error of a rounded value is at most
/// LSB / pi * exp(-2 pi^2 s^2 / LSB^2) (first term of its Fourier series), a sinusoid, so over sqrt 2. Rounded values scatter
/// by s^2 + LSB^2 / 12. Where they scatter by less than 0.6 LSB (s below half an LSB) nothing is dithered for certain, and
/// LSB / sqrt 12 stays, over the number of steps that the slopes make across the region. A picked height of the top keeps
/// LSB / sqrt 12 whatever the noise.
double height_quantisation_um(bool picked, const Measured& m);

/// Share of `most` (LSB) that rounding leaves in a mean where rounded values scatter by so many LSB.
double left_of_rounding(double scatter_lsb, double most);

/// Bound of a tilt in um over um: a region of width w on whose middle one step lies has a least-squares slope of 1.5 LSB / w;
/// the same dithering and steps.
double slope_quantisation(const Measured& m);

}  // namespace datum

// Sub-pixel edges of a dark line along one scan line of a grey image.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace datum {

/// Moving average over 2 half + 1 samples (thesis, equation 2.9, with the index corrected:
/// daemon/inspection/METROLOGY.md, E9). Near the ends the window is narrower and still symmetric.
std::vector<double> moving_average(std::span<const double> grey, int half);

/// A dark run between bright pixels, bounded by the threshold crossings of its two flanks (thesis, algorithm
/// 1). Positions in samples; the centre of sample i is at i.
struct DarkRun {
  double left = 0, right = 0;
  double middle() const { return (left + right) / 2; }
  double width() const { return right - left; }
};

/// All dark runs with bright samples on both sides. Crossings are interpolated linearly between two samples.
/// For pixels that integrate light and a smoothing of 2 half + 1 samples the error is below half a sample,
/// because the mean over n samples across a step is linear in the step's position.
std::vector<DarkRun> dark_runs(std::span<const double> grey, double threshold);

/// The run that contains `middle`, each flank taken at half its own height: between the level of the line and
/// the bright level on that side. Light that falls off across the image therefore shifts no edge. Empty where
/// a level is missing, the contrast is below `least_contrast`, or the width differs from `width` samples by
/// more than a third.
std::optional<DarkRun> dark_line(std::span<const double> grey, double middle, double width,
                                 double least_contrast, int half);

}  // namespace datum

// Edges of a dark line along one scan line of a grey image, to a fraction of a pixel.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace datum {

/// Mean over 2 half + 1 samples around each (thesis' equation 2.9 with the index that METROLOGY E9 corrects);
/// at the ends the window is narrower, still symmetric.
std::vector<double> moving_average(std::span<const double> grey, int half);

/// A dark run between bright pixels, by the threshold crossings of its two flanks (thesis' algorithm 1).
/// Positions in samples; a sample's middle is its index.
struct DarkRun {
  double left = 0, right = 0;
  double middle() const { return (left + right) / 2; }
  double width() const { return right - left; }
};

/// All dark runs with bright on both sides. A crossing is interpolated between two samples; for pixels that
/// integrate light and a smoothing of 2 half + 1 samples that is exact within half a sample, since the mean
/// over n samples across a step is linear in its place.
std::vector<DarkRun> dark_runs(std::span<const double> grey, double threshold);

/// The run that holds `middle`, each flank at half of its own height: between the level of the line and the
/// level of the bright surface on its side, so that light that falls off across the image moves no edge.
/// `width` samples, give or take a third; empty where a level is missing, the contrast is below
/// `least_contrast` or it is not as wide.
std::optional<DarkRun> dark_line(std::span<const double> grey, double middle, double width,
                                 double least_contrast, int half);

}  // namespace datum

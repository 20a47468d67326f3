// A dark line in a grey image as a straight line in x and y of the sensor.
#pragma once

#include <vector>

#include "calib/artefact/lines_artefact.h"

namespace datum {

/// u is the coordinate that the scan runs along (x for rows, y for columns), v the one across: u = at + slope
/// * v.
struct ScanLine {
  double at_mm = 0, slope = 0;
  double u(double v_mm) const { return at_mm + slope * v_mm; }
};

struct Crossing {
  double u_mm = 0, v_mm = 0, width_mm = 0;  // middle and width along the scan
};

/// The image by scan lines: rows for the long line, columns for the short one.
class ScannedImage {
 public:
  ScannedImage(const HeightFrame& frame, bool by_columns);
  std::size_t size() const { return lines_.size(); }
  double v_mm(std::size_t line) const { return v_.at(static_cast<double>(line)); }
  /// Every dark run about `width_mm` wide: where the line might be.
  std::vector<Crossing> dark_runs_of(double width_mm, double threshold, int half) const;
  /// The line at one scan near the coarse one, if it is there.
  std::optional<Crossing> crossing(std::size_t line, const ScanLine& coarse, double width_mm,
                                   double least_contrast, int half) const;

 private:
  AxisScale u_, v_;
  std::vector<std::vector<double>> lines_;
};

/// The line on which most runs lie, by a robust fit; throws SegmentationRefused in the name of `who`.
ScanLine coarse_line(const std::vector<Crossing>& runs, double noise_mm, const char* who);

/// Least squares of u over v, in mean and slope about v_mean, which do not correlate.
struct FittedLine {
  ScanLine line;
  double v_mean_mm = 0;
  double u_offset_mm = 0, u_slope = 0;  // standard uncertainties at v_mean
  double scatter_mm = 0;
  std::size_t used = 0;
  double width_mm = 0;  // median, along the scan
};

/// Crossings farther than 4 standard deviations (by the median) off are left out once. Needs 8.
FittedLine fitted_line(const std::vector<Crossing>& crossings);

}  // namespace datum

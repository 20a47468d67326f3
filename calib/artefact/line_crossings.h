// A dark line in a grey image as a straight line in the sensor's x and y.
#pragma once

#include <vector>

#include "calib/artefact/lines_artefact.h"

namespace datum {

/// u is the coordinate along the scan (x for rows, y for columns), v the one across it: u = at + slope * v.
struct ScanLine {
  double at_mm = 0, slope = 0;
  double u(double v_mm) const { return at_mm + slope * v_mm; }
};

struct Crossing {
  double u_mm = 0, v_mm = 0, width_mm = 0;  // middle and width along the scan
};

/// The image by scan lines: rows cross the long line, columns the short one.
class ScannedImage {
 public:
  ScannedImage(const HeightFrame& frame, bool by_columns);
  std::size_t size() const { return lines_.size(); }
  double v_mm(std::size_t line) const { return v_.at(static_cast<double>(line)); }
  /// All dark runs of about `width_mm`: candidates for the line.
  std::vector<Crossing> dark_runs_of(double width_mm, double threshold, int half) const;
  /// The line's crossing at one scan near the coarse line; none if it is not visible there.
  std::optional<Crossing> crossing(std::size_t line, const ScanLine& coarse, double width_mm,
                                   double least_contrast, int half) const;

 private:
  AxisScale u_, v_;
  std::vector<std::vector<double>> lines_;
};

/// The line through most runs, by a robust fit. Throws SegmentationRefused, prefixed with `who`.
ScanLine coarse_line(const std::vector<Crossing>& runs, double noise_mm, const char* who);

/// Least squares of u over v, as mean and slope at v_mean, which are uncorrelated.
struct FittedLine {
  ScanLine line;
  double v_mean_mm = 0;
  double u_offset_mm = 0, u_slope = 0;  // standard uncertainties at v_mean
  double scatter_mm = 0;
  std::size_t used = 0;
  double width_mm = 0;  // median, along the scan
};

/// Crossings farther than 4 standard deviations (by the median) are left out once. Needs at least 8.
FittedLine fitted_line(const std::vector<Crossing>& crossings);

}  // namespace datum

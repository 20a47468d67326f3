#include "calib/artefact/line_crossings.h"

#include <algorithm>
#include <cmath>

#include "calib/artefact/grey_edges.h"
#include "calib/fit/robust.h"
#include "calib/linear/median.h"

namespace datum {

namespace {

/// u = at + slope v by least squares, about the mean of v.
FittedLine regression(const std::vector<Crossing>& crossings) {
  const double n = static_cast<double>(crossings.size());
  double u = 0, v = 0;
  for (const Crossing& c : crossings) u += c.u_mm / n, v += c.v_mm / n;
  double vv = 0, uv = 0, rr = 0;
  for (const Crossing& c : crossings) {
    vv += (c.v_mm - v) * (c.v_mm - v);
    uv += (c.u_mm - u) * (c.v_mm - v);
  }
  FittedLine fit;
  fit.used = crossings.size();
  fit.line.slope = uv / vv;
  fit.line.at_mm = u - fit.line.slope * v;
  fit.v_mean_mm = v;
  for (const Crossing& c : crossings) rr += std::pow(c.u_mm - fit.line.u(c.v_mm), 2);
  fit.scatter_mm = std::sqrt(rr / (n - 2));
  fit.u_offset_mm = fit.scatter_mm / std::sqrt(n);
  fit.u_slope = fit.scatter_mm / std::sqrt(vv);
  return fit;
}

}  // namespace

ScannedImage::ScannedImage(const HeightFrame& frame, bool by_columns)
    : u_(by_columns ? frame.y : frame.x), v_(by_columns ? frame.x : frame.y) {
  const auto rows = static_cast<std::size_t>(frame.rows), cols = static_cast<std::size_t>(frame.cols);
  lines_.assign(by_columns ? cols : rows, std::vector<double>(by_columns ? rows : cols));
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = 0; col < cols; ++col) {
      (by_columns ? lines_[col][row] : lines_[row][col]) = frame.intensity->grey[row * cols + col];
    }
  }
}

std::vector<Crossing> ScannedImage::dark_runs_of(double width_mm, double threshold, int half) const {
  std::vector<Crossing> found;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    for (const DarkRun& run : dark_runs(moving_average(lines_[i], half), threshold)) {
      const double width = run.width() * u_.scale_mm;
      if (std::abs(width - width_mm) > width_mm / 3) continue;
      found.push_back({u_.at(run.middle()), v_mm(i), width});
    }
  }
  return found;
}

std::optional<Crossing> ScannedImage::crossing(std::size_t line, const ScanLine& coarse, double width_mm,
                                               double least_contrast, int half) const {
  const double middle = (coarse.u(v_mm(line)) - u_.offset_mm) / u_.scale_mm;
  const auto run = dark_line(lines_[line], middle, width_mm / u_.scale_mm, least_contrast, half);
  if (!run) return std::nullopt;
  return Crossing{u_.at(run->middle()), v_mm(line), run->width() * u_.scale_mm};
}

ScanLine coarse_line(const std::vector<Crossing>& runs, double noise_mm, const char* who) {
  std::vector<Eigen::Vector3d> points;
  for (const Crossing& run : runs) points.emplace_back(run.u_mm, run.v_mm, 0);
  try {
    RobustSettings settings;
    settings.noise_sigma_mm = noise_mm;
    const Line3 line = fit_line_robust(points, settings).fit.feature;
    // A line along the scan has no crossings; 45 degrees is far beyond the allowed angle.
    if (std::abs(line.direction.y()) < std::abs(line.direction.x()))
      throw FitRefused("it lies along the scan");
    const double slope = line.direction.x() / line.direction.y();
    return {line.point_mm.x() - slope * line.point_mm.y(), slope};
  } catch (const FitRefused& refused) {
    throw SegmentationRefused(std::string(who) + " is not found in the grey image: " + refused.what());
  }
}

FittedLine fitted_line(const std::vector<Crossing>& crossings) {
  if (crossings.size() < 8) {
    throw SegmentationRefused("a line has " + std::to_string(crossings.size()) + " crossings, needed are 8");
  }
  const FittedLine first = regression(crossings);
  std::vector<double> off, widths;
  for (const Crossing& c : crossings) off.push_back(std::abs(c.u_mm - first.line.u(c.v_mm)));
  const double limit = std::max(4 * 1.4826 * median_of(off), 1e-9);
  std::vector<Crossing> kept;
  for (std::size_t i = 0; i < off.size(); ++i) {
    if (off[i] > limit) continue;
    kept.push_back(crossings[i]);
    widths.push_back(crossings[i].width_mm);
  }
  FittedLine fit = regression(kept);
  fit.width_mm = median_of(widths);
  return fit;
}

}  // namespace datum

#include "calib/registration/overlap.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>

namespace datum {

namespace {

constexpr int reach = 3;  // pixels to each side over which a slope is taken

// Largest slope of a gentle surface, beyond noise.
constexpr double step_slope = 0.5;
constexpr double step_sigmas = 5;

struct Place {
  double z_mm, slope_x, slope_y;
  Around around;
  int wall = -1;
};

bool measured(const HeightFrame& f, int row, int col) {
  return row >= 0 && col >= 0 && row < f.rows && col < f.cols && f.class_at(row, col) == PixelClass::ok;
}

/// Height and slopes of a frame between its pixels; none where a needed pixel has no height.
std::optional<Place> at(const HeightFrame& f, double x_mm, double y_mm, double noise_sigma_mm) {
  const double c = (x_mm - f.x.offset_mm) / f.x.scale_mm, r = (y_mm - f.y.offset_mm) / f.y.scale_mm;
  if (!(c >= 0 && r >= 0 && c < f.cols - 1 && r < f.rows - 1)) return std::nullopt;
  const int col = static_cast<int>(c), row = static_cast<int>(r);
  double z[2][2];
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 2; ++k) {
      if (!measured(f, row + i, col + k)) return std::nullopt;
      z[i][k] = f.z_mm(row + i, col + k);
    }
  const double u = c - col, v = r - row;
  const double z_mm = (1 - v) * ((1 - u) * z[0][0] + u * z[0][1]) + v * ((1 - u) * z[1][0] + u * z[1][1]);
  const double noise = step_sigmas * noise_sigma_mm;
  const double pitch = std::max(f.x.scale_mm, f.y.scale_mm);
  if (std::max({z[0][0], z[0][1], z[1][0], z[1][1]}) - std::min({z[0][0], z[0][1], z[1][0], z[1][1]}) >
      2 * step_slope * pitch + noise) {
    Place step{z_mm, ((1 - v) * (z[0][1] - z[0][0]) + v * (z[1][1] - z[1][0])) / f.x.scale_mm,
               ((1 - u) * (z[1][0] - z[0][0]) + u * (z[1][1] - z[0][1])) / f.y.scale_mm, Around::step};
    const bool across = std::abs(step.slope_x) > std::abs(step.slope_y);
    step.wall = 2 * (across ? col : f.cols + row) + ((across ? step.slope_x : step.slope_y) > 0);
    return step;
  }
  const int near_row = static_cast<int>(std::lround(r)), near_col = static_cast<int>(std::lround(c));
  for (const int off : {-reach, reach})
    if (!measured(f, near_row + off, near_col) || !measured(f, near_row, near_col + off)) return std::nullopt;
  const double across = f.z_mm(near_row, near_col + reach) - f.z_mm(near_row, near_col - reach);
  const double along = f.z_mm(near_row + reach, near_col) - f.z_mm(near_row - reach, near_col);
  if (std::max(std::abs(across), std::abs(along)) > 2 * reach * step_slope * pitch + noise)
    return Place{z_mm, 0, 0, Around::beside_step};
  return Place{z_mm, across / (2 * reach * f.x.scale_mm), along / (2 * reach * f.y.scale_mm), Around::gentle};
}

}  // namespace

std::vector<OverlapSample> overlap_samples(const HeightFrame& a, const Eigen::Matrix4d& pose_a,
                                           const HeightFrame& b, const Eigen::Matrix4d& pose_b,
                                           const OverlapSettings& s) {
  const Eigen::Matrix4d a_from_machine = pose_a.inverse(), a_from_b = a_from_machine * pose_b;
  const Eigen::Matrix3d normals = a_from_machine.topLeftCorner<3, 3>().transpose();
  const double baseline_mm = 2.0 * reach * std::min(a.x.scale_mm, a.y.scale_mm);
  const double slope_variance = 2 * std::pow(s.noise_sigma_mm / baseline_mm, 2);
  const double pitch = std::max(a.x.scale_mm, a.y.scale_mm);
  // Sampled over all of b, more densely than most_samples, because only a part of it overlaps; thinned out at
  // the end.
  const double all = static_cast<double>(b.rows) * b.cols;
  const int stride = std::max(1, static_cast<int>(std::sqrt(all / (4.0 * s.most_samples))));
  std::vector<OverlapSample> samples;
  for (int row = 0; row < b.rows; row += stride) {
    for (int col = 0; col < b.cols; col += stride) {
      if (!measured(b, row, col)) continue;
      const Eigen::Vector4d p(b.x.at(col), b.y.at(row), b.z_mm(row, col), 1);
      const Eigen::Vector4d in_a = a_from_b * p;
      const auto place = at(a, in_a.x(), in_a.y(), s.noise_sigma_mm);
      if (!place) continue;
      const Eigen::Vector3d up(-place->slope_x, -place->slope_y, 1);
      const double steep = up.norm();
      // The position of a wall within its pixel has the variance p^2 / 12. Observed by a row of b at the
      // share s of the pixel, its error is s or s - 1 of the pitch: variance s (1 - s) p^2, p^2 / 6 averaged
      // over s, and common to the whole wall.
      const double within_pixel = place->around == Around::step ? pitch * pitch / 12 : 0;
      samples.push_back({(pose_b * p).head<3>(), (normals * up).normalized(),
                         (in_a.z() - place->z_mm) / steep,
                         2 * s.noise_sigma_mm * s.noise_sigma_mm / (steep * steep) + within_pixel,
                         place->around == Around::gentle ? slope_variance : 0, place->around, place->wall,
                         2 * within_pixel});
    }
  }
  const std::size_t step = samples.size() / static_cast<std::size_t>(s.most_samples) + 1;
  std::vector<OverlapSample> thinned;
  for (std::size_t i = 0; i < samples.size(); i += step) thinned.push_back(samples[i]);
  return thinned;
}

}  // namespace datum

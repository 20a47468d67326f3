#include "daemon/inspection/registration/bare_surface.h"

#include <algorithm>
#include <cmath>

namespace datum {
namespace {

constexpr double least_level_share = 0.3, level_window_mm = 0.12,
                 level_within_mm = 0.12;  // copper of 35 to 70 um, mask and legend on it, and noise
/// Of a vote: a fifth of the board's pixels may be missing, and hardly one beyond it is at its level; log (0.8 / 0.04) over log (1 / 0.2).
constexpr int board_weight = 2;
constexpr double least_parted = 0.6, least_parted_agreement = 0.7;

}  // namespace

std::optional<BareLevel> bare_level(std::vector<double> heights_mm, std::size_t asked) {
  std::sort(heights_mm.begin(), heights_mm.end());
  std::size_t best = 0, most = 0;  // the fullest window
  for (std::size_t from = 0, to = 0; from < heights_mm.size(); ++from) {
    while (to < heights_mm.size() && heights_mm[to] - heights_mm[from] <= level_window_mm) ++to;
    if (to - from > most) best = from, most = to - from;
  }
  if (most < 4 || static_cast<double>(most) < least_level_share * double(asked)) return std::nullopt;
  return BareLevel{heights_mm[best + most / 2], level_within_mm};
}

std::optional<double> height_at(const SurfaceScene& scene, const Eigen::Vector2d& px) {
  const int col = static_cast<int>(std::floor(px.x() + 0.5)),
            row = static_cast<int>(std::floor(px.y() + 0.5));
  const HeightFrame& f = scene.frame;
  if (col < 0 || row < 0 || col >= f.cols || row >= f.rows || f.class_at(row, col) != PixelClass::ok)
    return std::nullopt;
  const BoardView& v = scene.view;
  return f.z_mm(row, col) - v.sensor_z_mm(v.origin() + col * v.per_col() + row * v.per_row());
}

Shows shown_at(const SurfaceScene& scene, const Eigen::Vector2d& px, const BareLevel& level) {
  if (!(px.x() >= -0.5 && px.y() >= -0.5 && px.x() < scene.frame.cols - 0.5 &&
        px.y() < scene.frame.rows - 0.5))
    return Shows::outside;
  const std::optional<double> mm = height_at(scene, px);
  if (!mm || *mm < level.mm - level.within_mm) return Shows::open;
  return *mm > level.mm + level.within_mm ? Shows::raised : Shows::board;
}

std::optional<double> parting_place(const std::vector<Shows>& samples, Shows before, Shows behind,
                                    double from_mm, double step_mm) {
  int first = 0, last = 0;
  for (const Shows s : samples) first += s == before, last += s == behind;
  const int known = first + last;
  if (first < 2 || last < 2 || known < least_parted * double(samples.size())) return std::nullopt;
  const auto weight = [](Shows s) { return s == Shows::board ? board_weight : 1; };
  const int votes = first * weight(before) + last * weight(behind);
  int score = last * weight(behind), best = score, split = 0;  // samples before the split are `before`
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] == before) score += weight(before);
    if (samples[i] == behind) score -= weight(behind);
    if (score > best) best = score, split = static_cast<int>(i) + 1;
  }
  if (best < least_parted_agreement * votes || split == 0 || split == static_cast<int>(samples.size()))
    return std::nullopt;
  return from_mm + (split - 0.5) * step_mm;
}

}  // namespace datum

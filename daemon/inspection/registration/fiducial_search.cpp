// Candidates of a fiducial: normalised cross-correlation of the drawn mark with the image, in cells of some pixels.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "calib/linear/median.h"
#include "daemon/inspection/registration/fiducial_fit.h"
#include "daemon/inspection/registration/fiducial_shape.h"

namespace datum {
namespace {

constexpr double least_correlation = 0.45;
constexpr double circle_cells = 8, line_cells = 2.5;  // across a disc, and across a line
constexpr int template_samples = 4;                   // of a template's cell, along either axis
constexpr std::size_t most_candidates = 16;
constexpr int most_grey_cells = 1024;

/// Means of k x k pixels from the pixel (col, row) on; NaN beyond the frame.
struct GreyCells {
  int cols = 0, rows = 0;
  std::vector<double> grey;
  double at(int col, int row) const { return grey[std::size_t(row) * std::size_t(cols) + std::size_t(col)]; }
};

GreyCells grey_cells(const IntensityImage& image, int col, int row, int cols, int rows, int k) {
  GreyCells c{cols, rows, std::vector<double>(std::size_t(cols) * std::size_t(rows), std::nan(""))};
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < cols; ++x) {
      const int first_col = col + x * k, first_row = row + y * k;
      if (first_col < 0 || first_row < 0 || first_col + k > image.cols || first_row + k > image.rows)
        continue;
      std::uint64_t sum = 0;
      for (int j = 0; j < k; ++j)
        for (int i = 0; i < k; ++i)
          sum +=
              image.grey[std::size_t(first_row + j) * std::size_t(image.cols) + std::size_t(first_col + i)];
      c.grey[std::size_t(y) * std::size_t(cols) + std::size_t(x)] = double(sum) / (k * k);
    }
  return c;
}

void limit_glare(GreyCells& cells, double share) {
  std::vector<double> seen;
  for (const double g : cells.grey)
    if (!std::isnan(g)) seen.push_back(g);
  if (seen.empty()) return;
  const double most = *std::max_element(seen.begin(), seen.end()), middle = median_of(seen);
  for (double& g : cells.grey)
    if (g > middle + share * (most - middle)) g = middle + share * (most - middle);
}

struct TemplateCell {
  int col, row;
  double value;  // less the mean, over the norm
};

/// The mark about a cell's middle, 1 inside and 0 in the clear zone.
std::vector<TemplateCell> template_of(const GreyScene& scene, const Fiducial& mark, const MovedPlane& moved,
                                      int k) {
  const Eigen::Matrix2d back = moved.linear().inverse();
  const BoardView& v = scene.view;
  const double reach_mm = mark.size_mm * (mark.shape == FiducialShape::cross ? 0.75 : 0.5) + mark.clear_mm;
  const double cell_mm = k * std::min(v.per_col().norm(), v.per_row().norm());
  const int reach = int(std::ceil(reach_mm / cell_mm)) + 1;
  std::vector<TemplateCell> cells;
  for (int row = -reach; row <= reach; ++row)
    for (int col = -reach; col <= reach; ++col) {
      double inside = 0;
      bool clear = true;
      for (int j = 0; j < template_samples; ++j)
        for (int i = 0; i < template_samples; ++i) {
          const double x = k * (col + (i + 0.5) / template_samples - 0.5),
                       y = k * (row + (j + 0.5) / template_samples - 0.5);
          const double d = distance_mm(mark, back * (x * v.per_col() + y * v.per_row()));
          inside += d < 0;
          clear = clear && d <= mark.clear_mm;
        }
      if (clear) cells.push_back({col, row, inside / (template_samples * template_samples)});
    }
  double mean = 0, norm = 0;
  for (const TemplateCell& c : cells) mean += c.value / double(cells.size());
  for (TemplateCell& c : cells) c.value -= mean, norm += c.value * c.value;
  for (TemplateCell& c : cells) c.value /= std::sqrt(std::max(norm, 1e-300));
  return cells;
}

/// Of the template about a cell; 0 where it leaves the frame.
double mark_correlation(const GreyCells& cells, const std::vector<TemplateCell>& mark, int col, int row) {
  double sum = 0, squares = 0, product = 0;
  const double first = cells.at(col, row);
  for (const TemplateCell& t : mark) {
    const double g = cells.at(col + t.col, row + t.row) - first;
    sum += g;
    squares += g * g;
    product += g * t.value;
  }
  const double variance = squares - sum * sum / double(mark.size());
  const double r = variance > 0 ? product / std::sqrt(variance) : 0;
  return std::isfinite(r) ? r : 0;
}

/// Of three values' parabola about the middle one, in cells.
double parabola_top(double before, double at, double after) {
  const double bend = before - 2 * at + after;
  return bend < 0 ? std::clamp((before - after) / (2 * bend), -0.5, 0.5) : 0;
}

}  // namespace

FiducialCandidates fiducial_candidates(const GreyScene& scene, const Fiducial& mark,
                                       const PlaneMotion& motion, double reach_mm, double glare_limit) {
  FiducialCandidates found;
  const MovedPlane moved(motion);
  const BoardView& v = scene.view;
  const double coarse_mm = std::max(v.per_col().norm(), v.per_row().norm()),
               fine_mm = std::min(v.per_col().norm(), v.per_row().norm());
  const double across = mark.shape == FiducialShape::circle ? circle_cells : line_cells;
  const int k =
      std::max({1, int(finest_mm(mark) / coarse_mm / across), int(2 * reach_mm / fine_mm / most_grey_cells)});
  const auto drawn = template_of(scene, mark, moved, k);
  if (drawn.empty()) return found;
  int border = 0;
  for (const TemplateCell& t : drawn) border = std::max({border, std::abs(t.col), std::abs(t.row)});
  const int reach = int(std::ceil(reach_mm / (k * fine_mm))), half = reach + border + 1, side = 2 * half + 1;
  const Eigen::Vector2d centre = v.pixel_of(moved(mark.centre_mm), 0);
  const double limit = 1e8;
  if (!(centre.cwiseAbs().maxCoeff() < limit)) return {{}, false};
  const int col = int(std::floor(centre.x() + 0.5)) - half * k - (k - 1) / 2,
            row = int(std::floor(centre.y() + 0.5)) - half * k - (k - 1) / 2;
  GreyCells cells = grey_cells(scene.image, col, row, side, side, k);
  found.complete = std::none_of(cells.grey.begin(), cells.grey.end(), [](double g) { return std::isnan(g); });
  if (glare_limit < 1) limit_glare(cells, glare_limit);
  std::vector<double> score(std::size_t(side) * std::size_t(side), 0);
  const auto at = [&](int x, int y) -> double& {
    return score[std::size_t(y) * std::size_t(side) + std::size_t(x)];
  };
  for (int y = border; y < side - border; ++y)
    for (int x = border; x < side - border; ++x)
      at(x, y) = (mark.bright ? 1 : -1) * mark_correlation(cells, drawn, x, y);
  struct CorrelationPeak {
    double score;
    Eigen::Vector2d off_mm;
  };
  std::vector<CorrelationPeak> peaks;
  for (int y = border + 1; y < side - border - 1; ++y)
    for (int x = border + 1; x < side - border - 1; ++x) {
      const double here = at(x, y);
      if (here < least_correlation) continue;
      bool highest = true;
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i)
          if (i != 0 || j != 0)
            highest = highest &&
                      (at(x + i, y + j) < here || (at(x + i, y + j) == here && (j > 0 || (j == 0 && i > 0))));
      if (!highest) continue;
      const Eigen::Vector2d px(
          col + (x + 0.5) * k - 0.5 + k * parabola_top(at(x - 1, y), here, at(x + 1, y)),
          row + (y + 0.5) * k - 0.5 + k * parabola_top(at(x, y - 1), here, at(x, y + 1)));
      const Eigen::Vector2d off =
          v.origin() + px.x() * v.per_col() + px.y() * v.per_row() - moved(mark.centre_mm);
      if (off.norm() <= reach_mm + 0.25 * mark.size_mm) peaks.push_back({here, off});
    }
  std::stable_sort(peaks.begin(), peaks.end(),
                   [](const CorrelationPeak& a, const CorrelationPeak& b) { return a.score > b.score; });
  for (const CorrelationPeak& p : peaks) {
    const bool apart = std::all_of(found.off_mm.begin(), found.off_mm.end(), [&](const Eigen::Vector2d& o) {
      return (o - p.off_mm).norm() > 0.25 * mark.size_mm;
    });
    if (apart && found.off_mm.size() < most_candidates) found.off_mm.push_back(p.off_mm);
  }
  return found;
}

}  // namespace datum

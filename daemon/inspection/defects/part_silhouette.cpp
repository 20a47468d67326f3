#include "daemon/inspection/defects/part_silhouette.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "daemon/inspection/registration/search_pairs.h"

namespace datum {
namespace {

/// A region counts where it covers this share of the place, and this share of a body in all.
constexpr double least_place_share = 0.02, least_area_share = 0.05;
constexpr int least_px = 3, least_area_px = 6, rim_px = 2, least_inner_px = 12;
constexpr double in_deg = 180 / std::numbers::pi;

using Mask = std::vector<std::uint8_t>;

/// Regions of raised pixels, eight neighbours each, that reach into the place.
Mask raised_regions(const PartWindow& w, double level_um, PartSilhouette& s) {
  Mask mask(w.size(), 0);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const bool raised = w.place(i) != PlaceOf::other && w.um(i) > level_um;
    mask[i] = raised;
    if (w.place(i) != PlaceOf::body) continue;
    ++s.place;
    s.place_valid += !std::isnan(w.um(i));
    s.place_raised += raised;
  }
  const double least = std::max<double>(least_px, least_place_share * s.place_valid);
  Mask kept(w.size(), 0);
  std::vector<std::pair<int, int>> region;
  for (int row = 0; row < w.rows(); ++row)
    for (int col = 0; col < w.cols(); ++col) {
      if (!mask[w.index(col, row)]) continue;
      region.assign(1, {col, row});
      mask[w.index(col, row)] = 0;
      int within = 0;
      for (std::size_t k = 0; k < region.size(); ++k) {
        const auto [x, y] = region[k];
        within += w.place(w.index(x, y)) == PlaceOf::body;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) {
            if (!w.holds(x + dx, y + dy) || !mask[w.index(x + dx, y + dy)]) continue;
            mask[w.index(x + dx, y + dy)] = 0;
            region.emplace_back(x + dx, y + dy);
          }
      }
      if (within < least) continue;
      for (const auto& [x, y] : region) kept[w.index(x, y)] = 1;
    }
  return kept;
}

/// It ends where the window ends, or at another part.
bool is_cut(const PartWindow& w, const Mask& mask) {
  for (int row = 0; row < w.rows(); ++row)
    for (int col = 0; col < w.cols(); ++col) {
      if (!mask[w.index(col, row)]) continue;
      for (const auto& [x, y] : {std::pair(col - 1, row), {col + 1, row}, {col, row - 1}, {col, row + 1}})
        if (!w.holds(x, y) || w.place(w.index(x, y)) == PlaceOf::other) return true;
    }
  return false;
}

/// Missing pixels between two of the mask, along a row or a column.
Mask filled(const PartWindow& w, const Mask& mask) {
  Mask full = mask;
  const auto fill = [&](int lines, int length, const auto& at) {
    for (int line = 0; line < lines; ++line) {
      int last = -1;
      for (int k = 0; k < length; ++k) {
        const std::size_t i = at(line, k);
        if (mask[i]) {
          for (int j = last + 1; last >= 0 && j < k; ++j) full[at(line, j)] = 1;
          last = k;
        } else if (!std::isnan(w.um(i))) {
          last = -1;
        }
      }
    }
  };
  fill(w.rows(), w.cols(), [&](int line, int k) { return w.index(k, line); });
  fill(w.cols(), w.rows(), [&](int line, int k) { return w.index(line, k); });
  return full;
}

/// Whether sizes fit better in this order than exchanged.
double size_misfit(const Eigen::Vector2d& size, const Eigen::Vector2d& nominal) {
  return (size.array() / nominal.array()).log().matrix().squaredNorm();
}

/// Centre, sizes and axes of a filled rectangle: second moments give sizes and, of a long one, the axes; the axes of a nearly
/// square one are those of its fourth moment sum (x + i y)^4, which is negative and real along its sides.
SeenRect rect_of(const PartWindow& w, const Mask& mask, double height_mm, const Component& c) {
  const Eigen::Matrix2d axes = axes_of(c.body);
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  std::vector<Eigen::Vector2d> at;
  for (int row = 0; row < w.rows(); ++row)
    for (int col = 0; col < w.cols(); ++col)
      if (mask[w.index(col, row)]) {
        at.emplace_back(axes.transpose() * (w.board_mm({col, row}, height_mm) - c.body.centre_mm));
        sum += at.back();
      }
  SeenRect r;
  if (at.empty()) return r;
  const auto n = static_cast<double>(at.size());
  const Eigen::Vector2d middle = sum / n;
  double xx = 0, xy = 0, yy = 0;
  std::complex<double> four = 0;
  for (const Eigen::Vector2d& p : at) {
    const Eigen::Vector2d d = p - middle;
    xx += d.x() * d.x();
    xy += d.x() * d.y();
    yy += d.y() * d.y();
    const std::complex<double> z(d.x(), d.y()), z2 = z * z;
    four += z2 * z2;
  }
  xx /= n, xy /= n, yy /= n;
  const double root = std::hypot((xx - yy) / 2, xy), mean = (xx + yy) / 2;
  const double aspect2 = (mean + root) / std::max(1e-12, mean - root);
  constexpr double nearly_square = 1.35;
  double angle = std::atan2(2 * xy, xx - yy) / 2;
  if (aspect2 < nearly_square * nearly_square) angle = std::arg(-four) / 4;
  const auto along = [&](double a) {
    return std::sqrt(12 * std::max(0.0, mean + (xx - yy) / 2 * std::cos(2 * a) + xy * std::sin(2 * a)));
  };
  Eigen::Vector2d size(along(angle), along(angle + std::numbers::pi / 2));
  const Eigen::Vector2d turned(size.y(), size.x());
  const Eigen::Vector2d& nominal = c.body.size_mm;
  // A square body's sizes decide nothing: the smaller rotation does.
  const double by_size = size_misfit(size, nominal) - size_misfit(turned, nominal);
  const bool exchange = std::abs(by_size) > 0.02 ? by_size > 0 : std::abs(angle) > std::numbers::pi / 4;
  if (exchange) {
    size = turned;
    angle += angle > 0 ? -std::numbers::pi / 2 : std::numbers::pi / 2;
  }
  r.centre_mm = c.body.centre_mm + axes * middle;
  r.size_mm = size;
  r.rotation_deg = angle * in_deg;
  return r;
}

/// Pixels of the mask farther than rim_px from its border; fewer where it is small.
Mask without_rim(const PartWindow& w, Mask mask) {
  for (int round = 0; round < rim_px; ++round) {
    Mask less = mask;
    std::size_t left = 0;
    for (int row = 0; row < w.rows(); ++row)
      for (int col = 0; col < w.cols(); ++col) {
        const std::size_t i = w.index(col, row);
        if (!mask[i]) continue;
        for (const auto& [x, y] : {std::pair(col - 1, row), {col + 1, row}, {col, row - 1}, {col, row + 1}})
          if (!w.holds(x, y) || !mask[w.index(x, y)]) less[i] = 0;
        left += less[i];
      }
    if (left < least_inner_px) break;
    mask = std::move(less);
  }
  return mask;
}

struct InnerPixel {
  double x, y, um;  // mm along the component's axes from the rectangle's centre
};

double share_value(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Plane by reweighted least squares (Tukey's biweight, c = 4.685), scale from the median absolute residual.
void fit_top(const std::vector<InnerPixel>& pixels, PartSilhouette& s) {
  std::vector<double> um;
  for (const InnerPixel& p : pixels) um.push_back(p.um);
  Eigen::Vector3d plane(share_value(um, 0.5), 0, 0);
  constexpr int rounds = 12;
  constexpr double tukey = 4.685, least_scale_um = 3;
  double scale = 1e9;  // the first round is plain least squares
  std::size_t on = 0;
  for (int round = 0; round < rounds; ++round) {
    Eigen::Matrix3d m = Eigen::Matrix3d::Zero();
    Eigen::Vector3d v = Eigen::Vector3d::Zero();
    for (const InnerPixel& p : pixels) {
      const Eigen::Vector3d a(1, p.x, p.y);
      const double r = (p.um - a.dot(plane)) / (tukey * scale);
      if (std::abs(r) >= 1) continue;
      const double weight = (1 - r * r) * (1 - r * r);
      m += weight * a * a.transpose();
      v += weight * p.um * a;
    }
    m(1, 1) += 1e-9;
    m(2, 2) += 1e-9;
    const Eigen::Vector3d next = m.ldlt().solve(v);
    if (!next.allFinite()) break;
    plane = next;
    std::vector<double> off;
    for (const InnerPixel& p : pixels)
      off.push_back(std::abs(p.um - plane.x() - plane.y() * p.x - plane.z() * p.y));
    scale = std::max(least_scale_um, 1.4826 * share_value(off, 0.5));
    on = static_cast<std::size_t>(
        std::count_if(off.begin(), off.end(), [&](double r) { return r < 4 * scale; }));
  }
  s.top_um = plane.x();
  s.slope = plane.tail<2>() * 1e-3;
  s.top_share = static_cast<double>(on) / static_cast<double>(std::max<std::size_t>(1, pixels.size()));
}

}  // namespace

PartSilhouette silhouette_of(const PartWindow& w, const Component& c) {
  PartSilhouette s;
  const double level_um = raised_share * c.nominal_height_um;
  const Mask mask = raised_regions(w, level_um, s);
  const auto raised = std::count(mask.begin(), mask.end(), 1);
  const double body_px = c.body.size_mm.prod() / w.pixel_mm2();
  s.found = static_cast<double>(raised) >= std::max<double>(least_area_px, least_area_share * body_px);
  if (!s.found) return s;
  s.cut = is_cut(w, mask);
  std::vector<double> um;
  for (std::size_t i = 0; i < w.size(); ++i)
    if (mask[i]) um.push_back(w.um(i));
  s.highest_um = share_value(um, 0.95);
  const Mask full = filled(w, mask);
  s.low = rect_of(w, full, s.highest_um * 1e-3, c);
  const Mask within = without_rim(w, full);
  const Eigen::Matrix2d axes = axes_of(c.body);
  std::vector<InnerPixel> pixels;
  for (int row = 0; row < w.rows(); ++row)
    for (int col = 0; col < w.cols(); ++col)
      if (const std::size_t i = w.index(col, row); within[i] && !std::isnan(w.um(i))) {
        const Eigen::Vector2d d =
            axes.transpose() * (w.board_mm({col, row}, s.highest_um * 1e-3) - s.low.centre_mm);
        pixels.push_back({d.x(), d.y(), w.um(i)});
      }
  fit_top(pixels, s);
  Mask upper = mask;
  for (std::size_t i = 0; i < w.size(); ++i) upper[i] = mask[i] && w.um(i) > s.top_um / 2;
  s.half = rect_of(w, filled(w, upper), s.top_um * 1e-3, c);
  return s;
}

}  // namespace datum

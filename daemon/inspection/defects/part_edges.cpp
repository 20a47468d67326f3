#include "daemon/inspection/defects/part_edges.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace datum {
namespace {

constexpr double used_share = 0.8;        // of a side's length
constexpr double least_agreement = 0.7;   // share of a line's pixels that are on the right side of its edge
constexpr double least_line_share = 0.4;  // of the lines that cross a side
constexpr std::size_t least_points = 3;
constexpr double least_top_share = 0.8;
constexpr double least_whole_share = 0.1;  // of the lines, without missing pixels: the others are left out
constexpr int harmonics = 64, least_shadow_line_px = 4;

struct Crossing {
  double at = 0;  // in pixels of the line, from its first
  int gap = 1;
};

/// Where the line's pixels are best parted into those above the level and those below.
std::optional<Crossing> crossing_of(const std::vector<float>& um, double top_um) {
  const double level = top_um / 2;
  const int n = static_cast<int>(um.size());
  int above = 0, below = 0;
  for (const float v : um) {
    above += v > level;
    below += v <= level;
  }
  if (above < 1) return std::nullopt;
  int score = below, best = score, split = 0;
  for (int i = 0; i < n; ++i) {
    const float v = um[static_cast<std::size_t>(i)];
    if (std::isnan(v)) continue;
    score += v > level ? 1 : -1;
    if (score > best) best = score, split = i + 1;
  }
  if (split == 0 || best < least_agreement * (above + below)) return std::nullopt;
  int in = split - 1, out = split;
  while (in >= 0 && !(um[static_cast<std::size_t>(in)] > level)) --in;
  while (out < n && !(um[static_cast<std::size_t>(out)] <= level)) ++out;
  if (in < 0) return std::nullopt;
  if (out == n && out - in < least_shadow_line_px) return std::nullopt;  // it ends on the body
  const int gap = out - in;
  // Beside missing pixels only a pixel of the top is surely the body's: a spike on the floor is lower.
  const bool of_top = um[static_cast<std::size_t>(in)] > least_top_share * top_um;
  const bool beside_missing = gap > 1 || (in > 0 && std::isnan(um[static_cast<std::size_t>(in - 1)]));
  if (!of_top && beside_missing) return std::nullopt;
  if (gap > 1) return Crossing{in + 0.5, gap};
  const double a = um[static_cast<std::size_t>(in)], b = um[static_cast<std::size_t>(out)];
  return Crossing{in + std::clamp((a - level) / (a - b), 0.0, 1.0), 1};
}

struct RectSide {
  int axis;         // of the rectangle: 0 for -x and +x
  double outwards;  // -1 or 1
};

SeenEdge edge_of(const PartWindow& w, const AssumedRect& r, const RectSide& side, double reach_mm) {
  const double height_mm = r.top_um * 1e-3;
  const Eigen::Vector2d normal = side.outwards * r.axes.col(side.axis), along = r.axes.col(1 - side.axis);
  const double half = r.size_mm[side.axis] / 2, half_along = used_share * r.size_mm[1 - side.axis] / 2;
  const Eigen::Vector2d middle = r.centre_mm + half * normal;
  const Eigen::Vector2d q0 = w.pixel_of(middle - half_along * along, height_mm),
                        q1 = w.pixel_of(middle + half_along * along, height_mm),
                        n = w.pixel_of(middle + normal, height_mm) - w.pixel_of(middle, height_mm);
  const int scan = std::abs(n.x()) >= std::abs(n.y()) ? 0 : 1, across = 1 - scan;
  const int step = n[scan] > 0 ? 1 : -1;
  const double run = q1[across] - q0[across];
  SeenEdge e;
  e.line_mm = 2 * half_along / std::max(1e-9, std::abs(run));
  e.pixel_mm = 1 / n.norm();
  e.phase_px = std::abs(q1[scan] - q0[scan]);
  const double px_per_mm = std::abs(n[scan]);
  const int inwards = static_cast<int>(std::ceil(std::min(reach_mm, 1.2 * half) * px_per_mm)),
            outwards = static_cast<int>(std::ceil(reach_mm * px_per_mm));
  std::vector<float> um;
  for (int line = static_cast<int>(std::ceil(std::min(q0[across], q1[across])));
       line <= std::max(q0[across], q1[across]); ++line) {
    ++e.lines;
    const double t = (line - q0[across]) / run;
    const double on = q0[scan] + t * (q1[scan] - q0[scan]);
    const int first = static_cast<int>(std::lround(on)) - step * inwards;
    um.clear();
    bool whole = true;
    for (int k = 0; k <= inwards + outwards && whole; ++k) {
      const int at = first + step * k, col = scan == 0 ? at : line, row = scan == 0 ? line : at;
      whole = w.holds(col, row) && w.place(w.index(col, row)) != PlaceOf::other;
      if (whole) um.push_back(w.um(w.index(col, row)));
    }
    const auto crossing = crossing_of(um, r.top_um);
    if (!crossing) continue;
    Eigen::Vector2d px;
    px[scan] = first + step * crossing->at;
    px[across] = line;
    const Eigen::Vector2d d = r.axes.transpose() * (w.board_mm(px, height_mm) - r.centre_mm);
    e.points.push_back(
        {d[1 - side.axis], side.outwards * d[side.axis] - half, (crossing->gap - 1) / px_per_mm, 1});
  }
  const auto is_whole = [](const EdgePoint& p) { return p.hidden_mm == 0; };
  const auto whole = static_cast<std::size_t>(std::count_if(e.points.begin(), e.points.end(), is_whole));
  e.left_out = 0;
  if (whole >= least_points && static_cast<double>(whole) >= least_whole_share * e.lines) {
    e.left_out = static_cast<int>(e.points.size() - whole);
    std::erase_if(e.points, [&](const EdgePoint& p) { return !is_whole(p); });
  }
  return e;
}

}  // namespace

bool SeenEdge::is_seen() const {
  return points.size() >= least_points &&
         static_cast<double>(points.size()) + left_out >= least_line_share * lines;
}

std::array<SeenEdge, 4> edges_of(const PartWindow& w, const AssumedRect& r, double reach_mm) {
  std::array<SeenEdge, 4> edges;
  for (int k = 0; k < 4; ++k)
    edges[static_cast<std::size_t>(k)] = edge_of(w, r, {k / 2, k % 2 ? 1.0 : -1.0}, reach_mm);
  return edges;
}

namespace {

double mean_at(double phase_px) {
  double sum = 0;
  for (int m = 1; m <= harmonics; ++m) {
    const double x = std::numbers::pi * m * phase_px;
    const double sinc = x > 1e-9 ? std::sin(x) / x : 1;
    sum += sinc * sinc / (2 * std::numbers::pi * std::numbers::pi * m * m);
  }
  return std::sqrt(sum);
}

double slope_at(double phase_px) {
  const double p = std::max(1.0, phase_px);
  double sum = 0;
  for (int m = 1; m <= harmonics; ++m) {
    const double k = 2 * std::numbers::pi * m, x = k * p / 2;
    // 12 / P^2 times the saw-tooth's first moment over the phase, amplitude 1 / (pi m)
    const double amplitude =
        12 / (p * p) * 2 * (std::sin(x) - x * std::cos(x)) / (k * k) / (std::numbers::pi * m);
    sum += amplitude * amplitude / 2;
  }
  return std::sqrt(sum);
}

/// The wandering is known to about a quarter of a pixel, and both sums have zeros.
double largest_near(double phase_px, double (*at)(double)) {
  constexpr double known_px = 0.25;
  return std::max({at(std::max(0.0, phase_px - known_px)), at(phase_px), at(phase_px + known_px)});
}

}  // namespace

double rounding_of_mean_px(double phase_px) { return largest_near(phase_px, mean_at); }

double rounding_of_slope_px(double phase_px) { return largest_near(phase_px, slope_at); }

}  // namespace datum

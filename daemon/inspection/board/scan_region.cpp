#include "daemon/inspection/board/scan_region.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace datum {
namespace {

// A corner on a pixel centre counts regardless of its last bit's rounding.
constexpr double on_border = 1e-9;

int first_at(double x) { return static_cast<int>(std::ceil(x - on_border)); }
int last_at(double x) { return static_cast<int>(std::floor(x + on_border)); }

}  // namespace

std::pair<int, int> rows_of(const Quad& quad) {
  double low = quad[0].y(), high = quad[0].y();
  for (const Eigen::Vector2d& p : quad) {
    low = std::min(low, p.y());
    high = std::max(high, p.y());
  }
  return {first_at(low), last_at(high)};
}

Columns columns_of(const Quad& quad, int row) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < 4; ++i) {
    const Eigen::Vector2d& p = quad[i];
    const Eigen::Vector2d& q = quad[(i + 1) % 4];
    if (row < std::min(p.y(), q.y()) - on_border || row > std::max(p.y(), q.y()) + on_border) continue;
    const double rise = q.y() - p.y();
    const double part = std::abs(rise) > on_border ? std::clamp((row - p.y()) / rise, 0.0, 1.0) : 0.0;
    const double x = p.x() + part * (q.x() - p.x());
    const double other = std::abs(rise) > on_border ? x : q.x();
    low = std::min({low, x, other});
    high = std::max({high, x, other});
  }
  if (low > high) return {};
  return {first_at(low), last_at(high) + 1};
}

Columns columns_of(const MappedCircle& circle, int row) {
  // |d + col * per_col|^2 = r^2
  const Eigen::Vector2d d = circle.origin + row * circle.per_row - circle.centre;
  const double a = circle.per_col.squaredNorm(), b = d.dot(circle.per_col);
  const double inside = b * b - a * (d.squaredNorm() - circle.radius * circle.radius);
  if (inside < 0) return {};
  const double half = std::sqrt(inside);
  return {first_at((-b - half) / a), last_at((-b + half) / a) + 1};
}

RowPieces::RowPieces(Columns whole) {
  if (!whole.empty()) pieces_.push_back(whole);
}

void RowPieces::cut(Columns hole) {
  if (hole.empty()) return;
  const auto apart = [&](const Columns& p) { return p.end <= hole.begin || hole.end <= p.begin; };
  if (std::all_of(pieces_.begin(), pieces_.end(), apart)) return;
  std::vector<Columns> left;
  for (const Columns& p : pieces_) {
    const Columns before{p.begin, std::min(p.end, hole.begin)}, after{std::max(p.begin, hole.end), p.end};
    if (!before.empty()) left.push_back(before);
    if (!after.empty()) left.push_back(after);
  }
  pieces_ = std::move(left);
}

void RowPieces::keep(Columns part) {
  cut({std::numeric_limits<int>::min(), part.empty() ? std::numeric_limits<int>::max() : part.begin});
  if (!part.empty()) cut({part.end, std::numeric_limits<int>::max()});
}

}  // namespace datum

#include "daemon/design/raster.h"

#include <algorithm>
#include <cmath>

namespace datum::design {

Raster::Raster(const Point& size_mm, double pitch_mm) {
  constexpr double most_cells = 40e6;
  pitch_ = std::max(pitch_mm, std::sqrt(size_mm.x() * size_mm.y() / most_cells));
  columns_ = std::max(1, static_cast<int>(std::ceil(size_mm.x() / pitch_)));
  rows_ = std::max(1, static_cast<int>(std::ceil(size_mm.y() / pitch_)));
  cells_.resize(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_));
}

namespace {
/// Index of the first middle at or above x, clamped so that the cast is defined.
int first_middle(double x, double pitch, int count) {
  return static_cast<int>(std::clamp(std::ceil(x / pitch - 0.5), 0.0, static_cast<double>(count)));
}
int last_middle(double x, double pitch, int count) {
  return static_cast<int>(std::clamp(std::floor(x / pitch - 0.5), -1.0, static_cast<double>(count - 1)));
}
}  // namespace

std::pair<int, int> Raster::rows_of(const Polygon& polygon) const {
  double low = polygon.front().y(), high = low;
  for (const Point& p : polygon) {
    low = std::min(low, p.y());
    high = std::max(high, p.y());
  }
  return {first_middle(low, pitch_, rows_), last_middle(high, pitch_, rows_)};
}

std::pair<int, int> Raster::span_of(const Polygon& convex, int row) const {
  const double y = (row + 0.5) * pitch_;
  double low = 1e300, high = -1e300;
  for (std::size_t i = 0, j = convex.size() - 1; i < convex.size(); j = i++) {
    const Point &a = convex[j], &b = convex[i];
    if ((a.y() < y && b.y() < y) || (a.y() > y && b.y() > y)) continue;
    const auto meet = [&](double x) {
      low = std::min(low, x);
      high = std::max(high, x);
    };
    if (a.y() == b.y()) {
      meet(a.x());
      meet(b.x());
    } else {
      meet(a.x() + (b.x() - a.x()) * (y - a.y()) / (b.y() - a.y()));
    }
  }
  if (low > high) return {0, -1};
  return {first_middle(low, pitch_, columns_), last_middle(high, pitch_, columns_)};
}

void Raster::fill(const Box& box, double margin_mm, std::uint16_t bits) {
  visit(box, margin_mm, [bits](int, int, std::uint16_t& cell) { cell |= bits; });
}

void Raster::fill(const Point& centre, double radius_mm, std::uint16_t bits) {
  visit({centre, Point::Zero(), 0}, radius_mm, [&](int column, int row, std::uint16_t& cell) {
    if ((middle(column, row) - centre).squaredNorm() <= radius_mm * radius_mm) cell |= bits;
  });
}

void Raster::fill(const Point& from, const Point& to, double width_mm, std::uint16_t bits) {
  const Point along = to - from;
  const double length = along.norm();
  if (length > 0) {
    const double angle = std::atan2(along.y(), along.x()) * 180 / M_PI;
    fill(Box{(from + to) / 2, {length, width_mm}, angle}, 0, bits);
  }
  fill(from, width_mm / 2, bits);
  fill(to, width_mm / 2, bits);
}

void Raster::fill(const std::vector<Polygon>& rings, std::uint16_t bits) {
  struct Edge {
    double x, slope, until;
  };
  std::vector<std::vector<Edge>> starts;  // by the first row whose middle an edge crosses
  int first = rows_, last = -1;
  starts.resize(static_cast<std::size_t>(rows_));
  for (const Polygon& ring : rings)
    for (std::size_t i = 0, j = ring.size() - 1; i < ring.size(); j = i++) {
      Point a = ring[j], b = ring[i];
      if (a.y() == b.y()) continue;
      if (a.y() > b.y()) std::swap(a, b);
      const int row = first_middle(a.y(), pitch_, rows_);
      const double y = (row + 0.5) * pitch_;
      if (row >= rows_ || y >= b.y()) continue;
      const double slope = (b.x() - a.x()) / (b.y() - a.y());
      starts[static_cast<std::size_t>(row)].push_back({a.x() + slope * (y - a.y()), slope, b.y()});
      first = std::min(first, row);
      last = std::max(last, last_middle(b.y(), pitch_, rows_));
    }
  std::vector<Edge> open;
  std::vector<double> crossings;
  for (int row = first; row <= last; ++row) {
    const double y = (row + 0.5) * pitch_;
    for (Edge& e : open) e.x += e.slope * pitch_;
    const auto& begun = starts[static_cast<std::size_t>(row)];
    open.insert(open.end(), begun.begin(), begun.end());
    std::erase_if(open, [y](const Edge& e) { return y >= e.until; });
    crossings.clear();
    for (const Edge& e : open) crossings.push_back(e.x);
    std::sort(crossings.begin(), crossings.end());
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
      for (int column = first_middle(crossings[i], pitch_, columns_),
               to = last_middle(crossings[i + 1], pitch_, columns_);
           column <= to; ++column)
        cells_[index(column, row)] |= bits;
  }
}

}  // namespace datum::design

#include "calib/warp/hull.h"

#include <algorithm>
#include <limits>

namespace datum {
namespace {

double cross(const Eigen::Vector2d& a, const Eigen::Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

template <class Iterator>
std::vector<Eigen::Vector2d> half_hull(Iterator from, Iterator to) {
  std::vector<Eigen::Vector2d> chain;
  for (; from != to; ++from) {
    while (chain.size() > 1 &&
           cross(chain.back() - chain[chain.size() - 2], *from - chain[chain.size() - 2]) <= 0)
      chain.pop_back();
    chain.push_back(*from);
  }
  chain.pop_back();  // it is the first one of the other half
  return chain;
}

}  // namespace

std::vector<Eigen::Vector2d> convex_hull(std::vector<Eigen::Vector2d> places) {
  std::sort(places.begin(), places.end(), [](const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
    return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
  });
  if (places.size() < 3) return places;
  std::vector<Eigen::Vector2d> hull = half_hull(places.begin(), places.end());
  const std::vector<Eigen::Vector2d> upper = half_hull(places.rbegin(), places.rend());
  hull.insert(hull.end(), upper.begin(), upper.end());
  return hull;
}

double beyond_hull_mm(const std::vector<Eigen::Vector2d>& hull, const Eigen::Vector2d& at) {
  double nearest = std::numeric_limits<double>::infinity();
  bool inside = true;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Eigen::Vector2d& from = hull[i];
    const Eigen::Vector2d way = hull[(i + 1) % hull.size()] - from;
    inside = inside && cross(way, at - from) >= 0;
    const double t = std::clamp(way.dot(at - from) / way.squaredNorm(), 0.0, 1.0);
    nearest = std::min(nearest, (at - from - t * way).norm());
  }
  return inside ? 0 : nearest;
}

}  // namespace datum

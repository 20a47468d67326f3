#include "tests/bench/thesis_match.h"

#include <algorithm>
#include <cmath>

namespace datum::bench {
namespace {

float dot(const float* u, const float* v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; }

template <class Actual>
void sort_by_radius(std::vector<Actual>* all) {
  std::sort(all->begin(), all->end(), [](const Actual& a, const Actual& b) { return a.radius < b.radius; });
}

/// Calls visit(actual) outwards from the one nearest in radius, until it returns true or the shell ends on both sides.
template <class Actual, class Visit>
void walk(const std::vector<Actual>& sorted, float radius, float vicinity, const Visit& visit) {
  if (sorted.empty()) return;
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), radius,
                                      [](const Actual& a, float r) { return a.radius < r; });
  auto start = found - sorted.begin();
  const auto n = static_cast<std::ptrdiff_t>(sorted.size());
  if (start == n || (start > 0 && radius - sorted[static_cast<std::size_t>(start - 1)].radius <=
                                      sorted[static_cast<std::size_t>(start)].radius - radius))
    --start;
  const float from = sorted[static_cast<std::size_t>(start)].radius;
  bool up = true, down = true;
  for (std::ptrdiff_t step = 0; up || down; ++step) {
    bool& open = step % 2 ? up : down;
    if (!open) continue;
    const std::ptrdiff_t at = start + (step % 2 ? step / 2 + 1 : -step / 2);
    if (at < 0 || at >= n || std::fabs(sorted[static_cast<std::size_t>(at)].radius - from) > vicinity) {
      open = false;
      continue;
    }
    if (visit(sorted[static_cast<std::size_t>(at)])) return;
  }
}

float radius_of(const float* p) { return std::sqrt(dot(p, p)); }

/// Möller and Trumbore (Fast, minimum storage ray-triangle intersection, 1997), along a line.
bool pierces(const float* from, const float* along, const MeasuredFacet& f, float* distance) {
  float ab[3], ac[3], at[3];
  for (std::size_t k = 0; k < 3; ++k) {
    ab[k] = f[1][k] - f[0][k];
    ac[k] = f[2][k] - f[0][k];
    at[k] = from[k] - f[0][k];
  }
  const float p[3] = {along[1] * ac[2] - along[2] * ac[1], along[2] * ac[0] - along[0] * ac[2],
                      along[0] * ac[1] - along[1] * ac[0]};
  const float area = dot(ab, p);
  if (area == 0) return false;
  const float u = dot(at, p) / area;
  if (!(u >= 0 && u <= 1)) return false;
  const float q[3] = {at[1] * ab[2] - at[2] * ab[1], at[2] * ab[0] - at[0] * ab[2],
                      at[0] * ab[1] - at[1] * ab[0]};
  const float v = dot(along, q) / area;
  if (!(v >= 0 && u + v <= 1)) return false;
  *distance = dot(ac, q) / area;
  return true;
}

}  // namespace

ThesisPoints::ThesisPoints(const std::vector<ModelPoint>& points,
                           const std::vector<PointDirection>& directions) {
  for (std::size_t i = 0; i < points.size(); ++i)
    sorted_.push_back({radius_of(&points[i].x), points[i], directions[i]});
  sort_by_radius(&sorted_);
}

float ThesisPoints::match(const ModelFacet& f, float gate, float least_cosine, float vicinity,
                          std::size_t* count) const {
  double sum = 0;
  *count = 0;
  walk(sorted_, radius_of(f.centre), vicinity, [&](const Actual& a) {
    const float v[3] = {a.p.x - f.centre[0], a.p.y - f.centre[1], a.p.z - f.centre[2]};
    const float d = dot(f.normal, v);
    if (std::fabs(d) > gate) return false;
    if (dot(f.normal, &a.d.x) < least_cosine) return false;
    if (std::sqrt(dot(v, v) - d * d) > f.radius) return false;
    sum += d;
    ++*count;
    return false;
  });
  return *count > 0 ? static_cast<float>(sum / static_cast<double>(*count)) : 0;
}

ThesisFacets::ThesisFacets(const std::vector<MeasuredFacet>& facets) {
  for (const MeasuredFacet& f : facets) {
    Actual a{};
    a.corner = f;
    float ab[3], ac[3];
    for (std::size_t k = 0; k < 3; ++k) {
      a.centre[k] = (f[0][k] + f[1][k] + f[2][k]) / 3;
      ab[k] = f[1][k] - f[0][k];
      ac[k] = f[2][k] - f[0][k];
    }
    const float n[3] = {ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2],
                        ab[0] * ac[1] - ab[1] * ac[0]};
    for (std::size_t k = 0; k < 3; ++k) a.normal[k] = n[k] / radius_of(n);
    a.radius = radius_of(a.centre);
    sorted_.push_back(a);
  }
  sort_by_radius(&sorted_);
}

bool ThesisFacets::match(const ModelFacet& f, float gate, float least_cosine, float vicinity,
                         float* distance) const {
  bool found = false;
  walk(sorted_, radius_of(f.centre), vicinity, [&](const Actual& a) {
    const float v[3] = {a.centre[0] - f.centre[0], a.centre[1] - f.centre[1], a.centre[2] - f.centre[2]};
    if (std::fabs(dot(f.normal, v)) > gate) return false;
    if (dot(f.normal, a.normal) < least_cosine) return false;
    found = pierces(f.centre, f.normal, a.corner, distance) && std::fabs(*distance) <= gate;
    return found;
  });
  return found;
}

}  // namespace datum::bench

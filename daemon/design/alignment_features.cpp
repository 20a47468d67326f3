#include "daemon/design/alignment_features.h"

#include <algorithm>
#include <cmath>

namespace datum::design {
namespace {

constexpr double least_mm = 1, most_mm = 10, least_px = 12, clear_share = 0.175, beside_mm = 0.5;
constexpr double least_edge_mm = 5, least_edge_share = 0.15, straight = 1e-3;
constexpr std::size_t most_holes = 6, most_edges = 8;

bool meets(const Box& box, const Point& at, double radius_mm) {
  const Point d = turned(at - box.centre, -box.rotation_deg).cwiseAbs() - box.size / 2;
  return d.cwiseMax(0.0).norm() < radius_mm;
}

bool is_round(const Hole& h) { return (h.from - h.to).norm() < 1e-6; }

/// Something may stand in it, or over what is around it.
bool is_covered(const Draft& draft, const Hole& h, double radius_mm) {
  for (const DraftComponent& c : draft.components)
    if (meets(c.body, h.from, radius_mm)) return true;
  for (const Component& c : draft.design.components) {
    if (c.mechanical) continue;
    if (!c.body.empty() && meets(box_around(c.body, 0), h.from, radius_mm)) return true;
    if (c.pads.size() < 2) continue;  // a mounting hole's land
    for (const Pad& pad : c.pads)
      if (meets(pad.copper, h.from, h.diameter_mm / 2)) return true;
  }
  return false;
}

double signed_area(const Polygon& p) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Point &a = p[i], &b = p[(i + 1) % p.size()];
    sum += a.x() * b.y() - a.y() * b.x();
  }
  return sum / 2;
}

bool goes_on(const Point& a, const Point& b, const Point& c) {
  const Point u = (b - a).normalized(), v = (c - b).normalized();
  return u.dot(v) > 0 && std::abs(u.x() * v.y() - u.y() * v.x()) < straight;
}

/// Without corners that are none.
Polygon simplified(const Polygon& p) {
  Polygon corners;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (!goes_on(p[(i + p.size() - 1) % p.size()], p[i], p[(i + 1) % p.size()])) corners.push_back(p[i]);
  return corners;
}

}  // namespace

std::vector<Hole> holes_to_find(const Draft& draft, double pitch_mm) {
  std::vector<Hole> free;
  const std::vector<Hole>& all = draft.design.holes;
  for (const Hole& h : all) {
    const double d = h.diameter_mm, around = d / 2 + std::max(clear_share * d, 4 * pitch_mm) + beside_mm;
    if (!is_round(h) || d < std::max(least_mm, least_px * pitch_mm) || d > most_mm) continue;
    if ((h.from.array() < around).any() || ((draft.size_mm - h.from).array() < around).any()) continue;
    const bool alone = std::none_of(all.begin(), all.end(), [&](const Hole& other) {
      return &other != &h && (other.from - h.from).norm() < around + other.diameter_mm / 2;
    });
    if (alone && !is_covered(draft, h, around)) free.push_back(h);
  }
  std::vector<Hole> chosen;
  while (!free.empty() && chosen.size() < most_holes) {
    const auto apart = [&](const Hole& h) {
      double nearest = chosen.empty() ? (h.from - draft.size_mm / 2).norm() : 1e300;
      for (const Hole& other : chosen) nearest = std::min(nearest, (h.from - other.from).norm());
      return nearest;
    };
    const auto next = std::max_element(free.begin(), free.end(),
                                       [&](const Hole& a, const Hole& b) { return apart(a) < apart(b); });
    chosen.push_back(*next);
    free.erase(next);
  }
  return chosen;
}

std::vector<StraightEdge> edges_to_find(const Draft& draft) {
  Polygon corners = simplified(draft.design.outline);
  if (signed_area(corners) < 0) std::reverse(corners.begin(), corners.end());
  std::vector<StraightEdge> edges;
  const double least = std::max(least_edge_mm, least_edge_share * draft.size_mm.maxCoeff());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point &from = corners[i], &to = corners[(i + 1) % corners.size()];
    if ((to - from).norm() >= least) edges.push_back({from, to});
  }
  if (edges.size() <= most_edges) return edges;
  std::stable_sort(edges.begin(), edges.end(), [](const StraightEdge& a, const StraightEdge& b) {
    return (a.to - a.from).norm() > (b.to - b.from).norm();
  });
  edges.resize(most_edges);
  return edges;
}

}  // namespace datum::design

#include "tests/statistics/surface_defect.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace datum::statistics {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

/// Divides facets within a circle until no side exceeds fine_mm.
template <class Near>
void refine(const PartFacet& f, double fine_mm, const Near& near, std::vector<PartFacet>& out) {
  const double longest = std::max({(f[0] - f[1]).norm(), (f[1] - f[2]).norm(), (f[2] - f[0]).norm()});
  if (longest <= fine_mm || !near(f)) {
    out.push_back(f);
    return;
  }
  const Vector3d a = (f[0] + f[1]) / 2, b = (f[1] + f[2]) / 2, c = (f[2] + f[0]) / 2;
  for (const PartFacet& part : {PartFacet{f[0], a, c}, {a, f[1], b}, {c, b, f[2]}, {a, b, c}})
    refine(part, fine_mm, near, out);
}

/// Moves facets in z by off(x, y), which is 0 outside of the circle; only upper sides for only_up.
template <class Off>
std::vector<PartFacet> displaced(const std::vector<PartFacet>& facets, const Vector2d& at, double radius,
                                 bool only_up, const Off& off) {
  const auto near = [&](const PartFacet& f) {
    const Vector3d low = f[0].cwiseMin(f[1]).cwiseMin(f[2]), high = f[0].cwiseMax(f[1]).cwiseMax(f[2]);
    const Vector2d inside = at.cwiseMax(low.head<2>()).cwiseMin(high.head<2>());
    return (inside - at).norm() <= radius;
  };
  std::vector<PartFacet> out;
  for (const PartFacet& f : facets) {
    const bool is_up = (f[1] - f[0]).cross(f[2] - f[0]).normalized().z() > 0.2;
    if (only_up && !is_up) {
      out.push_back(f);
      continue;
    }
    const std::size_t first = out.size();
    refine(f, only_up ? 0.12 : 0.5, near, out);
    for (std::size_t i = first; i < out.size(); ++i)
      for (Vector3d& v : out[i]) v.z() += off(Vector2d(v.head<2>()));
  }
  return out;
}

/// The highest point of the facets at x, y.
double height_at(const std::vector<PartFacet>& facets, const Vector2d& p) {
  double highest = -1e9;
  for (const PartFacet& f : facets) {
    const Vector3d n = (f[1] - f[0]).cross(f[2] - f[0]);
    if (!(n.z() > 1e-9)) continue;
    bool holds = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector2d a = f[k].head<2>(), b = f[(k + 1) % 3].head<2>();
      holds = holds && (b.x() - a.x()) * (p.y() - a.y()) - (b.y() - a.y()) * (p.x() - a.x()) >= 0;
    }
    if (holds) highest = std::max(highest, f[0].z() - (n.head<2>().dot(p - f[0].head<2>())) / n.z());
  }
  return highest;
}

void add_post(std::vector<PartFacet>& facets, const SeededDefect& d) {
  constexpr int sides = 24;
  const double foot = height_at(facets, d.at_mm), top = foot + d.size_mm;
  const auto corner = [&](int i, double z) {
    const double turn = 2 * M_PI * i / sides;
    return Vector3d(d.at_mm.x() + d.radius_mm * std::cos(turn), d.at_mm.y() + d.radius_mm * std::sin(turn),
                    z);
  };
  for (int i = 0; i < sides; ++i) {
    facets.push_back({corner(i, top), corner(i + 1, top), Vector3d(d.at_mm.x(), d.at_mm.y(), top)});
    facets.push_back({corner(i, foot), corner(i + 1, foot), corner(i + 1, top)});
    facets.push_back({corner(i, foot), corner(i + 1, top), corner(i, top)});
  }
}

/// A ridge along the edge at the lowest y, a third of it outside of the part.
void add_burr(std::vector<PartFacet>& facets, const SeededDefect& d) {
  const double width = std::max(0.3, 0.8 * d.size_mm), z = height_at(facets, d.at_mm + Vector2d(0, 0.1));
  const double y0 = d.at_mm.y() - width / 3, y1 = y0 + width, ym = y0 + width / 3;
  const double x0 = d.at_mm.x() - d.radius_mm, x1 = d.at_mm.x() + d.radius_mm;
  const Vector3d a(x0, y0, z), b(x1, y0, z), c(x1, ym, z + d.size_mm), e(x0, ym, z + d.size_mm), f(x1, y1, z),
      g(x0, y1, z);
  for (const PartFacet& t : {PartFacet{a, b, c}, {a, c, e}, {e, c, f}, {e, f, g}}) facets.push_back(t);
}

double profile_of(const SeededDefect& d, double r) {
  if (d.kind == Defect::pit) return r < d.radius_mm ? 1 : 0;
  return r < d.radius_mm ? 0.5 * (1 + std::cos(M_PI * r / d.radius_mm)) : 0;
}

}  // namespace

const char* name_of(Defect d) {
  constexpr const char* names[] = {"none", "dent", "pit", "post", "burr", "moved", "bent", "missing"};
  return names[static_cast<std::size_t>(d)];
}

std::string SeededDefect::words() const {
  return fmt::format("{} at [{:.3f}, {:.3f}], {:.3f} mm, radius {:.3f} mm, {:.2f} rad", name_of(kind),
                     at_mm.x(), at_mm.y(), size_mm, radius_mm, angle_rad);
}

SeededDefect seeded(const Solid& solid, Defect kind, std::mt19937_64& random) {
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto rising = [&](double low, double high) { return low * std::pow(high / low, between(0, 1)); };
  SeededDefect d;
  d.kind = kind;
  const Vector2d low = solid.low_mm.head<2>().cwiseMax(solid.view_mm - Vector2d(15, 15)).array() + 1,
                 high = solid.high_mm.head<2>().cwiseMin(solid.view_mm + Vector2d(15, 15)).array() - 1;
  d.at_mm << between(low.x(), high.x()), between(low.y(), high.y());
  d.angle_rad = between(0, 2 * M_PI);
  const double thickness = -solid.low_mm.z();
  switch (kind) {
    case Defect::none:
      break;
    case Defect::dent:
      d.size_mm = rising(0.05, std::min(2.0, 0.8 * thickness));
      d.radius_mm = rising(0.5, 4);
      break;
    case Defect::pit:
      d.size_mm = rising(0.1, 0.9 * thickness);
      d.radius_mm = rising(0.3, 2.5);
      break;
    case Defect::post:
      d.size_mm = rising(0.1, 9);
      d.radius_mm = rising(0.25, 2);
      break;
    case Defect::burr:
      d.size_mm = rising(0.08, 0.8);
      d.radius_mm = rising(0.5, 5);
      d.at_mm.y() = solid.name == "demo" ? 3 : solid.low_mm.y();
      break;
    case Defect::moved:
      d.size_mm = rising(0.1, 1);
      break;
    case Defect::bent:
      d.size_mm = rising(0.05, 1.5);
      d.radius_mm = rising(1.5, 8);
      break;
    case Defect::missing:
      d.radius_mm = rising(0.4, 3);
      d.size_mm = solid.has_feature ? solid.high_mm.z() : thickness;
      break;
  }
  return d;
}

std::vector<PartFacet> as_made(const Solid& solid, const SeededDefect& d) {
  Feature feature;
  if (d.kind == Defect::moved)
    feature.shift_mm << d.size_mm * std::cos(d.angle_rad), d.size_mm * std::sin(d.angle_rad);
  feature.is_missing = d.kind == Defect::missing && solid.has_feature;
  std::vector<PartFacet> facets = solid.facets(feature);
  const auto dented = [&](const Vector2d& p) { return -d.size_mm * profile_of(d, (p - d.at_mm).norm()); };
  if (d.kind == Defect::dent || d.kind == Defect::pit)
    return displaced(facets, d.at_mm, d.radius_mm, true, dented);
  if (d.kind == Defect::missing && !feature.is_missing) {
    SeededDefect hole = d;
    hole.kind = Defect::pit;
    hole.size_mm = solid.high_mm.z() - solid.low_mm.z();
    return as_made(solid, hole);
  }
  if (d.kind == Defect::bent) {
    const double from = solid.low_mm.x() + d.radius_mm;
    return displaced(facets, {solid.low_mm.x() - 1000, 0}, 1000 + d.radius_mm + 0.2, false,
                     [&](const Vector2d& p) {
                       const double t = std::max(0.0, (from - p.x()) / d.radius_mm);
                       return -d.size_mm * t * t;
                     });
  }
  if (d.kind == Defect::post) add_post(facets, d);
  if (d.kind == Defect::burr) add_burr(facets, d);
  return facets;
}

}  // namespace datum::statistics

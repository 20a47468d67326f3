#include "daemon/inspection/recipe/recipe_overlap.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>

namespace datum {
namespace {

constexpr double slack_mm = 1e-6;

using Polygon = std::vector<Eigen::Vector2d>;

Eigen::Matrix2d axes_of(const BoardRect& rect) {
  return Eigen::Rotation2Dd(rect.rotation_deg * std::numbers::pi / 180).toRotationMatrix();
}

/// Half length of a rectangle's projection on a direction.
double half_shadow_mm(const BoardRect& rect, const Eigen::Vector2d& direction) {
  return (axes_of(rect).transpose() * direction).cwiseAbs().dot(rect.size_mm) / 2;
}

/// Separating axis theorem: convex bodies are disjoint where their projections on the normal of some edge
/// are.
bool apart(const BoardRect& a, const BoardRect& b) {
  const Eigen::Vector2d way = b.centre_mm - a.centre_mm;
  for (const BoardRect& rect : {a, b}) {
    const Eigen::Matrix2d axes = axes_of(rect);
    for (int k = 0; k < 2; ++k) {
      const Eigen::Vector2d n = axes.col(k);
      if (std::abs(n.dot(way)) + slack_mm >= half_shadow_mm(a, n) + half_shadow_mm(b, n)) return true;
    }
  }
  return false;
}

/// The part of a polygon with p.dot(normal) <= limit (Sutherland and Hodgman 1974).
Polygon clipped(const Polygon& polygon, const Eigen::Vector2d& normal, double limit) {
  Polygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Eigen::Vector2d &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const double before = normal.dot(p) - limit, after = normal.dot(q) - limit;
    if (before <= 0) kept.push_back(p);
    if ((before < 0) != (after < 0) && before != after)
      kept.push_back(p + (q - p) * (before / (before - after)));
  }
  return kept;
}

double area_of(const Polygon& polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Eigen::Vector2d &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    twice += p.x() * q.y() - q.x() * p.y();
  }
  return std::abs(twice) / 2;
}

bool names(const Component& c, const std::string& reference) {
  return std::find(c.overlaps.begin(), c.overlaps.end(), reference) != c.overlaps.end();
}

std::string with_digits(double mm2) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", mm2);
  return text;
}

/// Names in `overlaps` without effect: a typing error, or a remainder of an earlier layout.
void refuse_idle_names(const Recipe& recipe, std::size_t index,
                       const std::map<std::string, std::size_t>& known, const config::TomlTable& table) {
  const Component& c = recipe.components[index];
  for (const std::string& name : c.overlaps) {
    const auto other = known.find(name);
    if (other == known.end() || other->second == index)
      table.refuse("overlaps", "'" + name + "' is no other component", "references of other components");
    if (shared_area_mm2(c.body, recipe.components[other->second].body) == 0)
      table.refuse("overlaps", "the body of " + name + " lies apart from that of " + c.reference,
                   "only components whose bodies share an area of the board");
  }
}

void refuse_shared_area(const Recipe& recipe, std::size_t index,
                        const std::vector<std::reference_wrapper<const config::TomlTable>>& tables) {
  const Component& c = recipe.components[index];
  for (std::size_t k = 0; k < index; ++k) {
    const Component& other = recipe.components[k];
    if (names(c, other.reference) || names(other, c.reference)) continue;
    const double area_mm2 = shared_area_mm2(c.body, other.body);
    if (area_mm2 == 0) continue;
    tables[index].get().refuse("centre_mm",
                               "the bodies of " + c.reference + " and " + other.reference + " (line " +
                                   std::to_string(tables[k].get().where("centre_mm").line) + ") share " +
                                   with_digits(area_mm2) + " mm2 of the board: one part would pass as both",
                               "bodies apart, or overlaps = [\"" + other.reference +
                                   "\"] where one part is meant to lie on the other");
  }
}

}  // namespace

double shared_area_mm2(const BoardRect& a, const BoardRect& b) {
  const double reach_mm = (a.size_mm.norm() + b.size_mm.norm()) / 2;
  if ((a.centre_mm - b.centre_mm).squaredNorm() >= reach_mm * reach_mm || apart(a, b)) return 0;
  const std::array<Eigen::Vector2d, 4> corners = corners_mm(a);
  Polygon shared(corners.begin(), corners.end());
  const Eigen::Matrix2d axes = axes_of(b);
  for (int k = 0; k < 2; ++k) {
    const Eigen::Vector2d n = axes.col(k);
    const double middle = n.dot(b.centre_mm), half = b.size_mm[k] / 2;
    shared = clipped(shared, n, middle + half);
    shared = clipped(shared, -n, half - middle);
  }
  return area_of(shared);
}

void refuse_overlaps(const Recipe& recipe,
                     const std::vector<std::reference_wrapper<const config::TomlTable>>& tables,
                     bool complete, config::Problems& problems) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < recipe.components.size(); ++i) known.emplace(recipe.components[i].reference, i);
  for (std::size_t i = 0; i < recipe.components.size(); ++i)
    problems.attempt([&] {
      if (complete) refuse_idle_names(recipe, i, known, tables[i]);
      refuse_shared_area(recipe, i, tables);
    });
}

}  // namespace datum

#include "tests/statistics/placement_holes.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "tests/statistics/placement_marks.h"

namespace datum::statistics {
namespace {

constexpr double least_hole_mm = 1.5, hole_across_px = 14, hole_beside_mm = 1.2;

/// Solder in it, a screw's head over it, or an obstacle before a third of its rim.
void spoil(TwinBoard& twin, const AlignmentHole& hole, const Eigen::Vector2d& at, const TwinRandom& random) {
  const double kind = random.uniform(310), d = hole.diameter_mm;
  if (kind < 0.4) {
    twin.patches.push_back({{at, Eigen::Vector2d::Constant(0.7 * d), 0}, 40 * random.uniform(311)});
    return;  // not drilled
  }
  twin.holes.push_back({at, d});
  if (kind < 0.7) {
    TwinBody screw;
    screw.reference = "screw";
    screw.outline = {at, Eigen::Vector2d::Constant(1.3 * d), 90 * random.uniform(312)};
    screw.height_um = 1500;
    twin.over_holes.push_back(screw);
  } else {
    twin.occlusions.push_back(
        {at + 0.5 * d * unit_way(random.uniform(313)), {0.8 * d, 0.8 * d}, 90 * random.uniform(314)});
  }
}

}  // namespace

std::vector<OutlineEdge> whole_sides_of(const Recipe& recipe, const TwinRelief& relief) {
  constexpr double depth_mm = 0.5;
  const double border_mm = relief_border_cells * relief.pitch_mm;  // from here on a board may be routed wider
  std::vector<OutlineEdge> sides = sides_of(recipe.board_size_mm);
  std::erase_if(sides, [&](const OutlineEdge& e) {
    const Eigen::Vector2d along = (e.to_mm - e.from_mm).normalized(), in(-along.y(), along.x());
    const double length = (e.to_mm - e.from_mm).norm();
    for (double s = 1; s < length - 1; s += depth_mm)
      for (const double d : {border_mm, depth_mm}) {
        const Eigen::Vector2d at = e.from_mm + s * along + d * in;
        if (std::isnan(relief.at(at.x(), at.y()))) return true;
      }
    return false;
  });
  return sides;
}

std::vector<AlignmentHole> holes_of(const Recipe& recipe, const TwinRelief& relief,
                                    const std::vector<Fiducial>& marks, double pixel_mm) {
  const Eigen::Vector2d size = recipe.board_size_mm;
  std::vector<TakenPlace> taken;
  const double diameter = std::max(least_hole_mm, hole_across_px * pixel_mm);
  for (const Fiducial& f : marks) taken.push_back({f.centre_mm, f.size_mm / 2 + f.clear_mm + 2 * diameter});
  std::vector<AlignmentHole> holes;
  for (const Eigen::Vector2d& corner :
       {Eigen::Vector2d(0, 0), Eigen::Vector2d(size.x(), size.y()), Eigen::Vector2d(0, size.y())}) {
    AlignmentHole h;
    h.name = "H" + std::to_string(holes.size() + 1);
    h.diameter_mm = diameter;
    h.u_um = 25;
    h.centre_mm = bare_place_near(corner, recipe, diameter / 2 + hole_beside_mm, taken, h.name, relief);
    taken.push_back({h.centre_mm, 3 * diameter});
    holes.push_back(h);
  }
  return holes;
}

int drill_and_route(TwinBoard& twin, const AlignmentRecipe& recipe, const PlaneMotion& stretch, bool hostile,
                    const TwinRandom& random) {
  const Eigen::Vector2d middle = twin.size_mm / 2;
  const auto displaced = [&](const Eigen::Vector2d& at, double offset_um,
                             std::uint64_t first) -> Eigen::Vector2d {
    const double u = 1e-3 * offset_um, turn = u * random.normal(first + 2) / middle.norm();
    const Eigen::Vector2d arm = at - middle;
    return at + u * Eigen::Vector2d(random.normal(first), random.normal(first + 1)) +
           turn * Eigen::Vector2d(-arm.y(), arm.x());
  };
  if (hostile && random.uniform(300) < 0.5) twin.below_um = 1600 + 2000 * random.uniform(301);
  const std::size_t n = recipe.holes.size(), spoiled = hostile && n > 0 ? random.word(302) % (2 * n) : n;
  int whole = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const AlignmentHole& hole = recipe.holes[i];
    const std::uint64_t own = 330 + 4 * i;
    const Eigen::Vector2d drawn =
        displaced(hole.centre_mm, recipe.holes_offset_um, 303) +
        1e-3 * hole.u_um * Eigen::Vector2d(random.normal(own), random.normal(own + 1));
    const Eigen::Vector2d at = stretched(drawn, stretch);
    if (i == spoiled) {
      spoil(twin, hole, at, random);
      continue;
    }
    ++whole;
    twin.holes.push_back({at, hole.diameter_mm + 0.05 * (random.uniform(own + 2) - 0.5)});
    if (hostile && random.uniform(own + 3) < 0.3)
      twin.holes.push_back(
          {at + (2 * hole.diameter_mm + 1) * unit_way(random.uniform(own + 3) / 0.3), hole.diameter_mm});
  }
  for (std::size_t i = 0; i < recipe.edges.size(); ++i) {
    const OutlineEdge& edge = recipe.edges[i];
    const auto end = [&](const Eigen::Vector2d& at, std::uint64_t own) -> Eigen::Vector2d {
      return stretched(displaced(at, recipe.edges_offset_um, 306), stretch) +
             1e-3 * edge.u_um * Eigen::Vector2d(random.normal(own), random.normal(own + 1));
    };
    twin.routed.push_back({end(edge.from_mm, 500 + 4 * i), end(edge.to_mm, 502 + 4 * i)});
  }
  return whole;
}

}  // namespace datum::statistics

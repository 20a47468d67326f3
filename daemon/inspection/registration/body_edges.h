// A body's displacement in a frame from its place, by its edges.
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <vector>

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/registration/height_lattice.h"
#include "daemon/inspection/registration/plane_motion.h"

namespace datum {

/// Displacement along one axis of one body: the mean of two opposite edges, so that the body's size drops out.
struct EdgePair {
  std::size_t component = 0;
  Eigen::Vector2d at_mm = Eigen::Vector2d::Zero();  // the body's centre, nominal board coordinates
  Eigen::Vector2d axis =
      Eigen::Vector2d::UnitX();  // unit vector of the displacement, along the moved board's place
  double off_mm = 0;             // displacement from the place assumed, along axis
  double size_off_mm = 0;        // measured distance of the edges less the nominal one
  double unresolved_mm = 0;      // mean of the spans in which the pixels leave each edge's place open
};

struct EdgeSettings {
  double reach_mm = 0.5;  // edges are looked for so far from their place
  double near_mm =
      0.1;  // profiles of one edge agree within this of their median; a motion that is not known well turns them
  int profiles = 3;  // across each edge
  int rows = 0;      // of pixels that vote then, at most; 0: the profiles place the edge
};

/// Frame, its view and the floor's form under one board. Borrowed.
struct EdgeScene {
  const Recipe& recipe;
  const HeightFrame& frame;
  const BoardView& view;  // of the recipe's placement
  const BoardForm& form;
};

/// Of one body with the board at the motion. An edge is the place along a profile that best parts pixels above half of the body's
/// measured height from pixels below it; between two neighbouring pixels it is interpolated. A profile without both sides, a body of
/// another height or size (beyond 15 % and two pixels), or one with one edge has no pair; nor has an edge of which a third of the profiles
/// deviates: the body is turned.
struct OneBodysEdges {
  int seen = 0;                                  // as of seen_at
  std::array<std::optional<EdgePair>, 2> along;  // the body's x and y
};
OneBodysEdges edges_of_body(const EdgeScene& scene, std::size_t component, const MovedPlane& motion,
                            const EdgeSettings& settings);

struct BodyEdges {
  std::vector<EdgePair> pairs;
  std::size_t measured = 0, seen = 0;  // bodies whose place has heights; those of them that are there
  void add(const OneBodysEdges& body);
};

/// Of these components, in their order.
BodyEdges body_edges(const EdgeScene& scene, const std::vector<std::size_t>& components,
                     const PlaneMotion& motion, const EdgeSettings& settings, unsigned threads);

/// Whether the frame shows a body of about its height at its place: 1 yes, -1 no, 0 not measured.
int seen_at(const EdgeScene& scene, std::size_t component, const MovedPlane& motion);

}  // namespace datum

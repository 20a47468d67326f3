// A board of five parts and three marks in its intensity image, placed anywhere.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "tests/daemon/inspection/board/placed_board.h"
#include "tests/virtual_cell/twin_grey.h"

namespace datum::inspect_fiducials_test {

using testing::box;
using testing::five_parts;
using testing::number;
using testing::placed_board;
using testing::Scene;
using testing::warnings;
using testing::with;

inline Fiducial mark(const std::string& name, FiducialShape shape, double x, double y, double size,
                     double other = 0) {
  Fiducial f;
  f.name = name;
  f.shape = shape;
  f.centre_mm = {x, y};
  f.size_mm = size;
  (shape == FiducialShape::cross ? f.line_mm : f.inner_mm) = other;
  f.clear_mm = 0.2;
  f.u_um = 1;
  return f;
}

/// Pixels of 0.04 mm: 15 across the circle, 6 across the ring and the lines.
inline std::vector<Fiducial> marks() {
  return {mark("F1", FiducialShape::circle, 0.9, 1.0, 0.6),
          mark("F2", FiducialShape::ring, 11.0, 7.0, 0.9, 0.4),
          mark("F3", FiducialShape::cross, 6.2, 6.9, 1.2, 0.24)};
}

using Form = TwinInk::Form;

/// Solder mask, pads of the parts, legend, vias beside the marks, vignetting and noise.
inline TwinGrey artwork(const std::vector<Fiducial>& printed) {
  TwinGrey g;
  for (const Component& c : five_parts())
    for (const double side : {-0.7, 0.7}) {
      const double turn = c.body.rotation_deg * M_PI / 180;
      g.inks.push_back({Form::rect,
                        c.body.centre_mm + side * Eigen::Vector2d(std::cos(turn), std::sin(turn)),
                        {0.6, 1.4},
                        c.body.rotation_deg,
                        210});
    }
  for (const Fiducial& f : printed) {
    for (int k = 0; k < 3; ++k) {
      const double x = f.centre_mm.x() + (k == 0   ? 0.9
                                          : k == 1 ? -0.2
                                                   : 0.8),
                   y = f.centre_mm.y() + (k == 0   ? 0.1
                                          : k == 1 ? -0.85
                                                   : -0.7);
      g.inks.push_back({Form::disc, {x, y}, {0.3, 0}, 0, 190});  // via and its drill
      g.inks.push_back({Form::disc, {x, y}, {0.14, 0}, 0, 20});
    }
    g.inks.push_back({Form::rect, f.centre_mm + Eigen::Vector2d(0, 0.8), {1.6, 0.12}, 8, 230});  // legend
  }
  for (const Fiducial& f : printed) add_mark(g.inks, f, 190, 45);
  return g;
}

struct Laid {
  double x_mm = 0.31, y_mm = -0.22, turn_deg = 1.3;
  std::vector<Component> seen = five_parts();
  std::vector<Fiducial> printed = marks();
  std::uint64_t seed = 1;
};

/// `change` alters the artwork before it is drawn.
template <class Change>
Scene placed(const Laid& at, Change change) {
  Scene s = placed_board(at.x_mm, at.y_mm, at.turn_deg, at.seen);
  TwinGrey grey = artwork(at.printed);
  change(grey);
  const BoardView view(s.frame, Htm<Board, Sensor>(Eigen::Matrix4d(s.sensor_from_board.inverse().matrix())));
  s.frame.intensity =
      draw_grey(grey, s.recipe.board_size_mm,
                {s.frame.rows, s.frame.cols, view.origin(), view.per_col(), view.per_row()}, at.seed);
  return with(std::move(s), [](AlignmentRecipe& a) { a.fiducials = marks(); });
}
inline Scene placed(const Laid& at = {}) {
  return placed(at, [](TwinGrey&) {});
}

inline void scatter(std::vector<Component>& seen) {
  const double off[][2] = {{0.02, -0.015}, {-0.025, 0.01}, {0.03, 0.02}, {-0.01, -0.03}, {0.015, 0.02}};
  for (std::size_t i = 0; i < 5; ++i) seen[i].body.centre_mm += Eigen::Vector2d(off[i][0], off[i][1]);
}

}  // namespace datum::inspect_fiducials_test

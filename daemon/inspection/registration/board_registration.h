// Registration of a board in its plane: a coarse search over turns, rotations and shifts (board_search.h), then robust least
// squares on the edges of its bodies (body_edges.h, motion_fit.h) at the best places found, of which one must stand out.
#pragma once

#include <optional>
#include <vector>

#include "daemon/inspection/registration/board_looks.h"
#include "daemon/inspection/registration/board_search.h"
#include "daemon/inspection/registration/motion_fit.h"

namespace datum {

struct RegistrationSettings {
  double max_shift_mm = 0, max_rotation_deg = 0;  // searched a little beyond
  double lowest_mm = 0;                           // lower bodies are not looked for
  bool search_turned = true;                      // by quarters, and mirrored
  BoardModel model =
      BoardModel::rigid;  // of the best place's last fits; the search and the second place are rigid
};

struct RegisteredMotion {
  PlaneMotion motion;
  MotionFit fit;
  double match =
      0;  // pairs of edges that fit over those looked for: two of each body whose place has heights
  std::size_t measured = 0, seen = 0;  // of the bodies of the fit: their places have heights; they are there
  bool is_last = false;                // pixels voted for the edges at less than half a pixel from here
};

struct BoardRegistration {
  std::optional<RegisteredMotion> best;    // none: no part of the board is seen
  std::optional<RegisteredMotion> second;  // of the best match at another place
  std::size_t expected = 0, seen = 0;      // bodies whose place has heights; those of them that are there
};

/// The fit that matches best, and of those that put a corner of the board (size_mm) more than apart_mm elsewhere the best one.
void choose_places(std::vector<RegisteredMotion> fitted, double apart_mm, const Eigen::Vector2d& size_mm,
                   BoardRegistration& r);

/// One motion of the board for all looks at it: a body counts once, where it lies deepest in a frame. The same numbers for any number
/// of threads.
BoardRegistration register_board(const Recipe& recipe, std::span<const BoardLookAt> looks,
                                 const RegistrationSettings& settings, unsigned threads);

/// A board turned by a quarter, one of whose corners lies in a corner of its place (a fixture of two edges): the best match of
/// at least `least_match`, with the shift of its middle. None: no such place, or a board so square that register_board sees it.
std::optional<RegisteredMotion> turned_at_a_corner(const Recipe& recipe, std::span<const BoardLookAt> looks,
                                                   const RegistrationSettings& settings, double least_match,
                                                   unsigned threads);

/// Of a board that is not found: the scale of 0.94 to 1.06 at which its parts match best, and at least by `least_match`. None: no such
/// scale. Recipe and bodies are scaled about the board's middle, each step by what the fit follows.
std::optional<double> explaining_scale(const Recipe& recipe, std::span<const BoardLookAt> looks,
                                       const RegistrationSettings& settings, double least_match,
                                       unsigned threads);

}  // namespace datum

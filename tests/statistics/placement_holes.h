// Holes and outline of placed boards: what their recipes list, and how a shop drills, routes and spoils them.
#pragma once

#include <vector>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/registration/plane_motion.h"
#include "tests/virtual_cell/twin_board.h"
#include "tests/virtual_cell/twin_random.h"

namespace datum::statistics {

/// Three holes near the board's corners, on bare board beside its marks, 14 pixels of `pixel_mm` across and at least 1.5 mm. Throws
/// std::runtime_error where the bodies leave no place.
std::vector<AlignmentHole> holes_of(const Recipe& recipe, const TwinRelief& relief,
                                    const std::vector<Fiducial>& marks, double pixel_mm);

/// The board's sides that are straight: no notch of the design within 0.5 mm of them.
std::vector<OutlineEdge> whole_sides_of(const Recipe& recipe, const TwinRelief& relief);

/// Drills the holes and routes the outline of a board whose places are stretched so: all holes displaced together by holes_offset_um and
/// each by u_um, the outline by edges_offset_um and each end of an edge by u_um, all normal. Hostile: a fixture is seen below in half of
/// the boards, one hole may be filled, hold a screw, or have a third of its rim hidden, and like holes lie beside others. Returns how many
/// holes are whole.
int drill_and_route(TwinBoard& twin, const AlignmentRecipe& recipe, const PlaneMotion& stretch, bool hostile,
                    const TwinRandom& random);

}  // namespace datum::statistics

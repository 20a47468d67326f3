// A recipe's settings of a board's alignment: how far a board may lie from its place, and what shows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/registration/plane_motion.h"

namespace datum {

enum class FiducialShape : std::uint8_t { circle, ring, cross };
const char* name_of(FiducialShape shape);

/// A mark of the artwork that the intensity image shows.
struct Fiducial {
  std::string name;
  FiducialShape shape = FiducialShape::circle;
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  double size_mm = 0;       // outer diameter; of a cross the length of both arms
  double inner_mm = 0;      // of a ring: inner diameter
  double line_mm = 0;       // of a cross: width of an arm
  double rotation_deg = 0;  // of a cross
  bool bright = true;       // than what surrounds it
  double clear_mm = 0;      // nothing else is drawn so far around it
  double u_um = 0;          // standard uncertainty of its place on the board, in each direction
};

/// A drilled hole: in the height map the board around it, and no heights or deeper ones inside.
struct AlignmentHole {
  std::string name;
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  double diameter_mm = 0;
  double u_um = 0;  // standard uncertainty of its place on the board, in each direction
};

/// A straight piece of the board's outline. The board lies on its left, seen from from_mm.
struct OutlineEdge {
  std::string name;
  Eigen::Vector2d from_mm = Eigen::Vector2d::Zero(), to_mm = Eigen::Vector2d::Zero();
  double u_um = 0;  // standard uncertainty of either end, across it
};

/// The four sides of a rectangular board, counter-clockwise from "bottom".
std::vector<OutlineEdge> sides_of(const Eigen::Vector2d& board_size_mm);

struct AlignmentRecipe {
  double max_shift_mm = 0;   // along the board's x and y
  double min_ratio = 1.5;    // of the best match over the second one; 1.25 for a registration
  double cell_mm = 0;        // cell of the map of parts; 0: 256 cells along the longer side
  double min_height_um = 0;  // parts from this height on are visible; 0: half the lowest nominal height
  /// Either way; with it the board is registered by its bodies' edges (registration/board_registration.h), without it a shift
  /// alone is found by phase correlation.
  std::optional<double> max_rotation_deg;
  // Limits of a registration.
  double min_share = 0.6;        // of the visible parts at their places
  int min_parts = 3;             // with edges that fit
  bool search_turned = true;     // false: the fixture takes the board in one way alone
  double max_residual_um = 100;  // scale of the bodies' deviations from the board's motion
  BoardModel model = BoardModel::rigid;
  double max_scale_ppm = 0;   // of each axis, either way; similarity and affine
  double max_shear_urad = 0;  // either way; affine
  // Fiducials beside the bodies; none: bodies alone.
  std::vector<Fiducial> fiducials;
  int min_fiducials = 2;          // found
  double fiducial_search_mm = 1;  // around the place where the bodies put them
  double parts_offset_um = 10;    // standard uncertainty of what all parts are displaced by together
  // Holes and outline in the height map.
  std::vector<AlignmentHole> holes;
  std::vector<OutlineEdge> edges;
  int min_holes = 2, min_edges = 2;  // found
  double holes_offset_um = 50,  // standard uncertainty of what all holes are displaced by together: drilling
      edges_offset_um = 100;    // and the outline: routing
};

const char* name_of(BoardModel model);

/// Cells of the map in board coordinates. Board and max_shift_mm on all sides lie where its window is 1.
struct AlignmentGrid {
  double cell_mm = 0;
  Eigen::Vector2d origin_mm = Eigen::Vector2d::Zero();  // lower left corner of cell (0, 0)
  std::uint32_t cols = 0, rows = 0;                     // powers of two
};
AlignmentGrid alignment_grid(const Recipe& recipe);

/// Height in um from which a part is visible.
double alignment_height_um(const Recipe& recipe);

}  // namespace datum

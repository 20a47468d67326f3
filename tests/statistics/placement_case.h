// One placement of a board's twin with a known motion, for the registration of boards (daemon/inspection/registration).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/registration/plane_motion.h"
#include "tests/virtual_cell/virtual_sensor_cell.h"

namespace datum::statistics {

/// A recipe and its twin.
struct PlacedBoard {
  std::string name;
  Recipe recipe;
  VirtualCell cell;
  std::vector<Fiducial> marks;  // empty: frames have no intensity
  std::vector<AlignmentHole> holes;
  std::vector<OutlineEdge> edges;
  double holes_offset_um = AlignmentRecipe{}.holes_offset_um;  // of all holes together, stated and drawn
};

/// `design`: may be empty. The view is set to about `most_px` pixels along the longer side, board and its motions inside. The board
/// has no marks.
PlacedBoard load_placed_board(const std::filesystem::path& recipe, const std::filesystem::path& design,
                              const std::filesystem::path& twin, int most_px);

struct PlacementCase {
  std::uint64_t seed = 1;
  BoardTurn turn;
  PlaneMotion motion;           // after the turn
  double missing_share = 0.05;  // of the parts
  int foreign_parts = 0;
  bool hostile = false;    // spikes, missing data in blobs, noise of rows, drift; a tilted, warped board
  double place_mm = 0.01;  // standard deviation of the parts' places
};

/// Uniform shifts and rotations within the limits; a tenth turned by 180 degrees, a tenth mirrored; a quarter with up to 40 % of
/// the parts missing.
/// `stretch`: largest scale of either axis, and shear, of the parts' places (1e-6: 1 ppm).
PlacementCase placement_case(const PlacedBoard& board, double shift_mm, double rotation_deg,
                             std::uint64_t seed, double stretch = 0);

struct PlacedFrame {
  HeightFrame frame;
  /// Least-squares motion of the parts that are there, displaced as they are, against `motion`: mm, mm, rad. What no measurement of
  /// these parts can tell from a motion of the board. NaN: fewer than two parts.
  Eigen::Vector3d parts;
  int whole_marks = 0;  // of the intensity image
  int whole_holes = 0;
};
/// The parts of a board with marks are displaced together by AlignmentRecipe::parts_offset_um.
PlacedFrame frame_of(const PlacedBoard& board, const PlacementCase& c);

}  // namespace datum::statistics

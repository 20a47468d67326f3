// The digital twin of a board: what is truly there, before any sensor looks at it.
//
// Board coordinates as in a recipe: mm, origin at the lower left corner, x right, y up, z up from the upper
// side. The bare board is z = bow and twist (TwinShape); everything else stands on it.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace datum {

/// Rotation counter-clockwise seen from above.
struct TwinRect {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();
  double rotation_deg = 0;
};

/// Deformation of the bare board, relative to the flat board through its four mid-sides.
struct TwinShape {
  double bow_x_um = 0;  // height of the middle over the ends, along x; negative: sagging
  double bow_y_um = 0;
  double twist_um = 0;  // a corner's rise; opposite corners rise, the others fall
};

/// A component's body with a plane top.
struct TwinBody {
  std::string reference;
  TwinRect outline;  // where it truly is, which may differ from the recipe by a placement error
  double height_um =
      0;  // TRUTH: top over the bare board's surface under the outline's centre, along the normal there
  double slope_x = 0;  // of the top against that normal, rise over run, along the body's own axes
  double slope_y = 0;
  bool missing = false;  // then its pads lie open
};

/// A second level on the bare board: pad, trace, silkscreen, another board.
struct TwinPatch {
  TwinRect outline;
  double height_um = 0;
  bool ramp = false;  // then it rises from 0 at the outline's -x end to height_um at its +x end
  // Only what lies in this sector about the outline's centre, counter-clockwise from its +x axis.
  double sector_from_deg = 0, sector_deg = 360;
};

/// A body or surface that gives back little light: the share of its pixels without a height rises along the
/// outline's x.
struct TwinDark {
  TwinRect outline;
  double share_from = 0, share_to = 0;  // at its -x and +x ends
};

struct TwinHole {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  double diameter_mm = 0;
};

struct TwinBoard {
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();
  TwinShape shape;
  std::vector<TwinBody> bodies;
  std::vector<TwinPatch> patches;
  std::vector<TwinHole> holes;
  std::vector<TwinDark> darks;
  std::vector<TwinRect> occlusions;  // seen by nobody: a wire, a gripper, glare
};

/// The exact answer for one component.
struct TwinTruth {
  std::string reference;
  bool present = true;
  double height_um = 0;  // as TwinBody::height_um; 0 where missing
  double tilt_mdeg = 0;  // angle between the top and the board's tangent plane under the centre
};

/// z of the bare board in mm and its slopes.
struct TwinFloor {
  double z_mm = 0, slope_x = 0, slope_y = 0;
};
TwinFloor floor_at(const TwinBoard& board, double x_mm, double y_mm);

std::vector<TwinTruth> truth_of(const TwinBoard& board);

/// Applies one defect by name: "lifted=REF[:um]" (the end at +x of the body rises by um, 120 without a
/// number), "missing=REF", "height=REF:um" (the true height becomes um), "occluded=REF" (the ring is hidden
/// on three sides), "level=REF[:um]" (the board beside the body's +x end is another level, 35 um higher without a number),
/// "ramp=REF[:um]" (it rises to it), "dark=REF" (towards its +x end up to 80 % of the body's pixels give no height),
/// "good" (nothing). Throws std::invalid_argument: unknown word or reference, with what is
/// allowed.
void apply_defect(TwinBoard& board, const std::string& defect);

}  // namespace datum

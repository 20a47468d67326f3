// The digital twin of a board: its true geometry, before any sensor's errors.
//
// Board coordinates as in a recipe: mm, origin at the lower left corner, x right, y up, z up from the upper
// side. The bare board is z = bow and twist (TwinShape); everything else lies on it.
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
  TwinRect outline;  // true place, which may differ from the recipe's by a placement error
  /// TRUTH: top over the bare board's surface under the outline's centre, along its normal
  double height_um = 0;
  double slope_x = 0;  // of the top against that normal, rise over run, along the body's own axes
  double slope_y = 0;
  bool missing = false;  // its pads are then exposed
  /// Level of the floor around it over the bare board (TwinRelief), on which its height stands.
  double base_um = 0;
};

/// Cells at a relief's border of which the outline may leave a part.
inline constexpr int relief_border_cells = 2;

/// Levels of the bare board's surface by cells, row 0 at y = 0; um over floor_at(). NaN: a hole, or beyond the edge. Empty: flat.
struct TwinRelief {
  double pitch_mm = 0;
  int columns = 0, rows = 0;
  std::vector<float> um = {};
  /// NaN outside of it; 0 where it is empty.
  double at(double x_mm, double y_mm) const;
};

/// A second level on the bare board: pad, trace, silkscreen, another board.
struct TwinPatch {
  TwinRect outline;
  double height_um = 0;
  bool ramp = false;  // rises from 0 at the outline's -x end to height_um at its +x end
  // Limited to this sector about the outline's centre, counter-clockwise from its +x axis.
  double sector_from_deg = 0, sector_deg = 360;
};

/// A dark body or surface: the share of its pixels without a height increases along the outline's x.
struct TwinDark {
  TwinRect outline;
  double share_from = 0, share_to = 0;  // at its -x and +x ends
};

struct TwinHole {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  double diameter_mm = 0;
};

/// One board of a panel; its bodies have its name behind '@'.
struct TwinPlace {
  std::string name;
  TwinRect outline;
};

/// A routed edge of the board's outline. The board lies on its left, seen from from_mm.
struct TwinEdge {
  Eigen::Vector2d from_mm = Eigen::Vector2d::Zero(), to_mm = Eigen::Vector2d::Zero();
};

struct TwinBoard {
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();
  TwinShape shape;
  TwinRelief relief;
  std::vector<TwinBody> bodies;
  std::vector<TwinPatch> patches;
  std::vector<TwinHole> holes;
  std::vector<TwinDark> darks;
  std::vector<TwinRect> occlusions;  // never visible: a wire, a gripper, glare
  std::vector<TwinPlace> places;     // of a panel
  std::vector<TwinEdge> routed;      // the board is what lies on the left of all; none: size_mm
  std::vector<TwinBody> over_holes;  // a screw's head
  double below_um =
      0;  // depth of the fixture that is seen through holes and beside the board; 0: no heights there
};

/// The exact values of one component.
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

/// Applies one named defect. "lifted=REF[:um]": the body's end at +x rises by um (default 120).
/// "missing=REF". "height=REF:um": the true height becomes um. "occluded=REF": the ring is hidden on three
/// sides. "level=REF[:um]": the board beside the body's +x end is another level, 35 um higher by default.
/// "ramp=REF[:um]": it rises to that level. "dark=REF": towards its +x end up to 80 % of the body's pixels
/// give no height. Of a panel, "bare=NAME": the board has no part; "turned=NAME": its parts lie turned by 180 degrees;
/// "marked=NAME": it has its bad-board mark; "moved=NAME:um": its parts lie shifted along x. "good": none. Throws std::invalid_argument for an unknown defect or reference, with the
/// allowed ones.
void apply_defect(TwinBoard& board, const std::string& defect);

}  // namespace datum

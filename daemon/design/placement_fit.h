// Transform of a file's packages to the board, proven by fitting pins to pads.
//
// A side flag is no transform: writers of one format mean different things by it (PLACEMENT, 3). So the layer tells the side, and
// of four transforms that one is taken which brings the pins of packages to the pads that the file states absolutely.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "daemon/design/design.h"

namespace datum::design {

/// board = at + A p; M mirrors x, R turns counter-clockwise by the file's rotation r.
enum class Transform : std::uint8_t {
  turned,
  turned_mirrored,
  turned_back,
  turned_back_mirrored
};  // R(r), M R(r), R(-r), M R(-r)
inline constexpr std::array all_transforms{Transform::turned, Transform::turned_mirrored,
                                           Transform::turned_back, Transform::turned_back_mirrored};
const char* text_of(Transform transform);  // "R(r)", "M R(r)" ...

/// One component as its file places it.
struct PlacedPart {
  std::string reference;
  Side side = Side::top;
  Point at = Point::Zero();
  double rotation_deg = 0;
  std::vector<Point> pins, pads;  // of equal length: a pin of the package and where the board has it
};

Point placed(Transform transform, const PlacedPart& part, const Point& p);

struct Fit {
  Transform transform = Transform::turned;
  bool proven = false;         // by at least one component
  std::size_t components = 0;  // that decided
  std::size_t off = 0;         // components whose pins lie more than 0.1 mm from their pads
  double worst_mm = 0;         // residual among those that fit
};

/// The transform of one side. A component votes where its best residual is below 0.1 mm and another's is larger by 0.1 mm. All but
/// 1 %, or one of at least 20, must agree. Nobody votes: `usual`, not proven. Throws DesignError that names `file` and the worst component where the votes
/// contradict each other, or no transform fits half of the components with pins.
Fit fit_side(const std::vector<PlacedPart>& parts, Side side, Transform usual, const std::string& file);

/// Rotation of the library's package as Component::rotation_deg. Where the file stores packages of the bottom already mirrored
/// (no mirror in the transform), their library is the mirror image.
double own_rotation(Transform transform, Side side, double rotation_deg);

/// Fits both sides, and tells the design in its remarks.
struct SideFits {
  Fit top, bottom;
  const Fit& of(Side side) const { return side == Side::top ? top : bottom; }
};
SideFits fit_sides(const std::vector<PlacedPart>& parts, Transform usual_top, Transform usual_bottom,
                   const std::string& file, Design& design);

}  // namespace datum::design

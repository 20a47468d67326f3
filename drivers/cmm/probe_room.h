// ProbeRoom: the space around a bore in which the centre of a probe's tip is free. Pure geometry; machine coordinates, mm.
//
// Two pieces, each convex: the bore's inside and the space above its surface. A straight way whose two ends lie in one
// piece lies in it as a whole, so the tip, swept along it, touches nothing.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace datum {

struct ProbeRoom {
  std::array<double, 3> surface_mm{};   // the bore's axis meets the surface here
  std::array<double, 3> axis{0, 0, 1};  // out of the material, of length 1
  double free_mm = 0;                   // off the axis: the tip's centre is surely free up to here ...
  double touch_mm = 0;                  // ... and may stand in contact with the wall up to here
  double depth_mm = 0;                  // below the surface: no deeper
  double clear_mm = 0;                  // above the surface: the tip is surely free from here on
  double tip_radius_mm = 0;
};

/// Along the axis, above the surface; off it.
double height_mm(const ProbeRoom& room, const std::array<double, 3>& centre_mm);
double off_axis_mm(const ProbeRoom& room, const std::array<double, 3>& centre_mm);

/// Why the tip is not free on the straight way between two places of its centre; empty: it is. The way may begin where
/// the tip touches the wall, and then leads to where it is surely free: a bore is convex.
std::string not_free(const ProbeRoom& room, const std::array<double, 3>& from_mm,
                     const std::array<double, 3>& to_mm);

/// How far the tip's centre is surely free from `at_mm` along `direction` (of length 1) and against it.
struct FreeWay {
  double ahead_mm = 0, behind_mm = 0;
};
/// None where `at_mm` is not surely free inside the bore, or where the direction is the axis.
std::optional<FreeWay> free_way(const ProbeRoom& room, const std::array<double, 3>& at_mm,
                                const std::array<double, 3>& direction);

}  // namespace datum

// ProbeRoom: the space around a bore in which the centre of a probe's tip is free. Pure geometry; machine
// coordinates, mm.
//
// It consists of two convex pieces: the bore's inside and the space above its surface. A straight path with
// both ends in one piece stays in that piece, so the tip touches nothing.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace datum {

struct ProbeRoom {
  std::array<double, 3> surface_mm{};   // intersection of the bore's axis with the surface
  std::array<double, 3> axis{0, 0, 1};  // out of the material, of length 1
  double free_mm = 0;                   // radial distance up to which the tip's centre is surely free ...
  double touch_mm = 0;                  // ... and up to which it may touch the wall
  double depth_mm = 0;                  // largest depth below the surface
  double clear_mm = 0;                  // height above the surface from which the tip is surely free
  double tip_radius_mm = 0;
};

// Ten nanometres: below any machine's resolution, above the rounding of these computations.
inline constexpr double room_slack_mm = 1e-5;

/// Height above the surface along the axis; radial distance from it.
double height_mm(const ProbeRoom& room, const std::array<double, 3>& centre_mm);
double off_axis_mm(const ProbeRoom& room, const std::array<double, 3>& centre_mm);

/// Why the straight path between two places of the tip's centre is not free; empty: it is. The path may begin
/// in contact with the wall and then lead to free space, because a bore is convex.
std::string not_free(const ProbeRoom& room, const std::array<double, 3>& from_mm,
                     const std::array<double, 3>& to_mm);

/// Lengths of the free path from `at_mm` along `direction` (of length 1) and against it.
struct FreeWay {
  double ahead_mm = 0, behind_mm = 0;
};
/// None where `at_mm` is not surely free inside the bore, or the direction is the axis.
std::optional<FreeWay> free_way(const ProbeRoom& room, const std::array<double, 3>& at_mm,
                                const std::array<double, 3>& direction);

}  // namespace datum

// What a camera says of how its counts become coordinates: the Scan3d features of GenICam's SFNC, and what else decides
// which pixels a payload has. Pure.
//
//   coordinate = count x Scan3dCoordinateScale + Scan3dCoordinateOffset, in Scan3dDistanceUnit, of each of A, B and C
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "drivers/frame/height_frame.h"

namespace datum::genicam {

struct Coordinate {
  double scale = 1, offset = 0;
  std::optional<double> invalid;  // count that marks a pixel without data; NaN marks one in any float format
  bool operator==(const Coordinate&) const = default;
};

/// As the camera states it, in its own words.
struct Scan3d {
  std::string output_mode = "RectifiedC", distance_unit = "Millimeter", coordinate_system = "Cartesian";
  std::string reference;  // "Anchor", "Transformed"; empty: the camera has no such feature
  std::array<Coordinate, 3> axes;
  bool operator==(const Scan3d&) const = default;
};

/// All that must stay as it was while boards are measured.
struct Setup {
  Scan3d scan3d;
  std::string pixel_format;  // its name
  std::int64_t width = 0, height = 0;
  bool operator==(const Setup&) const = default;
};

/// What differs first: "Scan3dDistanceUnit was Millimeter, is Inch". Empty: nothing.
std::string difference(const Setup& before, const Setup& now);

/// mm of a unit. Throws PayloadError (scan3d): Pixel and whatever else is no length.
double mm_per(const std::string& distance_unit);
/// x from the column and y from the row (true) or from the payload (false). Throws PayloadError (scan3d): a mode
/// without x and y in the sensor's coordinates, coordinates that are not Cartesian.
bool places_by_index(const Scan3d& scan3d);

/// In mm. Throws PayloadError (scan3d) where the scale is 0 or not finite, or an offset is not.
AxisScale axis_mm(const Scan3d& scan3d, std::size_t axis);

}  // namespace datum::genicam

// A camera's conversion of counts to coordinates: the Scan3d features of GenICam's SFNC, and the features
// that decide which pixels a payload has. Pure.
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
  std::optional<double> invalid;  // count of a pixel without data; in float formats NaN always is one
  bool operator==(const Coordinate&) const = default;
};

/// As reported by the camera, in its own terms.
struct Scan3d {
  std::string output_mode = "RectifiedC", distance_unit = "Millimeter", coordinate_system = "Cartesian";
  std::string reference;  // "Anchor", "Transformed"; empty: feature not available
  std::array<Coordinate, 3> axes;
  bool operator==(const Scan3d&) const = default;
};

/// The setup that must not change while boards are measured.
struct Setup {
  Scan3d scan3d;
  std::string pixel_format;  // its name
  std::int64_t width = 0, height = 0;
  bool operator==(const Setup&) const = default;
};

/// The first difference: "Scan3dDistanceUnit was Millimeter, is Inch". Empty: none.
std::string difference(const Setup& before, const Setup& now);

/// Length of a unit in mm. Throws PayloadError (scan3d) for Pixel and other units that are no length.
double mm_per(const std::string& distance_unit);
/// True: x and y come from column and row; false: from the payload. Throws PayloadError (scan3d): a mode
/// without x and y in the sensor's coordinates, coordinates that are not Cartesian.
bool places_by_index(const Scan3d& scan3d);

/// The axis in mm. Throws PayloadError (scan3d) where the scale is 0 or not finite, or an offset is not
/// finite.
AxisScale axis_mm(const Scan3d& scan3d, std::size_t axis);

}  // namespace datum::genicam

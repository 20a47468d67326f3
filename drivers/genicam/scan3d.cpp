#include "drivers/genicam/scan3d.h"

#include <fmt/format.h>

#include <cmath>

#include "drivers/genicam/payload_error.h"

namespace datum::genicam {
namespace {

constexpr double mm_per_inch = 25.4;

std::string was(const std::string& name, const std::string& before, const std::string& now) {
  return before == now ? "" : fmt::format("{} was {}, is {}", name, before, now);
}
std::string was(const std::string& name, double before, double now) {
  return before == now ? "" : fmt::format("{} was {}, is {}", name, before, now);
}
std::string mark(const Coordinate& c) { return c.invalid ? fmt::format("{}", *c.invalid) : "none"; }

std::string axis_difference(char letter, const Coordinate& before, const Coordinate& now) {
  for (const std::string& text : {was("Scan3dCoordinateScale", before.scale, now.scale),
                                  was("Scan3dCoordinateOffset", before.offset, now.offset),
                                  was("Scan3dInvalidDataValue", mark(before), mark(now))})
    if (!text.empty()) return fmt::format("coordinate {}: {}", letter, text);
  return "";
}

}  // namespace

std::string difference(const Setup& before, const Setup& now) {
  const Scan3d &b = before.scan3d, &n = now.scan3d;
  for (const std::string& text :
       {was("PixelFormat", before.pixel_format, now.pixel_format),
        was("Width", static_cast<double>(before.width), static_cast<double>(now.width)),
        was("Height", static_cast<double>(before.height), static_cast<double>(now.height)),
        was("Scan3dOutputMode", b.output_mode, n.output_mode),
        was("Scan3dDistanceUnit", b.distance_unit, n.distance_unit),
        was("Scan3dCoordinateSystem", b.coordinate_system, n.coordinate_system),
        was("Scan3dCoordinateSystemReference", b.reference, n.reference),
        axis_difference('A', b.axes[0], n.axes[0]), axis_difference('B', b.axes[1], n.axes[1]),
        axis_difference('C', b.axes[2], n.axes[2])})
    if (!text.empty()) return text;
  return "";
}

double mm_per(const std::string& distance_unit) {
  if (distance_unit == "Millimeter") return 1;
  if (distance_unit == "Inch") return mm_per_inch;
  throw PayloadError(Fault::scan3d,
                     fmt::format("Scan3dDistanceUnit is '{}'; set the camera to Millimeter", distance_unit));
}

bool places_by_index(const Scan3d& s) {
  if (s.coordinate_system != "Cartesian")
    throw PayloadError(
        Fault::scan3d,
        fmt::format("Scan3dCoordinateSystem is '{}'; set the camera to Cartesian", s.coordinate_system));
  if (s.output_mode == "RectifiedC" || s.output_mode == "RectifiedC_Linescan") return true;
  if (s.output_mode == "CalibratedABC_Grid") return false;
  throw PayloadError(Fault::scan3d, fmt::format("Scan3dOutputMode is '{}', which does not say where a pixel "
                                                "lies; set the camera to RectifiedC or CalibratedABC_Grid",
                                                s.output_mode));
}

AxisScale axis_mm(const Scan3d& scan3d, std::size_t axis) {
  const double mm = mm_per(scan3d.distance_unit);
  const Coordinate& c = scan3d.axes.at(axis);
  const AxisScale scale{c.scale * mm, c.offset * mm};
  if (std::isfinite(scale.scale_mm) && scale.scale_mm != 0 && std::isfinite(scale.offset_mm)) return scale;
  throw PayloadError(Fault::scan3d,
                     fmt::format("coordinate {} has scale {} and offset {}", "ABC"[axis], c.scale, c.offset));
}

}  // namespace datum::genicam

#include "drivers/genicam/planes.h"

#include <fmt/format.h>

#include <bit>

#include "drivers/genicam/payload_error.h"

namespace datum::genicam {
namespace {

// Samples are read in place.
static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t most_pixels = std::uint64_t{1} << 28;  // as check() of a HeightFrame

/// Every number below is at most 2^32 x 2^28, so that no product overflows.
void check_size(const Payload& payload, const Part& part, const PixelFormat& format) {
  if (part.size > payload.bytes.size() || part.begin > payload.bytes.size() - part.size)
    throw PayloadError(Fault::out_of_bounds,
                       fmt::format("a part of {} bytes from byte {} on in a payload of {}", part.size,
                                   part.begin, payload.bytes.size()));
  const std::uint64_t pixels = std::uint64_t{part.width} * part.height;
  if (pixels == 0 || pixels > most_pixels)
    throw PayloadError(Fault::size_mismatch, fmt::format("{} x {} pixels", part.width, part.height));
  const std::uint64_t lines = std::uint64_t{part.height} * (format.planar ? format.components() : 1);
  const std::uint64_t needed = pixels * format.pixel_bytes() + lines * part.x_padding + part.y_padding;
  if (needed != part.size)
    throw PayloadError(Fault::size_mismatch,
                       fmt::format("{} x {} pixels of {} are {} bytes and the part has {}", part.width,
                                   part.height, format.name, needed, part.size));
}

/// Component number `index` of a part.
Plane plane_of(const Payload& payload, const Part& part, const PixelFormat& format, std::size_t index) {
  Plane plane;
  plane.sample = format.sample;
  plane.format = format.number;
  plane.pixel_bytes = format.planar ? bytes_of(format.sample) : format.pixel_bytes();
  plane.line_bytes = part.width * plane.pixel_bytes + part.x_padding;
  const std::size_t first =
      format.planar ? index * part.height * plane.line_bytes : index * bytes_of(format.sample);
  plane.bytes = std::span(payload.bytes).subspan(part.begin + first);
  return plane;
}

void put(std::optional<Plane>& place, Plane plane, const char* what) {
  if (place) throw PayloadError(Fault::parts, fmt::format("two parts with {}; enable one", what));
  place = plane;
}

}  // namespace

Planes planes_of(const Payload& payload) {
  Planes planes;
  std::string others;
  for (const Part& part : payload.parts) {
    const PixelFormat* format = pixel_format_of(part.pixel_format);
    if (!format) {
      others += (others.empty() ? "" : ", ") + name_of_format(part.pixel_format);
      continue;
    }
    check_size(payload, part, *format);
    if (planes.rows == 0) {
      planes.rows = part.height;
      planes.cols = part.width;
    }
    if (part.height != planes.rows || part.width != planes.cols)
      throw PayloadError(Fault::parts, fmt::format("parts of {} x {} and of {} x {} pixels", planes.cols,
                                                   planes.rows, part.width, part.height));
    if (format->content == Content::confidence)
      put(planes.confidence, plane_of(payload, part, *format, 0), "confidence");
    if (format->content == Content::intensity)
      put(planes.grey, plane_of(payload, part, *format, 0), "grey values");
    if (format->content != Content::coordinates) continue;
    if (part.x_offset != 0 || part.y_offset != 0)
      throw PayloadError(Fault::scan3d,
                         fmt::format("the region begins at column {}, row {} of the sensor, and where x and "
                                     "y count from is not said then; set OffsetX and OffsetY to 0",
                                     part.x_offset, part.y_offset));
    for (std::size_t i = 0; i < format->components(); ++i)
      put(planes.axes[static_cast<std::size_t>(format->coordinates[i] - 'A')],
          plane_of(payload, part, *format, i), "3D coordinates");
  }
  if (!planes.axes[2])
    throw PayloadError(Fault::pixel_format, "no heights in it" +
                                                (others.empty() ? "" : " (but " + others + ")") +
                                                "; set the camera to Coord3D_C16, C32f or ABC32f");
  return planes;
}

}  // namespace datum::genicam

// One block of a camera: its received parts, and their conversion to a frame. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "drivers/frame/height_frame.h"
#include "drivers/genicam/scan3d.h"

namespace datum::genicam {

struct Part {
  std::uint32_t pixel_format = 0;
  std::uint32_t width = 0, height = 0;
  std::uint32_t x_offset = 0, y_offset = 0;    // of its region on the sensor
  std::uint32_t x_padding = 0, y_padding = 0;  // bytes after each line, and after the last
  std::size_t begin = 0, size = 0;             // bytes of the payload
};

struct Payload {
  std::vector<std::uint8_t> bytes;
  std::vector<Part> parts;
  std::string incomplete;  // missing parts as text; empty: none
  std::uint64_t block_id = 0;
  std::uint64_t timestamp_ns = 0;  // of the camera's clock
};

/// Heights with the axes in mm, x growing with the column and y with the row: 16-bit counts become int32,
/// floats are kept. Marked pixels (in counts; NaN) become no_data, those of confidence 0 low_modulation. A
/// grey image of the same size is included. The caller sets identity and handedness. Throws PayloadError,
/// before memory is allocated for missing pixels.
HeightFrame frame_of(const Payload& payload, const Setup& setup, const std::string& source);

/// Heights as they lie in a payload: 16-bit counts or floats, one after the other, row by row.
struct PlainHeights {
  std::size_t begin = 0;              // byte of the payload
  bool floats = false;                // NaN where there is no height; an infinite one is refused
  std::optional<std::uint16_t> mark;  // of a count without a height
  bool reversed = false;              // the columns of each row
  bool operator==(const PlainHeights&) const = default;
};
/// Where the frame of frame_of has nothing else: describes it without counts and classes. None: another payload, or a
/// refused one.
std::optional<PlainHeights> plain_heights(const Payload& payload, const Setup& setup,
                                          const std::string& source, HeightFrame& frame);
/// Those of a payload of so many bytes that a camera of this setup may send, with the frame's size and axes.
std::optional<PlainHeights> expected_heights(const Setup& setup, std::size_t payload_bytes,
                                             HeightFrame& frame);

}  // namespace datum::genicam

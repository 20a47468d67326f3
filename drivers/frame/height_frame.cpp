#include "drivers/frame/height_frame.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "drivers/frame/frame_error.h"
#include "gpu/core/parallel_for.h"

namespace datum {

const char* name_of(PixelClass c) {
  switch (c) {
    case PixelClass::ok:
      return "OK";
    case PixelClass::no_data:
      return "NO_DATA";
    case PixelClass::sentinel:
      return "SENTINEL";
    case PixelClass::zero_pad:
      return "ZERO_PAD";
    case PixelClass::saturated:
      return "SATURATED";
    case PixelClass::low_modulation:
      return "LOW_MODULATION";
    case PixelClass::shadow:
      return "SHADOW";
    case PixelClass::out_of_range:
      return "OUT_OF_RANGE";
    case PixelClass::seam:
      return "SEAM";
    case PixelClass::speckle:
      return "SPECKLE";
    case PixelClass::unwrap:
      return "UNWRAP";
  }
  return "?";
}

const char* name_of(ClockDomain c) {
  switch (c) {
    case ClockDomain::unknown:
      return "unknown";
    case ClockDomain::sensor:
      return "sensor";
    case ClockDomain::host_monotonic:
      return "host_monotonic";
    case ClockDomain::utc:
      return "utc";
  }
  return "?";
}

double HeightFrame::z_mm(int row, int col) const {
  const std::size_t i =
      static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col);
  return std::visit([&](const auto& v) { return z.at(static_cast<double>(v[i])); }, counts);
}

std::size_t HeightFrame::count_of(PixelClass c) const {
  constexpr std::size_t most =
      255;  // of a block's pixels, so that a byte counts them: a vector has many bytes
  std::size_t all = 0;
  for (std::size_t from = 0; from < classes.size(); from += most) {
    std::uint8_t some = 0;
    for (std::size_t i = from; i < std::min(classes.size(), from + most); ++i)
      some = static_cast<std::uint8_t>(some + (classes[i] == c));
    all += some;
  }
  return all;
}

namespace {

[[noreturn]] void refuse(const HeightFrame& frame, const std::string& what) {
  throw FrameError(frame.source + ": " + what);
}

std::string shortest(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", v);
  return text;
}

void check_size(const HeightFrame& frame) {
  constexpr std::size_t max_pixels = std::size_t{1} << 28;
  if (frame.rows <= 0 || frame.cols <= 0) {
    refuse(frame, "the frame is empty (" + std::to_string(frame.rows) + " rows, " +
                      std::to_string(frame.cols) + " columns)");
  }
  if (frame.size() > max_pixels) refuse(frame, "more than 2^28 pixels");
  const std::size_t counts = std::visit([](const auto& v) { return v.size(); }, frame.counts);
  if (counts != frame.size() || frame.classes.size() != frame.size()) {
    refuse(frame, "rows x columns is " + std::to_string(frame.size()) + " but there are " +
                      std::to_string(counts) + " heights and " + std::to_string(frame.classes.size()) +
                      " validity classes");
  }
  if (!frame.intensity) return;
  const IntensityImage& image = *frame.intensity;
  if (image.rows != frame.rows || image.cols != frame.cols || image.grey.size() != frame.size()) {
    refuse(frame, "the intensity image has " + std::to_string(image.rows) + " x " +
                      std::to_string(image.cols) + " pixels, the height map " + std::to_string(frame.rows) +
                      " x " + std::to_string(frame.cols));
  }
}

void check_axis(const HeightFrame& frame, char axis, const AxisScale& s, int count) {
  const bool usable = std::isfinite(s.scale_mm) && std::isfinite(s.at(count - 1)) &&
                      std::isfinite(s.offset_mm) && (axis == 'z' ? s.scale_mm != 0 : s.scale_mm > 0);
  if (usable) return;
  refuse(frame, std::string("axis ") + axis + " has scale " + shortest(s.scale_mm) + " mm and offset " +
                    shortest(s.offset_mm) +
                    " mm; x and y need a positive scale, z one that is not 0, all finite");
}

void check_text(const HeightFrame& frame, const char* name, const std::string& text, bool needed) {
  if (needed && text.empty()) refuse(frame, std::string("no ") + name);
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (!printable) refuse(frame, std::string("the ") + name + " has a character that is not printable ASCII");
}

void check_heights(const HeightFrame& frame) {
  const auto* heights = std::get_if<std::vector<float>>(&frame.counts);
  if (!heights) return;
  for (std::size_t i = 0; i < heights->size(); ++i) {
    if (frame.classes[i] == PixelClass::ok && !std::isfinite((*heights)[i])) {
      refuse(frame, "row " + std::to_string(i / static_cast<std::size_t>(frame.cols)) + ", column " +
                        std::to_string(i % static_cast<std::size_t>(frame.cols)) +
                        " is classed OK but its height is not finite");
    }
  }
}

}  // namespace

void check_description(const HeightFrame& frame) {
  check_size(frame);
  check_axis(frame, 'x', frame.x, frame.cols);
  check_axis(frame, 'y', frame.y, frame.rows);
  check_axis(frame, 'z', frame.z, 1);
  check_text(frame, "sensor serial number", frame.sensor_serial, true);
  check_text(frame, "frame id", frame.frame_id, true);
  check_text(frame, "unit id", frame.unit_id, false);
  check_text(frame, "job name", frame.job, false);
  check_text(frame, "job hash", frame.job_hash, false);
}

void check(const HeightFrame& frame) {
  check_description(frame);
  check_heights(frame);
}

namespace {

template <class Value>
void reverse_row(const HeightFrame& frame, std::vector<Value>& values, std::size_t row) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row) * frame.cols;
  std::reverse(begin, begin + frame.cols);
}

}  // namespace

void mirror_to_right_handed(HeightFrame& frame, unsigned threads) {
  if (frame.delivered == Handedness::right || frame.mirrored) return;
  frame.early = {};
  std::visit(
      [&](auto& counts) {
        parallel_for(threads, static_cast<std::size_t>(frame.rows), [&](std::size_t row, unsigned) {
          reverse_row(frame, counts, row);
          reverse_row(frame, frame.classes, row);
        });
      },
      frame.counts);
  note_mirrored(frame);
}

void note_mirrored(HeightFrame& frame) {
  for (std::size_t row = 0; frame.intensity && row < static_cast<std::size_t>(frame.rows); ++row)
    reverse_row(frame, frame.intensity->grey, row);
  frame.x.offset_mm = -frame.x.at(frame.cols - 1);
  frame.mirrored = true;
}

}  // namespace datum

#include "drivers/frame/height_frame.h"

#include <algorithm>
#include <cmath>

#include "drivers/frame/frame_error.h"

namespace datum {

const char* name_of(PixelClass c) {
  switch (c) {
    case PixelClass::ok: return "OK";
    case PixelClass::no_data: return "NO_DATA";
    case PixelClass::sentinel: return "SENTINEL";
    case PixelClass::zero_pad: return "ZERO_PAD";
    case PixelClass::saturated: return "SATURATED";
    case PixelClass::low_modulation: return "LOW_MODULATION";
    case PixelClass::shadow: return "SHADOW";
    case PixelClass::out_of_range: return "OUT_OF_RANGE";
    case PixelClass::seam: return "SEAM";
    case PixelClass::speckle: return "SPECKLE";
  }
  return "?";
}

const char* name_of(ClockDomain c) {
  switch (c) {
    case ClockDomain::unknown: return "unknown";
    case ClockDomain::sensor: return "sensor";
    case ClockDomain::host_monotonic: return "host_monotonic";
    case ClockDomain::utc: return "utc";
  }
  return "?";
}

double HeightFrame::z_mm(int row, int col) const {
  const std::size_t i = static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col);
  return std::visit([&](const auto& v) { return z.at(static_cast<double>(v[i])); }, counts);
}

std::size_t HeightFrame::count_of(PixelClass c) const {
  return static_cast<std::size_t>(std::count(classes.begin(), classes.end(), c));
}

void check(const HeightFrame& frame) {
  const auto refuse = [&](const std::string& what) { throw FrameError(frame.source + ": " + what); };
  constexpr std::size_t max_pixels = std::size_t{1} << 28;
  if (frame.rows <= 0 || frame.cols <= 0) {
    refuse("the frame is empty (" + std::to_string(frame.rows) + " rows, " + std::to_string(frame.cols) + " columns)");
  }
  if (frame.size() > max_pixels) refuse("more than 2^28 pixels");
  const std::size_t counts = std::visit([](const auto& v) { return v.size(); }, frame.counts);
  if (counts != frame.size() || frame.classes.size() != frame.size()) {
    refuse("rows x columns is " + std::to_string(frame.size()) + " but there are " + std::to_string(counts) +
           " heights and " + std::to_string(frame.classes.size()) + " validity classes");
  }
  for (const auto& [axis, s] : {std::pair{"x", frame.x}, std::pair{"y", frame.y}, std::pair{"z", frame.z}}) {
    const bool usable = std::isfinite(s.scale_mm) && std::isfinite(s.offset_mm) &&
                        (*axis == 'z' ? s.scale_mm != 0 : s.scale_mm > 0);
    if (!usable) {
      refuse(std::string("axis ") + axis + " has scale " + std::to_string(s.scale_mm) + " mm and offset " +
             std::to_string(s.offset_mm) + " mm; x and y need a positive scale, z one that is not 0");
    }
  }
  if (frame.sensor_serial.empty()) refuse("no sensor serial number");
  if (frame.frame_id.empty()) refuse("no frame id");
  if (frame.intensity) {
    const IntensityImage& image = *frame.intensity;
    if (image.rows != frame.rows || image.cols != frame.cols || image.grey.size() != frame.size()) {
      refuse("the intensity image has " + std::to_string(image.rows) + " x " + std::to_string(image.cols) +
             " pixels, the height map " + std::to_string(frame.rows) + " x " + std::to_string(frame.cols));
    }
  }
}

void mirror_to_right_handed(HeightFrame& frame) {
  if (frame.delivered == Handedness::right || frame.mirrored) return;
  const auto reverse_rows = [&](auto& values) {
    for (int row = 0; row < frame.rows; ++row) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row) * frame.cols;
      std::reverse(begin, begin + frame.cols);
    }
  };
  std::visit(reverse_rows, frame.counts);
  reverse_rows(frame.classes);
  if (frame.intensity) reverse_rows(frame.intensity->grey);
  frame.x.offset_mm = -frame.x.at(frame.cols - 1);
  frame.mirrored = true;
}

}  // namespace datum

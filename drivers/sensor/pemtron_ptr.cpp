#include "drivers/sensor/pemtron_ptr.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/raster.h"

namespace datum {
namespace {

constexpr std::size_t header_bytes = 32;

std::uint32_t little_endian(ByteView bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} | std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at + 2]} << 16 |
         std::uint32_t{bytes[at + 3]} << 24;
}

PixelClass class_of(float height_um) {
  if (height_um == 0.0f) return PixelClass::zero_pad;
  if (height_um == -4000.0f) return PixelClass::sentinel;
  return PixelClass::ok;
}

void read_heights(ByteView file, HeightFrame& frame) {
  std::vector<float> heights(frame.size());
  frame.classes.resize(frame.size());
  for (std::size_t i = 0; i < heights.size(); ++i) {
    heights[i] = std::bit_cast<float>(little_endian(file, header_bytes + 4 * i));
    if (!std::isfinite(heights[i])) {
      const auto cols = static_cast<std::size_t>(frame.cols);
      throw FrameError(fmt::format("{}: row {}, column {} is not finite; the file is damaged", frame.source,
                                   i / cols, i % cols));
    }
    frame.classes[i] = class_of(heights[i]);
  }
  frame.counts = std::move(heights);
}

}  // namespace

HeightFrame read_pemtron_ptr(ByteView file, const SensorProfile& profile, const std::string& frame_id,
                             const std::string& name) {
  const auto refuse = [&](const std::string& what) { throw FrameError(fmt::format("{}: {}", name, what)); };
  if (file.size() < header_bytes)
    refuse(fmt::format("{} bytes; a .ptr file has a header of 32", file.size()));
  const std::uint32_t rows = little_endian(file, 0), cols = little_endian(file, 4);
  for (const auto& [at, expected] : {std::pair{16, 32u}, {20, 1u}, {24, 1u}, {28, 1u}}) {
    const std::uint32_t found = little_endian(file, static_cast<std::size_t>(at));
    if (found != expected)
      refuse(fmt::format("header byte {} starts {}, not {}; this is another layout", at, found, expected));
  }
  check_raster_size(rows, cols, 4, file.size(), name, profile.most_pixels);
  const std::size_t expected = header_bytes + std::size_t{4} * rows * cols;
  if (file.size() != expected) {
    refuse(fmt::format("{} bytes; {} rows x {} columns need exactly {}", file.size(), rows, cols, expected));
  }
  if (!profile.pixel_pitch_mm)
    refuse("a .ptr file does not say its pixel pitch; give it in the sensor profile");
  HeightFrame frame;
  frame.rows = static_cast<int>(rows);
  frame.cols = static_cast<int>(cols);
  frame.x = frame.y = {*profile.pixel_pitch_mm, 0.0};
  frame.z = {0.001, 0.0};
  frame.sensor_serial = profile.serial;
  frame.frame_id = frame_id;
  frame.source = name;
  read_heights(file, frame);
  return frame;
}

}  // namespace datum

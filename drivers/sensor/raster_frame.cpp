#include "drivers/sensor/raster_frame.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "drivers/frame/frame_error.h"

namespace datum {
namespace {

[[noreturn]] void refuse_raster(const std::string& name, const std::string& what) {
  throw FrameError(fmt::format("{}: {}", name, what));
}

Counts counts_of(Samples&& samples, const std::string& name) {
  return std::visit(
      [&](auto&& v) -> Counts {
        using Sample = typename std::decay_t<decltype(v)>::value_type;
        if constexpr (std::is_same_v<Sample, std::uint8_t>) {
          refuse_raster(name, "heights of 8 bits; deliver 16-bit integers or 32-bit floats");
        } else if constexpr (std::is_same_v<Sample, std::uint16_t>) {
          return std::vector<std::int32_t>(v.begin(), v.end());
        } else {
          return std::forward<decltype(v)>(v);
        }
      },
      std::move(samples));
}

void class_integers(HeightFrame& frame, const FrameSidecar& sidecar, std::int64_t min, std::int64_t max,
                    const std::string& name) {
  if (sidecar.invalid.kind == InvalidMark::Kind::none) return;
  if (sidecar.invalid.kind == InvalidMark::Kind::nan) {
    refuse_raster(
        name, "has whole numbers, but invalid_value is \"nan\"; give the number that marks an invalid pixel");
  }
  const std::int64_t mark = sidecar.invalid.value;
  if (mark < min || mark > max) {
    refuse_raster(name, fmt::format("invalid_value {} can't occur in samples of {} to {}", mark, min, max));
  }
  std::visit(
      [&](const auto& counts) {
        for (std::size_t i = 0; i < counts.size(); ++i) {
          if (static_cast<std::int64_t>(counts[i]) == mark) frame.classes[i] = PixelClass::no_data;
        }
      },
      frame.counts);
}

void class_floats(HeightFrame& frame, const std::vector<float>& heights, const FrameSidecar& sidecar,
                  const std::string& name) {
  const bool nan_announced = sidecar.invalid.kind == InvalidMark::Kind::nan;
  const bool has_mark = sidecar.invalid.kind == InvalidMark::Kind::value;
  const auto mark = static_cast<float>(sidecar.invalid.value);
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const float h = heights[i];
    if ((has_mark && h == mark) || (nan_announced && std::isnan(h))) {
      frame.classes[i] = PixelClass::no_data;
    } else if (!std::isfinite(h)) {
      const auto cols = static_cast<std::size_t>(frame.cols);
      refuse_raster(
          name, fmt::format(
                    "row {}, column {} is {}; mark invalid pixels by NaN and say \"invalid_value\": \"nan\"",
                    i / cols, i % cols, std::isnan(h) ? "NaN" : "infinite"));
    }
  }
}

}  // namespace

HeightFrame frame_from_raster(Raster&& heights, const FrameSidecar& sidecar, const std::string& name) {
  HeightFrame frame;
  frame.rows = heights.rows;
  frame.cols = heights.cols;
  frame.x = sidecar.x;
  frame.y = sidecar.y;
  frame.z = sidecar.z;
  frame.delivered = sidecar.handedness;
  frame.sensor_serial = sidecar.sensor_serial;
  frame.frame_id = sidecar.frame_id;
  frame.unit_id = sidecar.unit_id;
  frame.job = sidecar.job_name;
  frame.job_hash = sidecar.job_hash;
  frame.captured = sidecar.captured;
  frame.source = name;
  frame.classes.assign(frame.size(), PixelClass::ok);
  const bool is_unsigned = std::holds_alternative<std::vector<std::uint16_t>>(heights.samples);
  frame.counts = counts_of(std::move(heights.samples), name);
  if (const auto* floats = std::get_if<std::vector<float>>(&frame.counts)) {
    class_floats(frame, *floats, sidecar, name);
  } else if (std::holds_alternative<std::vector<std::int16_t>>(frame.counts)) {
    class_integers(frame, sidecar, INT16_MIN, INT16_MAX, name);
  } else if (is_unsigned) {
    class_integers(frame, sidecar, 0, UINT16_MAX, name);
  } else {
    class_integers(frame, sidecar, INT32_MIN, INT32_MAX, name);
  }
  return frame;
}

IntensityImage intensity_from_raster(Raster&& image, const std::string& name) {
  IntensityImage out{image.rows, image.cols, {}, 8};
  if (const auto* grey8 = std::get_if<std::vector<std::uint8_t>>(&image.samples)) {
    out.grey.assign(grey8->begin(), grey8->end());
  } else if (auto* grey16 = std::get_if<std::vector<std::uint16_t>>(&image.samples)) {
    out.grey = std::move(*grey16);
    out.bits = 16;
  } else {
    refuse_raster(name, "an intensity image has unsigned samples of 8 or 16 bits");
  }
  return out;
}

}  // namespace datum

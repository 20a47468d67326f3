// The parts of a payload by kind: coordinates, confidence, grey values. Pure.
#pragma once

#include <cstring>
#include <optional>
#include <span>

#include "drivers/genicam/payload.h"
#include "drivers/genicam/pixel_format.h"

namespace datum::genicam {

/// Samples of one kind, one per pixel, anywhere in the payload.
struct Plane {
  std::span<const std::uint8_t> bytes;  // from its first sample
  Sample sample = Sample::u16;
  std::size_t pixel_bytes = 0;  // distance between samples of neighbouring pixels
  std::size_t line_bytes = 0;   // distance between lines
  std::uint32_t format = 0;

  template <class T>
  T at(std::size_t row, std::size_t col) const {
    T value;
    std::memcpy(&value, bytes.data() + row * line_bytes + col * pixel_bytes, sizeof value);
    return value;
  }
  /// Calls visit(col, sample) for each pixel of a line. Contiguous samples use a loop that compilers
  /// vectorise.
  template <class T, class Visit>
  void each_of_line(std::size_t row, std::size_t cols, const Visit& visit) const {
    const std::uint8_t* line = bytes.data() + row * line_bytes;
    const auto walk = [&](std::size_t step) {
      for (std::size_t col = 0; col < cols; ++col) {
        T value;
        std::memcpy(&value, line + col * step, sizeof value);
        visit(col, value);
      }
    };
    if (pixel_bytes == sizeof(T)) {
      walk(sizeof(T));
    } else {
      walk(pixel_bytes);
    }
  }
  /// The count as a number, for every sample type.
  double number(std::size_t row, std::size_t col) const {
    switch (sample) {
      case Sample::u8:
        return at<std::uint8_t>(row, col);
      case Sample::u16:
        return at<std::uint16_t>(row, col);
      case Sample::f32:
        break;
    }
    return static_cast<double>(at<float>(row, col));
  }
};

struct Planes {
  std::uint32_t rows = 0, cols = 0;
  std::array<std::optional<Plane>, 3> axes;  // A, B, C; C is always present
  std::optional<Plane> confidence, grey;
};

/// Every sample of every plane lies within the payload. Throws PayloadError.
Planes planes_of(const Payload& payload);

}  // namespace datum::genicam

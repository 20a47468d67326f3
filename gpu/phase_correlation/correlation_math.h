// The arithmetic between the transforms, once for hosts and devices. C++17.
#pragma once

#include "gpu/fft/fft_math.h"

namespace datum::correlation {

/// Phase of image times conjugate reference, weighed. What is even over the image, and slopes of it, are in the bins 0 and
/// 1 to either side along both axes: they say nothing of where it lies.
DATUM_HD fft::Value<fft::ScalarFloat> phase_of(fft::Value<fft::ScalarFloat> image,
                                               fft::Value<fft::ScalarFloat> reference, float gain) {
  const fft::Value<fft::ScalarFloat> q = times(image, reference);
  const float square = ::fmaf(q.re, q.re, q.im * q.im);
  const float weight = square > 1e-30f ? gain / ::sqrtf(square) : 0.f;
  return {q.re * weight, q.im * weight};
}

DATUM_HD float gain_of(float along_x, float along_y, unsigned bin_x, unsigned bin_y, unsigned rows) {
  const bool constant = bin_x <= 1 && (bin_y <= 1 || bin_y == rows - 1);
  return constant ? 0.f : along_x * along_y;
}

/// A place of the surface: highest value, then lowest index.
struct Peak {
  float value;
  std::uint32_t index;
};

/// Is px `index` farther than `lobe` px from px `from`, around the edges?
DATUM_HD bool apart(unsigned index, unsigned from, unsigned cols, unsigned rows, unsigned lobe) {
  const unsigned x = (index % cols - from % cols) & (cols - 1), y = (index / cols - from / cols) & (rows - 1);
  const bool near_x = x <= lobe || cols - x <= lobe, near_y = y <= lobe || rows - y <= lobe;
  return !(near_x && near_y);
}

/// Larger for what comes first.
DATUM_HD std::uint64_t key_of(float value, std::uint32_t index) {
  const std::uint32_t b = bits_of(value), ordered = b & 0x80000000u ? ~b : b | 0x80000000u;
  return static_cast<std::uint64_t>(ordered) << 32 | static_cast<std::uint32_t>(~index);
}
DATUM_HD Peak peak_of(std::uint64_t key) {
  const auto ordered = static_cast<std::uint32_t>(key >> 32);
  return {float_of(ordered & 0x80000000u ? ordered & 0x7FFFFFFFu : ~ordered),
          ~static_cast<std::uint32_t>(key)};
}

}  // namespace datum::correlation

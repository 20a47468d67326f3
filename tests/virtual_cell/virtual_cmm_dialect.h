// Output of devices with one kind of line, polled by one byte, by one line, or free-running. It shares no
// code with the codec that reads it.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace datum {

/// '-' for -0.0, too.
inline char sign_of(double value) { return std::signbit(value) ? '-' : '+'; }

struct VirtualDialect {
  const char* preset;
  char poll_byte;         // answered at once; 0: none
  const char* poll_line;  // answered at its end; empty: none
  bool streams;           // free-running
  std::size_t first_axis, axes;
  /// Lines of a position in mm, of its first `axes` axes.
  std::string (*position)(const std::array<double, 3>& mm, std::size_t first, std::size_t axes);
  const char* error;  // the device's own error mark, with its terminator
};

/// Null for any other preset.
const VirtualDialect* virtual_dialect(const std::string& preset);
/// All presets of virtual-cmm, including those with several kinds of line.
std::vector<std::string> virtual_cmm_presets();

}  // namespace datum

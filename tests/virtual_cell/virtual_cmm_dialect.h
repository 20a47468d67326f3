// Devices that send one kind of line and are asked by one byte or one line, or by nobody: what they send. It
// shares no code with the codec that reads it.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace datum {

/// '-' of -0.0, too.
inline char sign_of(double value) { return std::signbit(value) ? '-' : '+'; }

struct VirtualDialect {
  const char* preset;
  char poll_byte;         // answered at once; 0: none
  const char* poll_line;  // answered at its end; empty: none
  bool streams;           // sends by itself
  std::size_t first_axis, axes;
  /// Lines of a position in mm, of its first `axes` axes.
  std::string (*position)(const std::array<double, 3>& mm, std::size_t first, std::size_t axes);
  const char* error;  // the device's own mark of an error, with its terminator
};

/// Null for a preset that is none of these.
const VirtualDialect* virtual_dialect(const std::string& preset);
/// Every preset that virtual-cmm speaks, these and those with more than one kind of line.
std::vector<std::string> virtual_cmm_presets();

}  // namespace datum

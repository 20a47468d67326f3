// Unsolicited output of a CMM of each preset at a touch. It shares no code with the codec that reads it.
#pragma once

#include <array>
#include <string>

namespace datum {

/// The message of a touch with the probe's centre at position_mm. `contact` false: no contact on the path,
/// which only GRBL reports. Empty for devices without a message, whose operator confirms: every other preset.
/// Throws std::invalid_argument for an unknown preset.
std::string virtual_touch(const std::string& preset, const std::array<double, 3>& position_mm,
                          bool contact = true);

}  // namespace datum

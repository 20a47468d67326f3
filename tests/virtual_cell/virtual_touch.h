// What a CMM of each preset sends by itself when its probe touches. It shares no code with the codec that
// reads it.
#pragma once

#include <array>
#include <string>

namespace datum {

/// The bytes that tell of a touch with the probe's centre at position_mm. `contact` false: the probe went its
/// way and met nothing, which GRBL alone tells. Empty where the device says nothing and its
/// operator does: every other preset. Throws std::invalid_argument for an unknown preset.
std::string virtual_touch(const std::string& preset, const std::array<double, 3>& position_mm,
                          bool contact = true);

}  // namespace datum

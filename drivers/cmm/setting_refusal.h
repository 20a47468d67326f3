// Refusal of a CMM's setting: its name, its value and the allowed range.
#pragma once

#include <fmt/format.h>

#include <string>

#include "drivers/link_error.h"

namespace datum {

[[noreturn]] inline void refuse_setting(const std::string& what) { throw RefusedError("cmm: " + what); }

inline void need_range(const char* name, int value, int min, int max) {
  if (value < min || value > max) {
    refuse_setting(fmt::format("{} = {}; allowed: {} to {}", name, value, min, max));
  }
}

}  // namespace datum

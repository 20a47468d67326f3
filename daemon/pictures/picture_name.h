// Name of a stored result's picture in the folder of pictures.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// "00000017_FAIL.png"
inline std::string picture_name(std::uint64_t sequence, Decision decision) {
  return fmt::format("{:08}_{}.png", sequence, name_of(decision));
}

}  // namespace datum

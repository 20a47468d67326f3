// How the hypotheses of a plane are counted. C++17: CUDA sources include it.
#pragma once

#include <cstdint>

namespace datum {

enum class FitMode : std::uint8_t {
  exact,     // each hypothesis is counted on all points (the multi-plane paper, section II.1)
  screened,  // hypotheses are counted on a subset of about 1024 points; all points are read about once
};

}  // namespace datum

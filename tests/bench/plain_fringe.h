// What one writes first: phase shifting and unwrapping over three periods, pixel by pixel with the standard library.
#pragma once

#include <cstdint>

#include "gpu/fringe_phase/fringe_phase.h"

namespace datum::bench {

/// Pixels [begin, end) of 12 images of bytes, 3 periods of 4 steps, whose beats are those of three_periods(). The
/// compiler may contract and vectorise as it likes.
void plain_fringes(const std::uint8_t* const* images, const FringePattern& pattern,
                   const FringeLimits& limits, std::size_t begin, std::size_t end, FringeClass* classes,
                   float* column_px);

}  // namespace datum::bench

// What a backend does for one component; everything around it is shared.
#pragma once

#include <cstdint>

#include "gpu/component_height/component_height.h"
#include "gpu/component_height/component_height_math.h"

namespace datum::height {

/// Window that holds all runs.
struct Window {
  std::int32_t row = 0, col = 0, rows = 0, cols = 0;
};
Window window_of(const PixelRun* runs, std::uint32_t run_count);

std::size_t pixels_of(const BodyPixels& body);
/// Heights in run order, no_height where there is none.
void quantise_heights(const BodyPixels& body, Isa isa, std::int32_t* nm);
/// Sums over heights, places relative to (row0, col0).
HeightMoments moments(const BodyPixels& body, const std::int32_t* nm, std::int32_t row0, std::int32_t col0,
                      Isa isa);
/// Highest minimum of a complete 3 x 3 patch; counts the complete patches.
std::int32_t opened_maximum(const BodyPixels& body, const std::int32_t* nm, const Window& window,
                            std::uint32_t* patches);

}  // namespace datum::height

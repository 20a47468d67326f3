// Colours of deviations: twenty-one steps from blue (missing material) over a light middle to red (excess material).
// Lightness falls outwards, so that magnitude is visible with any colour vision.
#pragma once

#include <array>
#include <cstddef>

#include "daemon/pictures/color_map.h"

namespace datum {

inline constexpr std::size_t deviation_steps = 21;

/// Step 0 is the most negative one, 10 the middle. In OKLab lightness falls by 0.48 from the middle outwards, chroma
/// rises to 0.18, and hue turns from 215 to 265 degrees and from 85 to 25.
inline constexpr std::array<Rgb, deviation_steps> deviation_colors{{
    {27, 63, 173},   {22, 86, 183},   {26, 107, 191},  {38, 127, 200},  {57, 146, 207},  {79, 164, 214},
    {102, 182, 221}, {128, 199, 228}, {154, 216, 236}, {181, 232, 245}, {224, 226, 222}, {239, 220, 181},
    {230, 200, 154}, {221, 179, 128}, {213, 158, 104}, {205, 136, 81},  {196, 114, 60},  {187, 91, 42},
    {176, 66, 28},   {165, 38, 18},   {148, 0, 21},
}};

inline constexpr Rgb within_color{150, 172, 148};  // inside of a region's tolerance
inline constexpr Rgb no_data_color{92, 92, 100}, edge_color{184, 128, 204}, rim_color{122, 86, 140};

/// Step of a deviation in um; the outermost steps begin at -range_um and range_um, with 19 steps between them.
std::size_t deviation_step(double um, double range_um);
/// Lower limit of step k in um, k from 1 to 20.
double step_begin_um(std::size_t k, double range_um);

}  // namespace datum

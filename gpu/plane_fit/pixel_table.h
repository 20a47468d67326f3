// Tables of the pixels of a board's rings, as the device reads them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpu/core/board_plan.h"

namespace datum {

constexpr std::uint32_t no_pixel = 0xFFFFFFFFu;
/// A sampled quad: row * pitch + col of four pixels; no_pixel after the last pixel of a ring.
using PixelQuad = std::array<std::uint32_t, 4>;

/// Appends the aligned groups of four pixels that a ring touches: index << 4 | which of the four belong to it.
void add_groups(const BoardPlan& plan, const SitePlan& site, std::int32_t pitch,
                std::vector<std::uint32_t>* groups);

/// Whether all pixels of a ring lie inside its bounds half_x and half_y.
bool inside_bounds(const BoardPlan& plan, const SitePlan& site);

/// Appends the quads of a ring that SamplingOrder::by_index samples.
void add_sampled_quads(const BoardPlan& plan, const SitePlan& site, std::int32_t pitch,
                       std::vector<PixelQuad>* quads);

}  // namespace datum

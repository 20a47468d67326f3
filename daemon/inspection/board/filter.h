// A frame's heights freed from noise before they are measured, where the recipe asks for it.
//
// It is no filter of ISO 16610: the recipe's reader keeps it from characteristics that live on single heights, the
// verdict names it with its parameters, and every value carries what the filter did to it as uncertainty.
#pragma once

#include "daemon/inspection/recipe/filter_settings.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"
#include "gpu/diffusion/diffuser.h"

namespace datum {

/// The frame with filtered heights, finer by `filter_steps` than a count of the frame's own (a float frame's: than a
/// um), and the filter's record behind its stages. Classes and identity stay; pixels that are not `ok` take no part.
/// The sum of all heights is kept to the last digit. Throws std::domain_error for heights that span too much: 2^30
/// steps.
HeightFrame filtered(const HeightFrame& frame, const FilterSettings& settings, Diffuser& diffuser);
inline constexpr int filter_steps = 256;

/// What the filter does to a value is known only as far as the same frame tells it unfiltered. Each value of `measured` gets
/// the uncertainty |H - H of raw| / sqrt(3) ("filter") and no less quantisation than the raw one has, and is decided anew:
/// all of the difference may be the filter's bias, and U = 2 u covers it. No value passes that fails unfiltered: its
/// decision is no better than the raw one's. INVALID with the raw one's reason where the raw one is INVALID.
void account_for_filter(BoardVerdict& measured, const BoardVerdict& raw, const Recipe& recipe);

}  // namespace datum

// Denoising of a frame's heights before measurement, if the recipe requests it.
//
// It is not a filter of ISO 16610. The recipe's reader refuses it for characteristics of single heights, the
// verdict names it with its parameters, and every value's uncertainty includes its effect
// (daemon/inspection/METROLOGY.md, S2).
#pragma once

#include "daemon/inspection/recipe/filter_settings.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"
#include "gpu/diffusion/diffuser.h"

namespace datum {

/// The frame with filtered heights, in steps finer by `filter_steps` than a count of the frame (of a float
/// frame: than a um), and with the filter's step record. Classes and identity are kept; pixels that are not
/// `ok` take no part. The sum of all heights is preserved exactly. Throws std::domain_error for heights that
/// span more than 2^30 steps.
HeightFrame filtered(const HeightFrame& frame, const FilterSettings& settings, Diffuser& diffuser);
inline constexpr int filter_steps = 256;

/// Adds the filter's effect, estimated from the unfiltered frame. Each value of `measured` gets the
/// uncertainty term |H - H of raw| / sqrt(3) ("filter"), at least the raw value's quantisation, and a new
/// decision: the difference may be entirely bias of the filter, and U = 2 u covers it. No value passes that
/// fails unfiltered: the decision is never better than the raw one. INVALID with the raw reason where the raw
/// value is INVALID.
void account_for_filter(BoardVerdict& measured, const BoardVerdict& raw, const Recipe& recipe);

}  // namespace datum

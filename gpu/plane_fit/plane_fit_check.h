// What a plane fit refuses, on every backend.
#pragma once

#include <cstddef>

#include "gpu/plane_fit/plane_fit.h"

namespace datum {

/// Throws std::invalid_argument for settings that mean nothing.
void check_settings(const PlaneFitSettings& settings);
/// And for planes with null pointers or half widths that mean nothing.
void check_batch(const PlanePoints* planes, std::size_t count, const PlaneFitSettings& settings);

}  // namespace datum

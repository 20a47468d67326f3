// What every backend refuses before it begins.
#pragma once

#include "gpu/parallel_planes/parallel_planes.h"

namespace datum::parallel {

/// Throws std::invalid_argument as fit_parallel_planes says.
void check(const PlaneSample* samples, std::size_t count, const ParallelSet* sets, std::size_t set_count,
           const ParallelPlanesSettings& settings);

}  // namespace datum::parallel

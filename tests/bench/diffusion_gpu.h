// The rows of bench diffusion that a CUDA device gives.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/diffusion/diffusion.h"

namespace datum::bench {

/// `expected`: what the CPU made of the counts.
void diffusion_gpu_row(const char* name, const std::vector<std::int32_t>& counts, const DiffusionGrid& grid,
                       const DiffusionSettings& settings, const std::vector<std::int32_t>& expected);

}  // namespace datum::bench

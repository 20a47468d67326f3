// The stages of a phase correlation on the CPU.
#pragma once

#include "gpu/phase_correlation/correlation_plan.h"

namespace datum::correlation {

/// Of the windowed image, by columns: bin x, then bin y.
std::vector<std::complex<float>> spectrum_of(const Plan& plan, const float* image, const Backend& backend);

}  // namespace datum::correlation

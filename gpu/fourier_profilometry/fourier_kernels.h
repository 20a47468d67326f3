// The loops that a CPU's instruction set supplies: pairs of rows side by side in lanes.
#pragma once

#include "gpu/core/backend.h"
#include "gpu/fourier_profilometry/fourier_plan.h"

namespace datum::fourier {

/// `rows`: sample i of all pairs at [2 i width], first rows, then second ones; it is used up. Two others as large are
/// scratch, another holds `bins` (4 width of them a bin of the window's blocks). The angle of sample i at [2 i width] of
/// `first` and `second`, the squared amplitude behind it.
struct Work {
  float *rows, *scratch, *bins, *first, *second;
};
struct Kernels {
  std::size_t width;
  void (*phases)(const Plan& plan, Isa isa, const Work& work);
};

/// Throws std::runtime_error where this build carries no loops for the instruction set.
const Kernels& kernels(Isa isa);

}  // namespace datum::fourier

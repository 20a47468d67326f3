// The diffusion paper's question: neighbours through the cache, or through shared memory? Both kernels after its text, float,
// a thread for each voxel of a plane in blocks of side x side, planes by the grid. Not for use in the product.
#pragma once

#include <cstdint>

#include "gpu/diffusion/diffusion.h"

struct CUstream_st;

namespace datum::bench {

enum class Neighbours { cache, shared };

struct PaperDiffusion {
  DiffusionGrid grid;
  float kappa, lambda;
  int side;  // 8, 16 or 32; divides nx and ny
};

/// One iteration, asynchronous. Throws GpuError.
void paper_iteration(CUstream_st* stream, const PaperDiffusion& settings, Neighbours by, const float* from,
                     float* to);

}  // namespace datum::bench

// What differs between the toolkits and the devices that are served: JetPack 5's CUDA 11.4 to 13, Orin to Hopper and Thor.
// C++17.
#pragma once

#include <cuda_runtime.h>

// A parameter that functions may refer to without a copy on every thread's stack.
#if CUDART_VERSION >= 11070
#define DATUM_GRID_CONSTANT __grid_constant__
#else
#define DATUM_GRID_CONSTANT
#endif

namespace datum::cuda {

/// What a block may take on an Orin (compute capability 8.7) and an A100; a Hopper and a Thor have 64 KB more. Where a card
/// has less (8.6 and 8.9: 99 KB) the launch is refused and the CPU does that work.
constexpr unsigned orin_shared_bytes = 163 * 1024;

}  // namespace datum::cuda

// The loops over rows that a CPU's instruction set supplies.
#pragma once

#include <cstdint>

#include "gpu/core/backend.h"
#include "gpu/diffusion/diffusion_math.h"

namespace datum::diffusion {

/// Counts beyond the end of a row may be read, this many.
constexpr std::uint32_t slack = 16;

/// A row with its neighbours along y and z; at a border the row itself, through whose faces nothing passes. Rows are
/// changed in place: what a row needs of the row before comes as flux, what the next will need is left as flux.
struct Row {
  std::int32_t* u;
  const std::int32_t* below;  // y + 1
  const std::int32_t* next;   // z + 1
  std::int32_t* flux_y;       // from y - 1, then to y + 1; nx rounded up to slack
  std::int32_t* flux_z;       // the same along z
  std::uint32_t nx;
};

struct Kernels {
  void (*diffuse)(const Row& row, const Flux& flux);
  /// What passes from `u` to its neighbour `next`, nx counts.
  void (*between)(const std::int32_t* u, const std::int32_t* next, std::int32_t* flux_z, std::uint32_t nx,
                  const Flux& flux);
};

/// `masked`: no_count_32 may be among the counts. Throws std::runtime_error where this build carries no loops for the
/// instruction set.
const Kernels& kernels(Isa isa, Conduction conduction, bool masked);

/// One for each conduction, without and with a mask.
struct KernelTable {
  Kernels of[2][2];
};

}  // namespace datum::diffusion

// The loop over a row of pixels that a CPU's instruction set supplies.
#pragma once

#include "gpu/core/backend.h"
#include "gpu/fringe_phase/fringe_phase_math.h"

namespace datum::fringe {

/// The coefficients of one image row: of cell i, left of it and what is added towards its right end, 8 each.
struct RowCells {
  const float* cells = nullptr;  // nullptr: no heights
  std::uint32_t shift = 0;       // cell_px = 1 << shift
};

struct Rows {
  const Job* job = nullptr;
  const void* const* images = nullptr;  // in the order of the job's periods
  SampleType type = SampleType::u8;
  std::uint32_t width = 0;
  FringeMaps maps;
};

using MeasureRow = void (*)(const Rows& rows, std::uint32_t row, const RowCells& cells);

/// Throws std::runtime_error where this build carries no loops for the instruction set.
MeasureRow measure_row_of(Isa isa);

}  // namespace datum::fringe

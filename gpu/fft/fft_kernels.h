// The loops that a CPU's instruction set supplies: as many rows side by side as it has lanes.
#pragma once

#include "gpu/core/backend.h"
#include "gpu/fft/fft_plan.h"

namespace datum::fft {

enum class Kind { forward, inverse, forward_real, inverse_real };

/// Up to `width` rows. Strides and offsets count words. `points` of the plan: of the complex rows, half of the real ones.
template <class Word>
struct Rows {
  const Plan<Word>* plan;
  Kind kind;
  const Word* in;
  std::size_t in_stride;
  Word* out;
  std::size_t out_stride;
  std::size_t count;
};

template <class Word>
struct Kernels {
  std::size_t width;
  /// Are these rows transformed one after the other, and not side by side?
  bool (*one_by_one)(const Rows<Word>& rows);
  /// `work`: work_size(points) words, on a line of 64 bytes.
  void (*transform)(const Rows<Word>& rows, Word* work);
  /// Lanes side by side: value i of all rows, real parts, then imaginary ones, at [2 i width]. From `data` through `work`
  /// (as large); says where the result is. `from` passes are done already.
  Word* (*transform_lanes)(const Plan<Word>& plan, int from, Word* data, Word* work);
};

/// Two sets of lanes, and a row for lanes that stand for no row.
template <class Word>
std::size_t work_size(const Kernels<Word>& kernels, std::size_t points) {
  return (4 * kernels.width + 4) * (points + 1);
}

/// Throws std::runtime_error where this build carries no loops for the instruction set.
template <class Word>
const Kernels<Word>& kernels(Isa isa);

}  // namespace datum::fft

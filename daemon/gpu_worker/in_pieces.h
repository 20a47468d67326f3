// Long lists in pieces, by several threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "gpu/core/parallel_for.h"

namespace datum {

/// Calls take(from, to) for pieces of a range.
template <class Take>
void in_pieces(unsigned threads, std::size_t count, const Take& take) {
  constexpr std::size_t share = 1 << 14;  // some for each of many threads
  parallel_for(threads, (count + share - 1) / share, [&](std::size_t piece, unsigned) {
    take(piece * share, std::min(count, (piece + 1) * share));
  });
}

}  // namespace datum

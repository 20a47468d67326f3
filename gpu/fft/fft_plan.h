// The roots of unity that a length needs, made once on the host with the same bits on every processor: all backends read
// the same table.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/fft/fft_math.h"

namespace datum::fft {

template <class Word>
struct Plan {
  std::size_t points = 0;
  int passes = 0;
  int radix[most_passes] = {};
  /// Of pass p at root[first[p] + (r - 1) s + k], r from 1 to radix - 1, k < s: root k r of s radix. None for pass 0.
  std::size_t first[most_passes] = {};
  std::vector<Root<Word>> root;
  std::vector<Word> root_re, root_im;  // the same in parts, for lanes
  /// Root k of 2 points, k from 0 to points: for real values.
  std::vector<Root<Word>> half_root;
};

/// Root k of n, each part rounded once; n a multiple of 8.
template <class Word>
Root<Word> root_of(std::size_t k, std::size_t n);

/// `points`: a power of two, at least 8.
template <class Word>
Plan<Word> plan_of(std::size_t points);

}  // namespace datum::fft

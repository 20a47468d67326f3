// Long lists in runs, on several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpu/core/parallel_for.h"

namespace datum {

inline constexpr std::size_t run_length = std::size_t{1} << 14;

inline std::size_t runs_of(std::size_t count, std::size_t length = run_length) {
  return (count + length - 1) / length;
}

/// Calls work(run, from, to) for each run of `length` elements, in no stated order. What a run sums up belongs into variables of its own
/// until its end: neighbours in a list share lines of the cache, and threads that write to one wait for each other.
template <class Work>
void in_runs(unsigned threads, std::size_t count, const Work& work, std::size_t length = run_length) {
  parallel_for(threads, runs_of(count, length), [&](std::size_t run, unsigned) {
    work(run, run * length, std::min(count, (run + 1) * length));
  });
}

}  // namespace datum

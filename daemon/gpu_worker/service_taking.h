// How lists are put into the memory of an order, and how results are taken from one that the worker may still write to: copied, blanked
// for the next order while they are in the cache, and looked at in the copy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "daemon/gpu_worker/service_contradictions.h"
#include "gpu/core/gpu_error.h"
#include "gpu/core/parallel_for.h"

namespace datum {

/// Calls take(from, to) for pieces of a range, by several threads.
template <class Take>
void in_pieces(unsigned threads, std::size_t count, const Take& take) {
  constexpr std::size_t share = 1 << 14;  // some for each of many threads
  parallel_for(threads, (count + share - 1) / share, [&](std::size_t piece, unsigned) {
    take(piece * share, std::min(count, (piece + 1) * share));
  });
}

/// Copies a list to where an order's memory has it, by several threads.
template <class T>
void put_list(std::byte* to, const T* from, std::size_t count, unsigned threads) {
  in_pieces(threads, count, [&](std::size_t first, std::size_t last) {
    std::memcpy(to + first * sizeof *from, static_cast<const void*>(from + first),
                (last - first) * sizeof *from);
  });
}

/// Elements from .. to-1.
template <class T>
void take_piece(T* found, std::size_t from, std::size_t to, T* out) {
  std::memcpy(static_cast<void*>(out + from), found + from, (to - from) * sizeof *out);
  std::memset(static_cast<void*>(found + from), 0xff, (to - from) * sizeof *out);
}

/// The same, blanking a line of each page: a page that is not written again is seen all the same, and most of the writing is saved.
template <class T>
void take_pages(T* found, std::size_t from, std::size_t to, T* out) {
  constexpr std::size_t page = 4096, line = 64;
  const std::size_t bytes = (to - from) * sizeof *out;
  std::memcpy(static_cast<void*>(out + from), found + from, bytes);
  auto* const begin = reinterpret_cast<std::byte*>(found + from);
  for (std::size_t at = 0; at < bytes; at += page) std::memset(begin + at, 0xff, std::min(line, bytes - at));
}

inline void take_sums(FacetSums* found, const FacetRegions& regions, float gate, FacetSums* out) {
  if (!out) return;
  take_piece(found, 0, regions.total.size(), out);
  for (std::size_t r = 0; r < regions.total.size(); ++r)
    if (contradicts(out[r], regions, r, gate))
      throw GpuError("GPU worker: the sums of region " + std::to_string(r) + "'s facets can't be", true);
}

}  // namespace datum

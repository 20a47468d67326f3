// The CPU loops, written once for every lane type. Included by one file per instruction set and by nothing else: the
// unnamed namespace keeps each file's copy to itself.
#pragma once

#include <cstring>

#include "gpu/parallel_planes/parallel_planes_kernels.h"

namespace datum::parallel {
namespace {

inline constexpr int ahead = 2048;  // bytes

/// A row of a tile, filled up with points that are not there.
struct LastRow {
  WeightedPoint point[lanes];

  LastRow(const WeightedPoint* points, std::uint64_t size, const float* centre) {
    for (int i = 0; i < lanes; ++i)
      point[i] = static_cast<std::uint64_t>(i) < size ? points[i]
                                                      : WeightedPoint{centre[0], centre[1], centre[2], 0.f};
  }
};

/// What lanes gathered in some tiles, S::width of them.
template <class S>
struct Gathered {
  typename S::Bits sum[moment_count];

  Gathered() {
    for (auto& s : sum) s = typename S::Bits{};
  }
  void into(SampleSums* sums) const {
    for (int m = 0; m < moment_count; ++m)
      for (int lane = 0; lane < S::width; ++lane) {
        const std::int64_t quanta = sum[m][lane];
        sums->high[m] += quanta >> 32;
        sums->low[m] += quanta & 0xFFFFFFFF;
      }
  }
};

template <class S>
inline void add_tile(const WeightedPoint* points, int full_rows, const WeightedPoint* last_row,
                     const typename S::Edge& edge, const Scale& scale, Gathered<S>* gathered,
                     typename S::Seen* seen) {
  using D = typename S::D;
  D sums[moment_count];
  for (int m = 0; m < moment_count; ++m) sums[m] = S::set(scale.begin[m]);
  D x, y, z, w;
  for (int row = 0; row < full_rows; ++row) {
    // the processor's own prefetch keeps too little on its way: one core reads 1.7 times as fast with this
    const WeightedPoint* const from = points + std::ptrdiff_t{row} * lanes;
    const char* later = reinterpret_cast<const char*>(from) + ahead;
    __builtin_prefetch(later);
    __builtin_prefetch(later + 64);
    S::take(from, edge, &x, &y, &z, &w, seen);
    add_point<S, D>(sums, x, y, z, w);
  }
  if (last_row) {
    S::take(last_row, edge, &x, &y, &z, &w, seen);
    add_point<S, D>(sums, x, y, z, w);
  }
  for (int m = 0; m < moment_count; ++m)
    gathered->sum[m] += S::bits(sums[m]) - S::bits(S::set(scale.begin[m]));
}

template <class S>
void add_tiles(const WeightedPoint* points, std::uint64_t size, const Limits& limits, const Scale& scale,
               SampleSums* sums) {
  constexpr std::uint64_t most = 4096;  // tiles: below 2^63 quanta in a lane
  const typename S::Edge edge(limits);
  typename S::Seen seen;
  for (std::uint64_t first = 0; first < size; first += most * tile) {
    const std::uint64_t end = first + most * tile < size ? first + most * tile : size;
    Gathered<S> gathered[lanes / S::width];
    for (std::uint64_t at = first; at < end; at += tile) {
      const std::uint64_t here = end - at < tile ? end - at : tile;
      const int full = static_cast<int>(here / lanes);
      const std::uint64_t rest = here % lanes;
      const LastRow last(points + at + (here - rest), rest, limits.centre);
      for (int group = 0; group < lanes / S::width; ++group)
        add_tile<S>(points + at + group * S::width, full, rest ? last.point + group * S::width : nullptr,
                    edge, scale, &gathered[group], &seen);
    }
    for (const auto& g : gathered) g.into(sums);
  }
  sums->points += S::points(seen);
  sums->faults |= S::faults(seen, edge);
}

template <class S>
void extremes_of(const WeightedPoint* points, std::uint64_t size, const PlaneFrame& frame,
                 PlaneExtremes* out) {
  for (std::uint64_t i = 0; i < size; ++i) {
    const WeightedPoint& p = points[i];
    if (!(p.w > 0)) continue;
    const double d = distance_of(p, frame.normal, frame.origin);
    if (d < out->lowest) out->lowest = d;
    if (d > out->highest) out->highest = d;
  }
}

template <class S>
constexpr Kernels kernels_of() {
  return {add_tiles<S>, extremes_of<S>};
}

}  // namespace
}  // namespace datum::parallel

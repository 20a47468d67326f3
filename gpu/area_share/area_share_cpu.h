// The steps of share_areas() on a CPU, each for a part of the points or patches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/area_share/area_share.h"
#include "gpu/area_share/area_share_math.h"

namespace datum::area {

/// Where an element is that is wanted soon, for __builtin_prefetch; null beyond the list's end. No function prefetches by itself:
/// to GCC 12 it would have no effect, and its calls are left out.
template <class List>
const void* soon(const List& list, std::size_t i) {
  return i < list.size() ? &list[i] : nullptr;
}

/// Patches of several reaches, and of each the points on its patches.
struct CountedPatches {
  const PatchLists* lists = nullptr;
  std::uint32_t* own = nullptr;
};

/// Puts the points from .. to on their patches. of[i]: point i's patch of the first reach, or no_patch. Several threads may add.
void put_on_patches(const TriangleModel& model, const CountedPatches* reaches, std::size_t reach_count,
                    const JudgedPoints& points, std::size_t from, std::size_t to, std::uint32_t* of);

}  // namespace datum::area

// The ranks of a body's heights beside its residuals: two more digits, the heights above the thresholds, the record.
#pragma once

#include <cstddef>

#include "gpu/component_height/component_height_device.cuh"
#include "gpu/component_height/component_height_take.cuh"

namespace datum::cuda {

/// Part of a body that one block reads twice, the other blocks' counts between. A body has `parts` of them, numbered side
/// by side, and no more than blocks fit the device at once.
struct RankPart {
  std::uint32_t region = 0, first_tile = 0, tiles = 0, parts = 0;
};

struct RankShared {
  std::uint8_t slot_of[first_bins];  // which histogram a first digit leads to
  Targets targets;
  std::uint32_t part;
  int flag;
  unsigned long long block_above[max_top_counts];
  std::int32_t value[max_targets];
  long long sum_above[max_top_counts];
  std::uint32_t above[max_top_counts];
  alignas(8) unsigned char record[sizeof(BodyRecord)];
};
constexpr int rank_shared_bytes = (sizeof(RankShared) + 15) / 16 * 16;
/// Histograms for every target, and the table of second digits.
constexpr int rank_bytes_for(std::uint32_t targets) {
  return rank_shared_bytes + static_cast<int>(targets) * digit_bins * 5;
}

/// The whole block: which part it takes. Numbers are drawn in the order in which blocks begin, so that a block that waits
/// for its body's other parts waits only for blocks that run, or that begin before any of a later body.
__device__ inline std::uint32_t draw_part(const BodyBatch& all, RankShared& s) {
  if (threadIdx.x == 0) {
    s.part = atomicAdd(all.next_part, 1u);
    if (s.part == all.part_count - 1) *all.next_part = 0;  // all are drawn
  }
  __syncthreads();
  return s.part;
}

/// Tiles whose heights a block keeps in registers: two leave room on a multiprocessor for the residuals' kernels.
constexpr std::uint32_t held_tiles = 2;
constexpr int held_heights = held_tiles * row_groups * 4;

/// A thread's heights of some tiles; no_height where a pixel is none.
struct HeldHeights {
  std::int32_t nm[held_heights];

  /// Of tiles `tile` to `end`, as many as are held.
  __device__ void load(const BodyBatch& all, const BodyTask& task, std::uint32_t tile, std::uint32_t end) {
#pragma unroll
    for (std::uint32_t k = 0; k < held_tiles; ++k) {
      const bool there = tile + k < end;
      const std::uint32_t at = there ? tile + k : tile;
      const std::uint32_t mask = there ? all.masks[at * body_threads + threadIdx.x] : 0;
      const std::int32_t* const first =
          task.nm + static_cast<long long>(all.tiles[at].row + row_in_tile(0)) * task.nm_pitch +
          (all.tiles[at].col + col_in_tile());
      const long long step = static_cast<long long>(group_rows) * task.nm_pitch;
#pragma unroll
      for (int p = 0; p < row_groups; ++p) {
        int4 four = make_int4(no_height, no_height, no_height, no_height);
        if ((mask >> 4 * p & 15) != 0) four = *reinterpret_cast<const int4*>(first + p * step);
        std::int32_t* const to = nm + (k * row_groups + p) * 4;
        to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
      }
    }
  }
};

/// The whole block: targets and the table of first digits.
__device__ inline void load_slots(const BodyWork& work, int targets, RankShared& s) {
  std::uint32_t* const words = reinterpret_cast<std::uint32_t*>(s.slot_of);
  for (int i = threadIdx.x; i < first_bins / 4; i += body_threads) words[i] = 0xFFFFFFFFu;
  copy_words(work.targets, &s.targets);
  __syncthreads();
  const int t = threadIdx.x;
  if (t < targets && s.targets.remaining[t] > 0) s.slot_of[s.targets.digits[t]] = s.targets.slot[0][t];
}

/// The whole block: waits until all parts of the body have come here. It ends: see draw_part. A wait of seconds is a
/// fault, after which the device is lost rather than stuck.
__device__ inline void await_parts(unsigned int* arrived, std::uint32_t parts) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned seen = arrive(arrived);
    for (int i = 0; seen < parts; ++i) {
      if (i > 1 << 22) __trap();
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
    }
  }
  __syncthreads();
}

/// The whole block: histograms of global memory into shared memory.
__device__ inline void fetch_bins(const std::uint32_t* from, std::uint32_t histograms, std::uint32_t* bins) {
  static_assert(digit_bins == body_threads);
#pragma unroll 4
  for (std::uint32_t i = 0; i < histograms; ++i)
    bins[i * digit_bins + threadIdx.x] = __ldcg(from + i * digit_bins + threadIdx.x);
  __syncthreads();
}

/// The whole block: one more digit of every target, from the histograms that one digit led to.
__device__ inline void find_second_digits(const std::uint32_t* bins, int targets, RankShared& s) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = warp; i < targets; i += body_warps) {
    const std::uint32_t remaining = s.targets.remaining[i];
    if (remaining == 0) continue;
    const FoundDigit found = find_digit(bins + s.targets.slot[0][i] * digit_bins, remaining);
    __syncwarp();
    if (lane == 0) {
      s.targets.digits[i] = s.targets.digits[i] << 8 | found.digit;
      s.targets.remaining[i] = remaining - found.below;
    }
  }
  __syncthreads();
  if (warp == 0) assign_slots(s.targets, targets, 1);
  __syncthreads();
}

/// Which histograms the first digits of four heights lead to; no_slot: none.
__device__ inline void find_slots(const std::int32_t* nm, unsigned slots_at, std::uint32_t (&slot)[4]) {
#pragma unroll
  for (int k = 0; k < 4; ++k) slot[k] = shared_byte(slots_at + first_digit_of(nm[k]));
}

/// The whole block: counts the second digit of the heights whose first one is a target's. `heights`: the part's
/// first tiles.
__device__ inline void count_second_digit(const BodyBatch& all, const RankPart& part, const BodyTask& task,
                                          std::uint32_t* bins, std::uint32_t* second, RankShared& s,
                                          HeldHeights& heights) {
  const int used = static_cast<int>(s.targets.slots[0]) * digit_bins;
  clear(bins, used);
  __syncthreads();
  const unsigned slots_at = shared_address(s.slot_of), bins_at = shared_address(bins);
  for (std::uint32_t t = 0; t < part.tiles; t += held_tiles) {
    if (t > 0) heights.load(all, task, part.first_tile + t, part.first_tile + part.tiles);
#pragma unroll
    for (int i = 0; i < held_heights; i += 4) {
      std::uint32_t slot[4];
      find_slots(heights.nm + i, slots_at, slot);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const std::uint32_t digit = digits_of(heights.nm[i + k]) >> 8 & 255;
        count_shared(bins_at + (slot[k] * digit_bins + digit) * 4, slot[k] != no_slot);
      }
    }
  }
  __syncthreads();
  add_bins(bins, used, second);
}

static_assert(held_heights / 2 * std::int64_t{max_height_nm} < std::int64_t{1} << 31,
              "a thread's sum overflows");

/// The whole block: counts the last digit of the heights whose first two are a target's, and sums what lies above the
/// thresholds' first two.
__device__ inline void count_last_digit(const BodyBatch& all, const RankPart& part, const BodyTask& task,
                                        std::uint32_t* bins, std::uint32_t* third, BodyWork& work,
                                        RankShared& s, HeldHeights& heights) {
  const Targets& t = s.targets;
  const int targets = targets_of(task), tops = static_cast<int>(task.top_count_count);
  const int pairs = static_cast<int>(t.slots[0]) * digit_bins,
            used = static_cast<int>(t.slots[1]) * digit_bins;
  std::uint8_t* const second_slot = reinterpret_cast<std::uint8_t*>(bins + used);
  clear(bins, used);
  for (int i = threadIdx.x; i < pairs / 4; i += body_threads)
    reinterpret_cast<std::uint32_t*>(second_slot)[i] = 0xFFFFFFFFu;
  if (threadIdx.x < max_top_counts) s.block_above[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < targets && t.remaining[threadIdx.x] > 0)
    second_slot[t.slot[0][threadIdx.x] * digit_bins + (t.digits[threadIdx.x] & 255)] = t.slot[1][threadIdx.x];
  __syncthreads();
  const unsigned slots_at = shared_address(s.slot_of), seconds_at = shared_address(second_slot),
                 bins_at = shared_address(bins);
  for (std::uint32_t at = 0; at < part.tiles; at += held_tiles) {
    if (part.tiles > held_tiles) heights.load(all, task, part.first_tile + at, part.first_tile + part.tiles);
#pragma unroll
    for (int i = 0; i < held_heights; i += 4) {
      std::uint32_t slot[4];
      find_slots(heights.nm + i, slots_at, slot);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const std::uint32_t pair = slot[k] * digit_bins + (digits_of(heights.nm[i + k]) >> 8 & 255);
        const std::uint32_t next = shared_byte(seconds_at + (slot[k] != no_slot ? pair : 0));
        slot[k] = slot[k] != no_slot ? next : no_slot;
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const std::uint32_t digit = digits_of(heights.nm[i + k]) & 255;
        count_shared(bins_at + (slot[k] * digit_bins + digit) * 4, slot[k] != no_slot);
      }
    }
#pragma unroll 1
    for (int k = 0; k < tops; ++k) {
      // the lowest height above the digits found; digits that are not there lie above all heights
      const std::uint32_t digits = min(t.digits[first_top_of(task) + k], 1u << 20);
      const std::int32_t least = static_cast<std::int32_t>((digits + 1) << 8) - max_height_nm;
      int above[2] = {};  // of half of the heights each
#pragma unroll
      for (int i = 0; i < held_heights; ++i) {
        const std::int32_t nm = heights.nm[i];
        above[i % 2] += nm >= least ? nm : 0;
      }
      const long long sum = warp_sum_of_int(above[0]) + warp_sum_of_int(above[1]);
      if (threadIdx.x % 32 == 0 && sum != 0)
        atomicAdd(&s.block_above[k], static_cast<unsigned long long>(sum));
    }
  }
  __syncthreads();
  add_bins(bins, used, third);
  if (threadIdx.x < tops && s.block_above[threadIdx.x] != 0)
    atomicAdd(&work.above[threadIdx.x], s.block_above[threadIdx.x]);
}

/// The last block of a body: every target's height, and of the top counts what lies above theirs. Leaves the
/// histograms to be cleared.
__device__ inline void find_heights(const BodyTask& task, std::uint32_t valid, const std::uint32_t* third,
                                    BodyWork& work, RankShared& s) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, targets = targets_of(task);
  const Targets& t = s.targets;
  for (int i = warp; i < targets; i += body_warps) {
    const int top = i - first_top_of(task);
    const std::uint32_t remaining = t.remaining[i];
    if (remaining == 0) {
      if (lane == 0) {
        s.value[i] = no_height;
        if (top >= 0) {
          s.sum_above[top] = 0;
          s.above[top] = 0;
        }
      }
      continue;
    }
    const std::uint32_t* const bins = third + t.slot[1][i] * digit_bins;
    const FoundDigit found = find_digit(bins, remaining);
    const std::int32_t begin = static_cast<std::int32_t>(t.digits[i] << 8) - max_height_nm;
    if (lane == 0) s.value[i] = begin + static_cast<std::int32_t>(found.digit);
    if (top < 0) continue;
    long long sum = 0;
    for (int k = lane; k < digit_bins; k += 32)
      if (k > static_cast<int>(found.digit)) sum += static_cast<long long>(bins[k]) * (begin + k);
    sum = warp_sum_of_long(sum);
    if (lane == 0) {
      s.sum_above[top] = sum + static_cast<long long>(__ldcg(&work.above[top]));
      const std::uint32_t rank = rank_of_target(task, i, valid);
      s.above[top] = valid - (rank - remaining + found.below + found.here);
    }
  }
}

/// The whole block: all but what the residuals' passes write.
__device__ inline void fill_record(const BodyTask& task, std::uint32_t valid, const BodyWork& work,
                                   RankShared& s) {
  BodyRecord& r = *reinterpret_cast<BodyRecord*>(s.record);
  const int t = threadIdx.x, quantile_values = first_top_of(task);
  // the heights of medians and quantiles lie side by side in the record as well
  static_assert(offsetof(BodyRecord, median_high) ==
                offsetof(BodyRecord, median_low) + sizeof(RankedHeights));
  static_assert(offsetof(BodyRecord, quantiles) == offsetof(BodyRecord, median_high) + sizeof(RankedHeights));
  static_assert(sizeof(RankedHeights) == 3 * sizeof(std::int32_t));
  if (t < quantile_values) reinterpret_cast<std::int32_t*>(&r.median_low)[t] = s.value[t];
  if (t >= 64 && t < 64 + static_cast<int>(task.top_count_count)) {
    const int k = t - 64;
    r.top[k] = TopHeights{s.sum_above[k], s.value[quantile_values + k], s.above[k]};
  }
  if (t == 96) r.sum_nm = static_cast<std::int64_t>(__ldcg(&work.sums[sum_nm]));
  if (t == 128) r.moments = moments_of(work);
  if (t != 160) return;
  r.valid = valid;
  r.present = __ldcg(&work.present);
  r.min_nm = __ldcg(&work.lowest);
  r.max_nm = __ldcg(&work.highest);
  r.row0 = task.row0;
  r.col0 = task.col0;
}

/// The whole block: what the next launch finds.
__device__ inline void reset_sums(BodyWork& work) {
  const int t = threadIdx.x;
  if (t < body_sums) work.sums[t] = 0;
  if (t < max_top_counts) work.above[t] = 0;
  if (t != 0) return;
  work.valid = work.present = 0;
  work.lowest = INT32_MAX;
  work.highest = INT32_MIN;
  work.arrived[second_counted] = work.arrived[third_counted] = 0;
}

/// The whole block, the last of a body: the record, but for what the residuals' passes write.
__device__ inline void write_ranks(const BodyBatch& all, std::uint32_t body, std::uint32_t* second,
                                   std::uint32_t* third, std::uint32_t* bins, RankShared& s) {
  const BodyTask& task = all.tasks[body];
  BodyWork& work = all.work[body];
  const std::uint32_t valid = __ldcg(&work.valid);
  std::uint64_t* const words = reinterpret_cast<std::uint64_t*>(s.record);
  constexpr int words_of_ranks = offsetof(BodyRecord, residuals) / 8,
                word_of_opening = offsetof(BodyRecord, patches) / 8;
  static_assert(offsetof(BodyRecord, residuals) + sizeof(BoxProducts) == sizeof(BodyRecord));
  static_assert(offsetof(BodyRecord, patches) % 8 == 0 &&
                offsetof(BodyRecord, row0) == 8 * word_of_opening + 8);
  static_assert(words_of_ranks <= body_threads);
  const int t = threadIdx.x;
  if (t < words_of_ranks) words[t] = 0;
  fetch_bins(third, s.targets.slots[1], bins);
  find_heights(task, valid, bins, work, s);
  __syncthreads();
  fill_record(task, valid, work, s);
  clear(second, static_cast<int>(s.targets.slots[0]) * digit_bins);
  clear(third, static_cast<int>(s.targets.slots[1]) * digit_bins);
  __syncthreads();
  if (t < words_of_ranks && t != word_of_opening)
    reinterpret_cast<std::uint64_t*>(all.out + body * all.stride)[t] = words[t];
  reset_sums(work);
}

__global__ void __launch_bounds__(body_threads, 4) rank_bodies(const DATUM_GRID_CONSTANT BodyBatch all) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  RankShared& s = *reinterpret_cast<RankShared*>(shared_bytes);
  std::uint32_t* const bins = reinterpret_cast<std::uint32_t*>(shared_bytes + rank_shared_bytes);
  const RankPart part = all.parts[draw_part(all, s)];
  const BodyTask& task = all.tasks[part.region];
  BodyWork& work = all.work[part.region];
  if (all.fits[part.region].status != FitStatus::ok || work.active == 0) return;
  const std::size_t first = static_cast<std::size_t>(part.region) * all.targets * digit_bins;
  std::uint32_t *const second = all.second + first, *const third = all.third + first;
  const int targets = targets_of(task);
  HeldHeights heights;
  heights.load(all, task, part.first_tile, part.first_tile + part.tiles);
  load_slots(work, targets, s);
  count_second_digit(all, part, task, bins, second, s, heights);
  await_parts(&work.arrived[second_counted], part.parts);
  fetch_bins(second, s.targets.slots[0], bins);
  find_second_digits(bins, targets, s);
  count_last_digit(all, part, task, bins, third, work, s, heights);
  if (arrives_last(&work.arrived[third_counted], part.parts, &s.flag))
    write_ranks(all, part.region, second, third, bins, s);
}

}  // namespace datum::cuda

// What follows once a body's sums are known: the other digits of the ranks, residual steps about the top
// plane, the opening, the heights above the thresholds, the record.
#pragma once

#include "gpu/component_height/component_height_device.cuh"
#include "gpu/component_height/component_height_take.cuh"

namespace datum::cuda {

/// Counting the next digit: which histogram a first digit leads to.
struct DigitShared {
  std::uint8_t slot_of[first_bins];
  Targets targets;
  std::int32_t warp_highest[body_warps];
  std::uint32_t warp_patches[body_warps];
  int flag;
};

/// The whole block: loads the targets and the table of first digits. Ends without a barrier.
__device__ inline void load_slots(const BodyWork& work, int targets, int level, DigitShared& s) {
  std::uint32_t* const words = reinterpret_cast<std::uint32_t*>(s.slot_of);
  for (int i = threadIdx.x; i < first_bins / 4; i += body_threads) words[i] = 0xFFFFFFFFu;
  copy_words(work.targets, &s.targets);
  __syncthreads();
  const int t = threadIdx.x;
  if (t < targets && s.targets.remaining[t] > 0)
    s.slot_of[s.targets.digits[t] >> 8 * level] = s.targets.slot[0][t];
}

/// The whole block, the last of a body: one more digit of every target, from the histograms that `level`
/// digits led to.
__device__ inline void find_next_digits(std::uint32_t* histograms, int targets, int level, DigitShared& s) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = warp; i < targets; i += body_warps) {
    const std::uint32_t remaining = s.targets.remaining[i];
    if (remaining == 0) continue;
    const FoundDigit found = find_digit(histograms + s.targets.slot[level][i] * digit_bins, remaining);
    __syncwarp();
    if (lane == 0) {
      s.targets.digits[i] = s.targets.digits[i] << 8 | found.digit;
      s.targets.remaining[i] = remaining - found.below;
    }
  }
  __syncthreads();
  clear(histograms, static_cast<int>(s.targets.slots[level]) * digit_bins);
}

/// Lowest of the 3 x 3 patch whose first pixel is each of the four.
struct Opening {
  std::int32_t highest = no_height;
  std::uint32_t patches = 0;

  __device__ void add(const std::int32_t* nm, long long pitch) {
    std::int32_t lowest[6];
#pragma unroll
    for (int r = 0; r < 3; ++r) {
      const int4 a = *reinterpret_cast<const int4*>(nm + r * pitch);
      const int2 b = *reinterpret_cast<const int2*>(nm + r * pitch + 4);
      const std::int32_t row[6] = {a.x, a.y, a.z, a.w, b.x, b.y};
#pragma unroll
      for (int k = 0; k < 6; ++k) lowest[k] = r == 0 || row[k] < lowest[k] ? row[k] : lowest[k];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const std::int32_t patch = min(min(lowest[k], lowest[k + 1]), lowest[k + 2]);
      patches += patch != no_height;
      highest = max(highest, patch);
    }
  }
};

__device__ inline void add_opening(const Opening& own, DigitShared& s, BodyWork& work) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::uint32_t patches = __reduce_add_sync(0xFFFFFFFFu, own.patches);
  const std::int32_t highest = __reduce_max_sync(0xFFFFFFFFu, own.highest);
  if (lane == 0) {
    s.warp_patches[warp] = patches;
    s.warp_highest[warp] = highest;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint32_t sum = 0;
  std::int32_t most = no_height;
  for (int k = 0; k < body_warps; ++k) {
    sum += s.warp_patches[k];
    most = max(most, s.warp_highest[k]);
  }
  if (sum > 0) {
    atomicAdd(&work.patches, sum);
    atomicMax(&work.opened, most);
  }
}

/// Second pass: the second digit, the residual steps, the opening.
__global__ void __launch_bounds__(body_threads) take_residuals(const DATUM_GRID_CONSTANT BodyBatch all) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  DigitShared& s = *reinterpret_cast<DigitShared*>(shared_bytes);
  std::uint32_t* const bins =
      reinterpret_cast<std::uint32_t*>(shared_bytes + (sizeof(DigitShared) + 15) / 16 * 16);
  const BoxTile tile = all.tiles[blockIdx.x];
  const BodyTask& task = all.tasks[tile.region];
  BodyWork& work = all.work[tile.region];
  if (all.fits[tile.region].status != FitStatus::ok || work.active == 0) return;
  const int targets = targets_of(task);
  const std::uint32_t mask = all.masks[blockIdx.x * body_threads + threadIdx.x];
  const int tile_row = grid_begin(tile.row), col = grid_begin(tile.col) + col_in_tile();
  load_slots(work, targets, 0, s);
  const int used = static_cast<int>(s.targets.slots[0]) * digit_bins;
  clear(bins, used);
  const height::TopPass top = work.top;
  const bool opened = task.opened != 0;
  __syncthreads();
  Opening opening;
#pragma unroll
  for (int p = 0; p < row_groups; ++p) {
    if ((mask >> 4 * p & 15) == 0) continue;
    const int row = tile_row + row_in_tile(p);
    const std::int32_t* const at = task.nm + static_cast<long long>(row) * task.nm_pitch + col;
    const int4 four = *reinterpret_cast<const int4*>(at);
    const std::int32_t nm[4] = {four.x, four.y, four.z, four.w};
    const double top_row = height::top_at_row(top, task.window.row0 + row);
    std::uint16_t step[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      step[i] = packed_step(height::residual_step(top, top_row, task.window.col0 + col + i, nm[i]));
      if (nm[i] == no_height) continue;
      const std::uint32_t digits = digits_of(nm[i]), slot = s.slot_of[digits >> 16];
      if (slot != no_slot) atomicAdd(&bins[slot * digit_bins + (digits >> 8 & 255)], 1u);
    }
    *reinterpret_cast<ushort4*>(task.window.steps + static_cast<long long>(row) * task.window.pitch + col) =
        make_ushort4(step[0], step[1], step[2], step[3]);
    if (opened) opening.add(at, task.nm_pitch);
  }
  if (opened) add_opening(opening, s, work);
  __syncthreads();
  std::uint32_t* const second = all.second + static_cast<std::size_t>(tile.region) * all.targets * digit_bins;
  add_bins(bins, used, second);

  if (!arrives_last(&work.arrived[1], task.tiles, &s.flag)) return;
  if (threadIdx.x == 0) work.arrived[1] = 0;
  find_next_digits(second, targets, 0, s);
  if (threadIdx.x / 32 == 0) assign_slots(s.targets, targets, 1);
  __syncthreads();
  copy_words(s.targets, &work.targets);
}

/// Third pass, where it counts the last digit and sums what lies above the thresholds' first two.
struct LastShared {
  DigitShared digits;
  long long warp_above[body_warps][max_top_counts];
  std::int32_t value[max_targets];
  long long sum_above[max_top_counts];
  std::uint32_t above[max_top_counts];
  alignas(8) unsigned char record[sizeof(BodyRecord)];
};
constexpr int last_shared_bytes = (sizeof(LastShared) + 15) / 16 * 16;

/// The whole block.
__device__ inline void count_last_digit(const BodyBatch& all, const BoxTile& tile, std::uint32_t index,
                                        unsigned char* shared_bytes) {
  LastShared& s = *reinterpret_cast<LastShared*>(shared_bytes);
  const BodyTask& task = all.tasks[tile.region];
  BodyWork& work = all.work[tile.region];
  const int targets = targets_of(task), first_top = first_top_of(task);
  load_slots(work, targets, 1, s.digits);
  const Targets& t = s.digits.targets;
  const int pairs = static_cast<int>(t.slots[0]) * digit_bins,
            used = static_cast<int>(t.slots[1]) * digit_bins;
  std::uint32_t* const bins = reinterpret_cast<std::uint32_t*>(shared_bytes + last_shared_bytes);
  std::uint8_t* const second_slot = reinterpret_cast<std::uint8_t*>(bins + used);
  clear(bins, used);
  for (int i = threadIdx.x; i < pairs / 4; i += body_threads)
    reinterpret_cast<std::uint32_t*>(second_slot)[i] = 0xFFFFFFFFu;
  __syncthreads();
  if (threadIdx.x < targets && t.remaining[threadIdx.x] > 0)
    second_slot[t.slot[0][threadIdx.x] * digit_bins + (t.digits[threadIdx.x] & 255)] = t.slot[1][threadIdx.x];
  __syncthreads();
  std::int32_t own[row_groups][4];
  const std::uint32_t mask = all.masks[index * body_threads + threadIdx.x];
  const int tile_row = grid_begin(tile.row), col = grid_begin(tile.col) + col_in_tile();
#pragma unroll
  for (int p = 0; p < row_groups; ++p) {
    int4 four = make_int4(no_height, no_height, no_height, no_height);
    if ((mask >> 4 * p & 15) != 0) {
      const int row = tile_row + row_in_tile(p);
      four = *reinterpret_cast<const int4*>(task.nm + static_cast<long long>(row) * task.nm_pitch + col);
    }
    own[p][0] = four.x, own[p][1] = four.y, own[p][2] = four.z, own[p][3] = four.w;
  }
#pragma unroll
  for (int p = 0; p < row_groups; ++p) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (own[p][i] == no_height) continue;
      const std::uint32_t digits = digits_of(own[p][i]), slot = s.digits.slot_of[digits >> 16];
      if (slot == no_slot) continue;
      const std::uint32_t next = second_slot[slot * digit_bins + (digits >> 8 & 255)];
      if (next != no_slot) atomicAdd(&bins[next * digit_bins + (digits & 255)], 1u);
    }
  }
#pragma unroll 1
  for (int k = 0; k < static_cast<int>(task.top_count_count); ++k) {
    // the lowest height above the digits found; digits that are not there lie above all heights
    const std::uint32_t digits = min(t.digits[first_top + k], 1u << 20);
    const std::int32_t least = static_cast<std::int32_t>((digits + 1) << 8) - max_height_nm;
    int above = 0;
#pragma unroll
    for (int p = 0; p < row_groups; ++p)
#pragma unroll
      for (int i = 0; i < 4; ++i) above += own[p][i] >= least ? own[p][i] : 0;
    const long long sum = warp_sum_of_int(above);
    if (threadIdx.x % 32 == 0) s.warp_above[threadIdx.x / 32][k] = sum;
  }
  __syncthreads();
  add_bins(bins, used, all.third + static_cast<std::size_t>(tile.region) * all.targets * digit_bins);
  if (threadIdx.x < task.top_count_count) {
    long long sum = 0;
    for (int k = 0; k < body_warps; ++k) sum += s.warp_above[k][threadIdx.x];
    if (sum != 0) atomicAdd(&work.above[threadIdx.x], static_cast<unsigned long long>(sum));
  }
}

/// The last block of a body: every target's height, and of the top counts what lies above theirs. Leaves the
/// histograms to be cleared.
__device__ inline void find_heights(const BodyTask& task, std::uint32_t valid, const std::uint32_t* third,
                                    BodyWork& work, LastShared& s) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, targets = targets_of(task);
  const Targets& t = s.digits.targets;
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
      if (k > static_cast<int>(found.digit)) sum += static_cast<long long>(__ldcg(bins + k)) * (begin + k);
    sum = warp_sum_of_long(sum);
    if (lane == 0) {
      s.sum_above[top] = sum + static_cast<long long>(__ldcg(&work.above[top]));
      const std::uint32_t rank = rank_of_target(task, i, valid);
      s.above[top] = valid - (rank - remaining + found.below + found.here);
    }
  }
}

/// One thread: everything into the record.
__device__ inline void fill_record(const BodyTask& task, std::uint32_t valid, const BodyWork& work,
                                   LastShared& s) {
  BodyRecord& r = *reinterpret_cast<BodyRecord*>(s.record);
  r.sum_nm = static_cast<std::int64_t>(__ldcg(&work.sums[sum_nm]));
  r.valid = valid;
  r.present = __ldcg(&work.present);
  r.min_nm = __ldcg(&work.lowest);
  r.max_nm = __ldcg(&work.highest);
  if (task.opened) {
    r.patches = __ldcg(&work.patches);
    r.opened_max_nm = __ldcg(&work.opened);
  }
  r.row0 = task.row0;
  r.col0 = task.col0;
  r.moments = moments_of(work);
  for (std::uint32_t k = 0; k < task.top_count_count; ++k)
    r.top[k] = TopHeights{s.sum_above[k], s.value[first_top_of(task) + k], s.above[k]};
  const auto three = [&](int i) { return RankedHeights{s.value[i], s.value[i + 1], s.value[i + 2]}; };
  r.median_low = three(0);
  r.median_high = three(3);
  for (std::uint32_t k = 0; k < task.quantile_count; ++k) r.quantiles[k] = three(6 + 3 * k);
  r.residuals.squares = static_cast<std::int64_t>(__ldcg(&work.boxes[0]));
  for (int k = 0; k < 5; ++k) r.residuals.products[k] = static_cast<std::int64_t>(__ldcg(&work.boxes[k + 1]));
}

/// The whole block: what the next launch finds.
__device__ inline void reset(BodyWork& work) {
  const int t = threadIdx.x;
  if (t < body_sums) work.sums[t] = 0;
  if (t < box_sums) work.boxes[t] = 0;
  if (t < max_top_counts) work.above[t] = 0;
  if (t != 0) return;
  work.valid = work.present = work.patches = 0;
  work.lowest = INT32_MAX;
  work.highest = work.opened = INT32_MIN;
  work.arrived[2] = 0;
}

/// Third pass: the first half of the blocks counts the last digit, the second sums the residuals' boxes; whoever is
/// last writes the record.
__global__ void __launch_bounds__(body_threads) finish_bodies(const DATUM_GRID_CONSTANT BodyBatch all) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ int flag;
  const bool boxes = blockIdx.x >= all.box_tiles;
  const std::uint32_t index = boxes ? blockIdx.x - all.box_tiles : blockIdx.x;
  const BoxTile tile = all.tiles[index];
  const BodyTask& task = all.tasks[tile.region];
  BodyWork& work = all.work[tile.region];
  if (all.fits[tile.region].status != FitStatus::ok || work.active == 0) return;
  if (!boxes) {
    count_last_digit(all, tile, index, shared_bytes);
  } else if (work.top.per_nm != 0) {
    BoxShared& s = *reinterpret_cast<BoxShared*>(shared_bytes);
    fetch_steps(task.window, tile, s);
    wait_for_steps();
    add_box_sums(tile, s, work.boxes);
  }
  if (!arrives_last(&work.arrived[2], 2 * task.tiles, &flag)) return;

  LastShared& s = *reinterpret_cast<LastShared*>(shared_bytes);
  std::uint32_t* const third = all.third + static_cast<std::size_t>(tile.region) * all.targets * digit_bins;
  const std::uint32_t valid = __ldcg(&work.valid);
  copy_words(work.targets, &s.digits.targets);
  std::uint64_t* const words = reinterpret_cast<std::uint64_t*>(s.record);
  constexpr int record_words = sizeof(BodyRecord) / 8;
  if (threadIdx.x < record_words) words[threadIdx.x] = 0;
  __syncthreads();
  find_heights(task, valid, third, work, s);
  __syncthreads();
  if (threadIdx.x == 0) fill_record(task, valid, work, s);
  clear(third, static_cast<int>(s.digits.targets.slots[1]) * digit_bins);
  __syncthreads();
  if (threadIdx.x < record_words)
    reinterpret_cast<std::uint64_t*>(all.out + tile.region * all.stride)[threadIdx.x] = words[threadIdx.x];
  reset(work);
}
static_assert(sizeof(BodyRecord) / 8 <= body_threads);

}  // namespace datum::cuda

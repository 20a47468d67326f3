// Device memory of the component heights, and the ranks that are looked for.
#pragma once

#include <cstdint>

#include "gpu/component_height/box_products_device.cuh"
#include "gpu/component_height/component_height_kernels.h"
#include "gpu/component_height/component_height_math.h"
#include "gpu/core/cuda_dialect.cuh"

namespace datum::cuda {

using height::no_height;

constexpr int body_threads = box_threads, body_warps = body_threads / 32;

/// A height is found digit by digit: value + 2^26 is a first digit of 65 um, then two of 8 bits.
constexpr int first_bins = 2304;  // 2^27 / 2^16 + 1 and more
constexpr int digit_bins = 256;
static_assert(first_bins > (2 * max_height_nm >> 16));

/// Ranks of one body: three of each median and quantile, one of each top count.
constexpr int max_targets = 6 + 3 * max_quantiles + max_top_counts;
constexpr std::uint8_t no_slot = 0xFF;

__device__ inline std::uint32_t digits_of(std::int32_t nm) {
  return static_cast<std::uint32_t>(nm + max_height_nm);
}
/// The first digit of a height; of no height one that no height has.
__device__ inline std::uint32_t first_digit_of(std::int32_t nm) {
  return min(digits_of(nm) >> 16, static_cast<std::uint32_t>(first_bins - 1));
}
static_assert(first_bins - 1 > 2 * max_height_nm >> 16);

/// What is known of a body before its pixels are read.
struct BodyTask {
  SiteGrid grid;
  ResidualWindow window;
  std::int32_t* nm = nullptr;       // heights: pixel (row, col) of the window at row * nm_pitch + col
  std::int32_t nm_pitch = 0;        // a multiple of 4; two more rows and columns than the window
  std::int32_t row0 = 0, col0 = 0;  // of the moments
  std::int32_t present_nm = 0;
  std::uint32_t first_tile = 0, tiles = 0;
  double quantiles[max_quantiles] = {};
  std::uint32_t top_counts[max_top_counts] = {};
  std::uint32_t quantile_count = 0, top_count_count = 0, opened = 0;
};

__device__ inline int targets_of(const BodyTask& t) {
  return static_cast<int>(6 + 3 * t.quantile_count + t.top_count_count);
}
__device__ inline int first_top_of(const BodyTask& t) { return static_cast<int>(6 + 3 * t.quantile_count); }

/// Rank of a target among n heights; 0 for a top count of more than there are.
__device__ inline std::uint32_t rank_of_target(const BodyTask& task, int target, std::uint32_t n) {
  const int top = target - first_top_of(task);
  if (top >= 0) {
    const std::uint32_t k = task.top_counts[top];
    return k > n ? 0 : n - k + 1;
  }
  std::uint32_t rank = (n + 1) / 2;
  if (target >= 3) rank = n / 2 + 1;
  if (target >= 6) rank = height::quantile_rank(task.quantiles[target / 3 - 2], n);
  const height::Ranks r = height::ranks_of(rank, n);
  const int which = target % 3;
  return which == 0 ? r.low : which == 1 ? r.rank : r.high;
}

/// Sums over a body's pixels, in the order of the kernels' reductions.
enum BodySum {
  sum_nm,
  sum_c,
  sum_r,
  sum_cc,
  sum_cr,
  sum_rr,
  sum_ch,
  sum_rh,
  sum_hh_high,
  sum_hh_low,
  body_sums
};

/// Where the search for the targets stands. A target that is not there has nothing remaining and the highest
/// digits.
struct Targets {
  std::uint32_t remaining[max_targets];  // rank among the heights that share the digits found
  std::uint32_t digits[max_targets];     // found so far
  std::uint8_t slot[2][max_targets];     // histogram of the next digit: after one digit, after two
  std::uint32_t slots[2];                // distinct ones
};

/// Passes at whose end the blocks of a body arrive.
enum Arrival { heights_taken, boxes_summed, second_counted, third_counted, arrivals };

/// What is found out about a body. Before a launch all sums are 0, the extremes the worst.
struct BodyWork {
  unsigned long long sums[body_sums], boxes[box_sums], above[max_top_counts];
  std::uint32_t valid, present, patches;
  std::int32_t lowest, highest, opened;
  std::uint32_t arrived[arrivals];
  std::uint32_t active;  // the body has heights
  height::TopPass top;
  Targets targets;
};

struct RankPart;

/// One board as the kernels see it.
struct BodyBatch {
  const BodyTask* tasks;
  const BoxTile* tiles;  // of the residual windows
  const std::uint16_t*
      masks;  // body_threads per tile: bit 4 p + i is pixel i of the thread's four in row group p
  BodyWork* work;
  std::uint32_t* first;   // first_bins per body
  std::uint32_t* second;  // targets * digit_bins per body
  std::uint32_t* third;
  const RankPart* parts;
  unsigned int* next_part;  // 0 between two launches
  const PlaneFit* fits;
  unsigned char* out;
  unsigned long long stride;
  std::int32_t pitch;
  std::uint32_t part_count, targets;  // most targets of a body
};

/// A thread's four pixels of row group p of a tile: row and column in the window.
constexpr int row_groups = box_tile_side * box_tile_side / (4 * body_threads),
              group_rows = body_threads * 4 / box_tile_side;
__device__ inline int row_in_tile(int group) {
  return static_cast<int>(threadIdx.x) / 16 + group * group_rows;
}
__device__ inline int col_in_tile() { return static_cast<int>(threadIdx.x) % 16 * 4; }
static_assert(box_tile_side == 64 && row_groups == 4 && group_rows == 16);

/// The whole block: copies plain memory, word by word.
template <class T>
__device__ void copy_words(const T& from, T* to) {
  static_assert(sizeof(T) % 4 == 0);
  const std::uint32_t* const in = reinterpret_cast<const std::uint32_t*>(&from);
  std::uint32_t* const out = reinterpret_cast<std::uint32_t*>(to);
  for (int i = threadIdx.x; i < static_cast<int>(sizeof(T) / 4); i += body_threads) out[i] = in[i];
}

/// The whole block: writes 0 to `count` numbers, a multiple of 4 on 16 bytes.
__device__ inline void clear(std::uint32_t* bins, int count) {
  for (int i = 4 * threadIdx.x; i < count; i += 4 * body_threads)
    *reinterpret_cast<uint4*>(bins + i) = make_uint4(0, 0, 0, 0);
}
/// The whole block: adds what is counted in shared memory to global memory; `count` as above.
__device__ inline void add_bins(const std::uint32_t* bins, int count, std::uint32_t* to) {
  for (int i = 4 * threadIdx.x; i < count; i += 4 * body_threads) {
    const uint4 four = *reinterpret_cast<const uint4*>(bins + i);
    if (four.x > 0) atomicAdd(to + i, four.x);
    if (four.y > 0) atomicAdd(to + i + 1, four.y);
    if (four.z > 0) atomicAdd(to + i + 2, four.z);
    if (four.w > 0) atomicAdd(to + i + 3, four.w);
  }
}

// Shared memory by address, without branches: the compiler makes the address of a reference again for every pixel, and
// keeps a branch's pixels from waiting side by side.
__device__ inline std::uint32_t shared_byte(unsigned at) {
  unsigned v;
  asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v) : "r"(at));
  return v;
}
/// Adds `n` where `wanted`.
__device__ inline void count_shared(unsigned at, bool wanted, std::uint32_t n = 1) {
  asm volatile(
      "{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, %2, 0;\n\t@wanted red.shared.add.u32 [%0], %1;\n\t}" ::
          "r"(at),
      "r"(n), "r"(static_cast<unsigned>(wanted)));
}

/// Sum over a warp of any 64-bit number.
__device__ inline long long warp_sum_of_long(long long v) {
  const unsigned low = __reduce_add_sync(0xFFFFFFFFu, static_cast<unsigned>(v) & 0xFFFFFFu);
  const unsigned middle = __reduce_add_sync(0xFFFFFFFFu, static_cast<unsigned>(v >> 24) & 0xFFFFFFu);
  const int high = __reduce_add_sync(0xFFFFFFFFu, static_cast<int>(v >> 48));
  return (static_cast<long long>(high) << 48) + (static_cast<long long>(middle) << 24) + low;
}

/// Sum over the lanes up to this one.
__device__ inline std::uint32_t scan_warp(std::uint32_t v) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t from = __shfl_up_sync(0xFFFFFFFFu, v, step);
    if (lane >= step) v += from;
  }
  return v;
}

/// A warp: equal digits share a histogram. `level` 0 after one digit, 1 after two.
__device__ inline void assign_slots(Targets& t, int targets, int level) {
  static_assert(max_targets <= 64, "a lane has two targets");
  constexpr unsigned all = 0xFFFFFFFFu;
  constexpr std::uint32_t none = 0xFFFFFFFFu;
  const int lane = threadIdx.x % 32;
  const auto digits_at = [&](int i) { return i < targets && t.remaining[i] > 0 ? t.digits[i] : none; };
  const std::uint32_t low = digits_at(lane), high = digits_at(lane + 32);
  const unsigned same_low = __match_any_sync(all, low), same_high = __match_any_sync(all, high);
  unsigned earlier = 0;  // targets below 32 with the digits of the lane's second one
  for (int k = 0; k < targets - 32; ++k) {
    const unsigned same = __ballot_sync(all, low == __shfl_sync(all, high, k));
    if (lane == k) earlier = same;
  }
  const auto below = [](int n) { return (1u << n) - 1; };
  const int first_low = __ffs(static_cast<int>(same_low)) - 1,
            first_high = __ffs(static_cast<int>(same_high)) - 1;
  const unsigned low_leads = __ballot_sync(all, low != none && first_low == lane);
  const unsigned high_leads = __ballot_sync(all, high != none && earlier == 0 && first_high == lane);
  const int high_slot = earlier ? __popc(low_leads & below(__ffs(static_cast<int>(earlier)) - 1))
                                : __popc(low_leads) + __popc(high_leads & below(first_high));
  if (lane < targets)
    t.slot[level][lane] =
        low == none ? no_slot : static_cast<std::uint8_t>(__popc(low_leads & below(first_low)));
  if (lane + 32 < targets)
    t.slot[level][lane + 32] = high == none ? no_slot : static_cast<std::uint8_t>(high_slot);
  if (lane == 0) t.slots[level] = __popc(low_leads) + __popc(high_leads);
}

/// A warp: the digit at which `remaining` heights of a histogram in shared memory are reached. `below` and `here`: heights
/// before it and in it.
struct FoundDigit {
  std::uint32_t digit, below, here;
};
__device__ inline FoundDigit find_digit(const std::uint32_t* bins, std::uint32_t remaining) {
  const unsigned lane = threadIdx.x % 32;
  const uint4* const from = reinterpret_cast<const uint4*>(bins) + 2 * lane;
  const uint4 a = from[0], b = from[1];
  const std::uint32_t own[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  std::uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += own[k];
  std::uint32_t before = scan_warp(sum) - sum;
  const bool mine = before < remaining && remaining <= before + sum;
  FoundDigit found{0, 0, 0};
  if (mine) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      if (before < remaining && remaining <= before + own[k])
        found = FoundDigit{8 * lane + k, before, own[k]};
      before += own[k];
    }
  }
  const int owner = __ffs(__ballot_sync(0xFFFFFFFFu, mine)) - 1;
  found.digit = __shfl_sync(0xFFFFFFFFu, found.digit, owner & 31);
  found.below = __shfl_sync(0xFFFFFFFFu, found.below, owner & 31);
  found.here = __shfl_sync(0xFFFFFFFFu, found.here, owner & 31);
  return found;
}

}  // namespace datum::cuda

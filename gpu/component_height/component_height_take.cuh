// First pass over the bodies: pixels to heights, their sums, and the first digit of every rank that is looked
// for.
#pragma once

#include "gpu/component_height/component_height_device.cuh"

namespace datum::cuda {

/// Four counts beside each other.
template <class Count>
struct CountQuad;
template <>
struct CountQuad<std::int16_t> {
  using Type = short4;
};
template <>
struct CountQuad<std::int32_t> {
  using Type = int4;
};
template <>
struct CountQuad<float> {
  using Type = float4;
};

__device__ inline bool is_missing(std::int16_t c) { return c == no_count_16; }
__device__ inline bool is_missing(std::int32_t c) { return c == no_count_32; }
__device__ inline bool is_missing(float) { return false; }  // NaN stays NaN

struct TakeShared {
  std::uint32_t bins[first_bins];
  long long warp_sums[body_warps][body_sums];
  std::uint32_t warp_valid[body_warps], warp_present[body_warps];
  std::int32_t warp_lowest[body_warps], warp_highest[body_warps];
  height::FloorPass floor;
  int flag;
};

/// Counts the first digits of four neighbours in shared memory. They mostly share it, so those of the highest are added
/// at once.
__device__ inline void count_first_digits(const std::int32_t (&nm)[4], unsigned bins) {
  const std::uint32_t digit = first_digit_of(max(max(nm[0], nm[1]), max(nm[2], nm[3])));
  std::uint32_t same = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t own = first_digit_of(nm[i]);
    const bool measured = nm[i] != no_height;
    same += measured && own == digit;
    count_shared(bins + 4 * own, measured && own != digit);
  }
  count_shared(bins + 4 * digit, same != 0, same);
}

/// Sums of one thread: 16 pixels within 2^12 of the middle, heights up to 2^26.
struct TakeSums {
  int valid = 0, present = 0, lowest = INT32_MAX, highest = INT32_MIN;
  int h = 0, c = 0, r = 0, cc = 0, cr = 0, rr = 0;
  long long ch = 0, rh = 0, hh = 0;

  /// Four pixels of a row from column `col`, both from the middle.
  __device__ void add(const std::int32_t (&nm)[4], int row, int col, int present_nm) {
    int n = 0, row_c = 0, row_h = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool measured = nm[i] != no_height;
      const int at = measured ? col + i : 0, height = measured ? nm[i] : 0;
      n += measured;
      row_c += at;
      row_h += height;
      cc += at * at;
      ch += static_cast<long long>(at) * height;
      hh += static_cast<long long>(height) * height;
      present += nm[i] > present_nm;  // no_height lies below all
      lowest = min(lowest, measured ? nm[i] : INT32_MAX);
      highest = max(highest, nm[i]);
    }
    valid += n;
    c += row_c;
    h += row_h;
    r += row * n;
    rr += row * row * n;
    cr += row * row_c;
    rh += static_cast<long long>(row) * row_h;
  }
};

/// The whole block: adds the threads' sums to the body's.
__device__ inline void add_sums(const TakeSums& own, TakeShared& s, BodyWork& work) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr unsigned all = 0xFFFFFFFFu;
  const std::uint32_t valid = __reduce_add_sync(all, static_cast<unsigned>(own.valid));
  const std::uint32_t present = __reduce_add_sync(all, static_cast<unsigned>(own.present));
  const std::int32_t lowest = __reduce_min_sync(all, own.lowest),
                     highest = __reduce_max_sync(all, own.highest);
  const int ints[6] = {own.h, own.c, own.r, own.cc, own.cr, own.rr};
  const BodySum of_ints[6] = {sum_nm, sum_c, sum_r, sum_cc, sum_cr, sum_rr};
#pragma unroll
  for (int k = 0; k < 6; ++k) {
    const long long sum = warp_sum_of_int(ints[k]);
    if (lane == 0) s.warp_sums[warp][of_ints[k]] = sum;
  }
  const long long ch = warp_sum_of_long(own.ch), rh = warp_sum_of_long(own.rh), hh = warp_sum_of_long(own.hh);
  if (lane == 0) {
    s.warp_sums[warp][sum_ch] = ch;
    s.warp_sums[warp][sum_rh] = rh;
    s.warp_sums[warp][sum_hh_high] = hh >> 32;
    s.warp_sums[warp][sum_hh_low] = hh & 0xFFFFFFFF;
    s.warp_valid[warp] = valid;
    s.warp_present[warp] = present;
    s.warp_lowest[warp] = lowest;
    s.warp_highest[warp] = highest;
  }
  __syncthreads();
  const int t = threadIdx.x;
  if (t < body_sums) {
    long long sum = 0;
    for (int k = 0; k < body_warps; ++k) sum += s.warp_sums[k][t];
    if (sum != 0) atomicAdd(&work.sums[t], static_cast<unsigned long long>(sum));
  } else if (t == 32) {
    std::uint32_t sum = 0;
    for (int k = 0; k < body_warps; ++k) sum += s.warp_valid[k];
    if (sum > 0) atomicAdd(&work.valid, sum);
  } else if (t == 64) {
    std::uint32_t sum = 0;
    for (int k = 0; k < body_warps; ++k) sum += s.warp_present[k];
    if (sum > 0) atomicAdd(&work.present, sum);
  } else if (t == 96) {
    std::int32_t least = INT32_MAX;
    for (int k = 0; k < body_warps; ++k) least = min(least, s.warp_lowest[k]);
    atomicMin(&work.lowest, least);
  } else if (t == 128) {
    std::int32_t most = INT32_MIN;
    for (int k = 0; k < body_warps; ++k) most = max(most, s.warp_highest[k]);
    atomicMax(&work.highest, most);
  }
}

/// Sums that make the top plane, as a record names them.
struct PlaceSums {
  std::int64_t sum_nm;
  std::uint32_t valid;
  std::int32_t row0, col0;
  HeightMoments moments;
};

__device__ inline HeightMoments moments_of(const BodyWork& work) {
  const auto sum = [&](BodySum k) { return static_cast<std::int64_t>(__ldcg(&work.sums[k])); };
  HeightMoments m;
  m.c = sum(sum_c);
  m.r = sum(sum_r);
  m.cc = sum(sum_cc);
  m.cr = sum(sum_cr);
  m.rr = sum(sum_rr);
  m.ch = sum(sum_ch);
  m.rh = sum(sum_rh);
  m.hh_high = sum(sum_hh_high);
  m.hh_low = sum(sum_hh_low);
  height::fold_carry(&m);
  return m;
}

/// A warp: the pass over the residuals about the top plane.
__device__ inline void find_top(const BodyTask& task, std::uint32_t valid, BodyWork& work) {
  PlaceSums sums;
  sums.sum_nm = static_cast<std::int64_t>(__ldcg(&work.sums[sum_nm]));
  sums.valid = valid;
  sums.row0 = task.row0;
  sums.col0 = task.col0;
  sums.moments = moments_of(work);
  const int lane = threadIdx.x % 32;
  const double own = height::top_sum(sums, lane < height::top_sums ? lane : height::top_mean_h);
  double all[height::top_sums];
#pragma unroll
  for (int i = 0; i < height::top_sums; ++i) all[i] = __shfl_sync(0xFFFFFFFFu, own, i);
  double variance = 0;
  const TopPlane plane = height::top_plane_of(all, valid, task.row0, task.col0, &variance);
  const height::TopPass pass = height::top_pass(plane, all[height::top_mean_h], task.row0, task.col0);
  if (lane == 0) work.top = pass;
}

/// Number of a sum over the lanes up to each that first reaches `wanted`; the last one where none does.
__device__ inline int lane_that_reaches(std::uint32_t up_to_lane, std::uint32_t wanted) {
  int lane = 0;
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    if (__shfl_sync(0xFFFFFFFFu, up_to_lane, lane + step - 1) < wanted) lane += step;
  return lane;
}

/// A warp: the ranks of a body and the first digit of each; leaves the histogram 0. Only the digits between the lowest
/// and the highest height's are looked at, `bins` of shared memory at a time.
__device__ inline void find_first_digits(const BodyTask& task, std::uint32_t valid, std::uint32_t* first,
                                         std::uint32_t* bins, BodyWork& work) {
  constexpr int lane_bins = 8, chunk = 32 * lane_bins;
  static_assert(first_bins % 4 == 0 && max_targets <= 64, "a lane has two targets");
  const int lane = threadIdx.x % 32, targets = targets_of(task);
  const int begin = static_cast<int>(first_digit_of(__ldcg(&work.lowest))) / 4 * 4;
  const int last = static_cast<int>(first_digit_of(__ldcg(&work.highest)));
  std::uint32_t ranks[2] = {}, before = 0;
  Targets& t = work.targets;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int i = lane + 32 * k;
    if (i >= targets) continue;
    ranks[k] = rank_of_target(task, i, valid);
    t.remaining[i] = 0;
    t.digits[i] = 0xFFFFFFFFu;
  }
  for (int base = begin; base <= last; base += chunk) {
    std::uint32_t sum = 0;
#pragma unroll
    for (int at = lane_bins * lane; at < lane_bins * (lane + 1); at += 4) {
      uint4 four = make_uint4(0, 0, 0, 0);
      if (base + at < first_bins) {
        four = __ldcg(reinterpret_cast<const uint4*>(first + base + at));
        *reinterpret_cast<uint4*>(first + base + at) = make_uint4(0, 0, 0, 0);
      }
      *reinterpret_cast<uint4*>(bins + at) = four;
      sum += (four.x + four.y) + (four.z + four.w);
    }
    __syncwarp();
    const std::uint32_t up_to_lane = scan_warp(sum), all = __shfl_sync(0xFFFFFFFFu, up_to_lane, 31);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      std::uint32_t left = ranks[k] - before;
      const bool here = ranks[k] > before && left <= all;
      const int owner = lane_that_reaches(up_to_lane, here ? left : 0);
      const std::uint32_t up_to_owner = __shfl_sync(0xFFFFFFFFu, up_to_lane - sum, owner);
      if (!here) continue;
      left -= up_to_owner;
      int bin = lane_bins * owner;
      for (; left > bins[bin]; ++bin) left -= bins[bin];
      t.remaining[lane + 32 * k] = left;
      t.digits[lane + 32 * k] = static_cast<std::uint32_t>(base + bin);
    }
    before += all;
    __syncwarp();
  }
  assign_slots(t, targets, 0);
}

/// The whole block: a record without heights.
__device__ inline void write_empty(const BodyBatch& all, std::uint32_t body) {
  std::uint64_t* const out = reinterpret_cast<std::uint64_t*>(all.out + body * all.stride);
  for (int i = threadIdx.x; i < static_cast<int>(sizeof(BodyRecord) / 8); i += body_threads) out[i] = 0;
}
static_assert(sizeof(BodyRecord) % 8 == 0, "records are written in words of 8 bytes");

/// The last block of a body: what the next pass needs, by two warps beside each other. A call, so that its registers are
/// not those of the pass over the pixels.
__device__ __noinline__ void prepare_residuals(const BodyBatch& all, std::uint32_t body, TakeShared& s) {
  const BodyTask& task = all.tasks[body];
  BodyWork& work = all.work[body];
  const std::uint32_t valid = __ldcg(&work.valid);
  if (threadIdx.x == 0) {
    work.arrived[heights_taken] = 0;
    work.active = valid > 0;
  }
  if (valid == 0) return write_empty(all, body);
  if (threadIdx.x / 32 == 0)
    find_first_digits(task, valid, all.first + static_cast<std::size_t>(body) * first_bins, s.bins, work);
  if (threadIdx.x / 32 == 1) find_top(task, valid, work);
}

template <class Count>
__global__ void __launch_bounds__(body_threads, 4)
    take_heights(const DATUM_GRID_CONSTANT BodyBatch all, const Count* image) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  TakeShared& s = *reinterpret_cast<TakeShared*>(shared_bytes);
  using Four = typename CountQuad<Count>::Type;
  const BoxTile tile = all.tiles[blockIdx.x];
  const BodyTask& task = all.tasks[tile.region];
  BodyWork& work = all.work[tile.region];
  if (all.fits[tile.region].status != FitStatus::ok) {
    if (blockIdx.x == task.first_tile) write_empty(all, tile.region);
    return;
  }
  const std::uint32_t mask = all.masks[blockIdx.x * body_threads + threadIdx.x];
  const int tile_row = tile.row, col = tile.col + col_in_tile();
  const std::int32_t frame_row = task.window.row0, frame_col = task.window.col0;
  const AxisToUm axis = task.grid.z;
  const std::int32_t row0 = task.row0, col0 = task.col0, present_nm = task.present_nm,
                     nm_pitch = task.nm_pitch;
  std::int32_t* const nm_at = task.nm + static_cast<long long>(tile_row + row_in_tile(0)) * nm_pitch + col;
  Four raw[row_groups];
#pragma unroll
  for (int p = 0; p < row_groups; ++p) {
    // no branch: where a group has no pixel the frame's first ones are read
    const long long row = frame_row + tile_row + row_in_tile(p);
    const long long at = (mask >> 4 * p & 15) != 0 ? row * all.pitch + (frame_col + col) : 0;
    raw[p] = *reinterpret_cast<const Four*>(image + at);
  }
  clear(s.bins, first_bins);
  if (threadIdx.x == 0) {
    const PlaneFit& fit = all.fits[tile.region];
    s.floor = height::floor_pass(task.grid.x, task.grid.y, fit.a, fit.b, fit.c);
  }
  __syncthreads();
  const height::FloorPass floor = s.floor;
  const unsigned bins_at = shared_address(s.bins);
  TakeSums sums;
#pragma unroll
  for (int p = 0; p < row_groups; ++p) {
    const std::uint32_t own = mask >> 4 * p & 15;
    if (own == 0) continue;
    const int row = tile_row + row_in_tile(p);
    const Count counts[4] = {raw[p].x, raw[p].y, raw[p].z, raw[p].w};
    const double floor_row = height::floor_at_row(floor, frame_row + row);
    std::int32_t nm[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool none = (own >> i & 1) == 0 || is_missing(counts[i]);
      const std::int32_t v = height::height_nm(floor, floor_row, frame_col + col + i, um_of(axis, counts[i]));
      nm[i] = none ? no_height : v;
    }
    count_first_digits(nm, bins_at);
    sums.add(nm, frame_row + row - row0, frame_col + col - col0, present_nm);
    *reinterpret_cast<int4*>(nm_at + static_cast<long long>(p * group_rows) * nm_pitch) =
        make_int4(nm[0], nm[1], nm[2], nm[3]);
  }
  add_sums(sums, s, work);
  std::uint32_t* const first = all.first + static_cast<std::size_t>(tile.region) * first_bins;
  add_bins(s.bins, first_bins, first);

  if (arrives_last(&work.arrived[heights_taken], task.tiles, &s.flag)) prepare_residuals(all, tile.region, s);
}

}  // namespace datum::cuda

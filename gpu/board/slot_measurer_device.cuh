// What surrounds a board's measurement on the device: pixels out of the slot, records into the host's memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/board/frame_pieces.h"
#include "gpu/board/site_record.h"

namespace datum::cuda {

constexpr int copy_threads = 256, copies_per_thread = 4;
static_assert(sizeof(uint4) == piece_bytes);

/// Longest wait of one gathering for another, in clock cycles: about a millisecond. It decides an order, not a result.
constexpr long long gather_timeout = 2'000'000;

/// Device memory: blocks of the first gathering of a board that are done.
struct Turn {
  std::uint32_t* done;
  std::uint32_t after;  // begin once so many are; 0: this is the first
};

/// Copies pieces of a frame to the same places of another. Each thread has several reads under way: one takes more than
/// a microsecond over PCIe.
__global__ void __launch_bounds__(copy_threads)
    gather(const uint4* __restrict__ frame, const std::uint32_t* __restrict__ pieces, std::uint32_t count,
           uint4* __restrict__ image, Turn turn) {
  if (turn.after > 0) {
    if (threadIdx.x == 0) {
      const volatile std::uint32_t* const done = turn.done;
      for (const long long begin = clock64(); *done < turn.after && clock64() - begin < gather_timeout;) {
      }
    }
    __syncthreads();
  }
  const std::size_t step = std::size_t{gridDim.x} * copy_threads;
  std::size_t next = std::size_t{blockIdx.x} * copy_threads + threadIdx.x;
  for (; next < count; next += copies_per_thread * step) {
    std::uint32_t at[copies_per_thread] = {};
    uint4 piece[copies_per_thread] = {};
#pragma unroll
    for (int k = 0; k < copies_per_thread; ++k)
      if (next + k * step < count) at[k] = pieces[next + k * step];
#pragma unroll
    for (int k = 0; k < copies_per_thread; ++k)
      if (next + k * step < count) piece[k] = frame[at[k]];
#pragma unroll
    for (int k = 0; k < copies_per_thread; ++k)
      if (next + k * step < count) image[at[k]] = piece[k];
  }
  if (turn.after > 0) return;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(turn.done, 1u);
}

/// What the host waits for, in mapped memory. Written last.
struct Answer {
  std::uint32_t boards;     // measured since the last prepare()
  std::uint32_t timed_out;  // the last one took the planes too long: its records are not to be used
};

/// Device memory.
struct Tally {
  std::uint32_t blocks_done, boards, rings_done;
};

struct Publication {
  const uint4* fits;     // of PlaneFit
  const uint4* records;  // of SiteRecord, without their fits
  const std::uint32_t* needs_cpu;
  const unsigned int* timed_out;
  std::uint32_t sites;
  uint4* host_records;
  std::uint32_t* host_needs_cpu;
  Answer* answer;
  Tally* tally;
};

constexpr std::size_t record_text = sizeof(SiteRecord) / sizeof(uint4),
                      fit_words = sizeof(PlaneFit) / sizeof(uint4);
static_assert(sizeof(SiteRecord) % sizeof(uint4) == 0 && sizeof(PlaneFit) % sizeof(uint4) == 0);
static_assert(offsetof(SiteRecord, fit) == 0);

/// The last kernel of a board: all records to the host, then their number.
__global__ void __launch_bounds__(copy_threads) publish(Publication p) {
  const std::size_t step = std::size_t{gridDim.x} * copy_threads;
  const std::size_t first = std::size_t{blockIdx.x} * copy_threads + threadIdx.x;
  for (std::size_t i = first; i < p.sites * record_text; i += step) {
    const std::size_t site = i / record_text, word = i % record_text;
    p.host_records[i] = word < fit_words ? p.fits[site * fit_words + word] : p.records[i];
  }
  for (std::size_t i = first; i < p.sites; i += step) p.host_needs_cpu[i] = p.needs_cpu[i];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0 || atomicAdd(&p.tally->blocks_done, 1u) != gridDim.x - 1) return;
  p.tally->blocks_done = p.tally->rings_done = 0;
  p.answer->timed_out = *p.timed_out;
  __threadfence_system();
  const std::uint32_t boards = p.tally->boards + 1;
  p.tally->boards = boards;
  *reinterpret_cast<volatile std::uint32_t*>(&p.answer->boards) = boards;
}

}  // namespace datum::cuda

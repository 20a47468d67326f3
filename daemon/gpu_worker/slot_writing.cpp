#include "daemon/gpu_worker/slot_writing.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "gpu/core/parallel_for.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

// Smaller gaps are copied, which is faster than skipping them.
constexpr std::int32_t small_gap_px = 64;
// Runs per task: small enough to spread a board over cores, large enough to outweigh the scheduling.
constexpr std::size_t piece_runs = 512;

DATUM_HD std::int16_t mark_of(std::int16_t) { return no_count_16; }
DATUM_HD std::int32_t mark_of(std::int32_t) { return no_count_32; }
DATUM_HD float mark_of(float) { return std::numeric_limits<float>::quiet_NaN(); }
// A NaN float has no height, whatever its class.
DATUM_HD bool is_mark(std::int16_t count) { return count == no_count_16; }
DATUM_HD bool is_mark(std::int32_t count) { return count == no_count_32; }
DATUM_HD bool is_mark(float) { return false; }

// Pieces of constant length, which compilers vectorise.
constexpr std::int32_t piece_px = 32;

/// Not 0: a pixel with a height has the mark as its count.
template <class Count>
DATUM_HD unsigned fold_piece(const Count* __restrict from, const std::uint8_t* __restrict classes,
                             std::int32_t length, Count* __restrict to) {
  const Count mark = mark_of(Count{});
  std::uint8_t clash = 0;
  for (std::int32_t k = 0; k < length; ++k) {
    clash = static_cast<std::uint8_t>(clash | (is_mark(from[k]) & (classes[k] == 0)));
    to[k] = classes[k] == 0 ? from[k] : mark;
  }
  return clash;
}

template <class Count>
DATUM_HD unsigned fold(const Count* from, const std::uint8_t* classes, std::int32_t length, Count* to) {
  unsigned clash = 0;
  std::int32_t k = 0;
  for (; k + piece_px <= length; k += piece_px) clash |= fold_piece(from + k, classes + k, piece_px, to + k);
  return clash | fold_piece(from + k, classes + k, length - k, to + k);
}

template <class Count>
unsigned stage_runs(const PixelRun* runs, std::size_t count, std::int32_t cols, const FrameView& frame,
                    Count* slot, std::int32_t slot_pitch, Isa isa) {
  unsigned clash = 0;
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = static_cast<std::size_t>(runs[i].row),
                        col = static_cast<std::size_t>(runs[i].col);
      const Count* from =
          static_cast<const Count*>(frame.counts) + row * static_cast<std::size_t>(frame.pitch) + col;
      Count* to = slot + row * static_cast<std::size_t>(slot_pitch) + col;
      if (frame.classes) {
        clash |= fold(from, frame.classes + row * static_cast<std::size_t>(cols) + col, runs[i].length, to);
      } else {
        std::memcpy(to, from, static_cast<std::size_t>(runs[i].length) * sizeof(Count));
      }
    }
  });
  return clash;
}

}  // namespace

std::vector<PixelRun> covered_pixels(const BoardPlan& plan) {
  std::vector<PixelRun> runs(plan.runs, plan.runs + plan.run_count);
  std::sort(runs.begin(), runs.end(), [](const PixelRun& a, const PixelRun& b) {
    return a.row != b.row ? a.row < b.row : a.col < b.col;
  });
  std::vector<PixelRun> merged;
  for (const PixelRun& run : runs) {
    if (!merged.empty() && merged.back().row == run.row &&
        run.col <= merged.back().col + merged.back().length + small_gap_px) {
      PixelRun& last = merged.back();
      last.length = std::max(last.length, run.col + run.length - last.col);
    } else {
      merged.push_back(run);
    }
  }
  return merged;
}

bool stage_runs(const PixelRun* runs, std::size_t count, CountType type, std::int32_t cols,
                const FrameView& frame, void* slot, std::int32_t slot_pitch, Isa isa) {
  switch (type) {
    case CountType::int16:
      return !stage_runs(runs, count, cols, frame, static_cast<std::int16_t*>(slot), slot_pitch, isa);
    case CountType::int32:
      return !stage_runs(runs, count, cols, frame, static_cast<std::int32_t*>(slot), slot_pitch, isa);
    case CountType::float32:
      return !stage_runs(runs, count, cols, frame, static_cast<float*>(slot), slot_pitch, isa);
  }
  return false;
}

bool stage_frame(const std::vector<PixelRun>& pixels, CountType type, std::int32_t cols,
                 const FrameView& frame, void* slot, std::int32_t slot_pitch, const Backend& backend) {
  std::atomic<bool> clash{false};
  const std::size_t pieces = (pixels.size() + piece_runs - 1) / piece_runs;
  parallel_for(backend.threads, pieces, [&](std::size_t i, unsigned) {
    const std::size_t first = i * piece_runs;
    if (!stage_runs(pixels.data() + first, std::min(piece_runs, pixels.size() - first), type, cols, frame,
                    slot, slot_pitch, backend.isa))
      clash = true;
  });
  return !clash;
}

}  // namespace datum

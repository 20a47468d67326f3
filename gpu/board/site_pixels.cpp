#include "gpu/board/site_pixels.h"

#include <limits>

#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

// As in the ring's evidence: pieces of one length reach beyond their run, and the next run writes over what
// is too much.
constexpr std::int32_t piece_px = 32;

std::unique_ptr<float[]> room_for(std::size_t n) { return std::unique_ptr<float[]>(new float[n + piece_px]); }

DATUM_HD bool has_height(std::int16_t count) { return count != no_count_16; }
DATUM_HD bool has_height(std::int32_t count) { return count != no_count_32; }
DATUM_HD bool has_height(float) { return true; }  // NaN stays NaN

template <class Count>
DATUM_HD void heights_of(const Count* counts, const std::uint8_t* classes, const AxisToUm& axis,
                         std::int32_t length, float* z) {
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  if (classes) {
    // two loops, each of one kind of conversion, are what compilers turn into vectors
    for (std::int32_t k = 0; k < length; ++k) z[k] = um_of(axis, counts[k]);
    for (std::int32_t k = 0; k < length; ++k) z[k] = classes[k] == 0 ? z[k] : none;
  } else {
    for (std::int32_t k = 0; k < length; ++k) z[k] = has_height(counts[k]) ? um_of(axis, counts[k]) : none;
  }
}

template <class Count>
DATUM_HD void take_z(const BoardPlan& plan, const FrameView& frame, const AxisToUm& axis,
                     const PixelRun* runs, std::uint32_t run_count, float* z) {
  const std::size_t pitch = static_cast<std::size_t>(frame.pitch), cols = static_cast<std::size_t>(plan.cols);
  for (std::uint32_t i = 0; i < run_count; ++i) {
    const std::size_t row = static_cast<std::size_t>(runs[i].row),
                      col = static_cast<std::size_t>(runs[i].col);
    const Count* counts = static_cast<const Count*>(frame.counts) + row * pitch + col;
    const std::uint8_t* classes = frame.classes ? frame.classes + row * cols + col : nullptr;
    const std::int32_t length = runs[i].length, pieces = (length + piece_px - 1) / piece_px * piece_px;
    // beyond the run lie more pixels of its row, except near the row's end
    if (col + static_cast<std::size_t>(pieces) <= cols) {
      for (std::int32_t k = 0; k < length; k += piece_px)
        heights_of(counts + k, classes ? classes + k : nullptr, axis, piece_px, z + k);
    } else {
      heights_of(counts, classes, axis, length, z);
    }
    z += length;
  }
}

void take_z(const BoardPlan& plan, const FrameView& frame, const AxisToUm& axis, const PixelRun* runs,
            std::uint32_t run_count, Isa isa, float* z) {
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    switch (plan.type) {
      case CountType::int16:
        return take_z<std::int16_t>(plan, frame, axis, runs, run_count, z);
      case CountType::int32:
        return take_z<std::int32_t>(plan, frame, axis, runs, run_count, z);
      case CountType::float32:
        return take_z<float>(plan, frame, axis, runs, run_count, z);
    }
  });
}

}  // namespace

RingPoints take_ring(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, Isa isa) {
  RingPoints p{room_for(site.ring_pixels), room_for(site.ring_pixels), room_for(site.ring_pixels)};
  const PixelRun* runs = plan.runs + site.ring_run;
  take_z(plan, frame, site.grid.z, runs, site.ring_runs, isa, p.z.get());
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    float *x = p.x.get(), *y = p.y.get();
    const AxisToUm axis = site.grid.x;
    for (std::uint32_t i = 0; i < site.ring_runs; ++i) {
      const PixelRun run = runs[i];
      const float row_y = um_of(site.grid.y, run.row);
      for (std::int32_t done = 0; done < run.length; done += piece_px) {
        for (std::int32_t k = 0; k < piece_px; ++k) {
          x[done + k] = um_of(axis, run.col + done + k);
          y[done + k] = row_y;
        }
      }
      x += run.length;
      y += run.length;
    }
  });
  return p;
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the result owns them

std::unique_ptr<float[]> take_body(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                                   Isa isa) {
  std::unique_ptr<float[]> z = room_for(site.body_pixels);
  take_z(plan, frame, site.grid.z, plan.runs + site.body_run, site.body_runs, isa, z.get());
  return z;
}

}  // namespace datum

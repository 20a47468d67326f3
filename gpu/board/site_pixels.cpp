#include "gpu/board/site_pixels.h"

#include <limits>

#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

// As in the ring's evidence: pieces of one length reach beyond their run, and the next run writes over what
// is too much.
constexpr std::int32_t piece_px = pixel_padding;

std::size_t room_for(std::size_t n) { return n + piece_px; }
std::unique_ptr<float[]> floats(std::size_t n) { return std::unique_ptr<float[]>(new float[room_for(n)]); }

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

/// Runs are too short for the machine to see where the next one lies: their lines are asked for so many pixels ahead.
constexpr std::int32_t pixels_ahead = 1536;
constexpr std::size_t line_bytes = 64;

DATUM_HD void fetch(const void* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += line_bytes)
    __builtin_prefetch(static_cast<const char*>(from) + at);
}

template <class Count>
DATUM_HD void take_z(const BoardPlan& plan, const FrameView& frame, const AxisToUm& axis,
                     const PixelRun* runs, std::uint32_t run_count, float* z) {
  const std::size_t pitch = static_cast<std::size_t>(frame.pitch), cols = static_cast<std::size_t>(plan.cols);
  const auto fetch_run = [&](const PixelRun& run) __attribute__((always_inline)) {
    const std::size_t row = static_cast<std::size_t>(run.row), col = static_cast<std::size_t>(run.col),
                      length = static_cast<std::size_t>(run.length);
    fetch(static_cast<const Count*>(frame.counts) + row * pitch + col, length * sizeof(Count));
    if (frame.classes) fetch(frame.classes + row * cols + col, length);
  };
  std::int32_t ahead = 0;  // pixels that were asked for
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < run_count; ++i) {
    for (; next < run_count && ahead < pixels_ahead; ++next) {
      fetch_run(runs[next]);
      ahead += runs[next].length;
    }
    ahead -= runs[i].length;
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

void take_ring_z(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, Isa isa, float* z) {
  take_z(plan, frame, site.grid.z, plan.runs + site.ring_run, site.ring_runs, isa, z);
}

void take_body_z(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, Isa isa, float* z) {
  take_z(plan, frame, site.grid.z, plan.runs + site.body_run, site.body_runs, isa, z);
}

void set_places(const SitePlan& site, const PixelRun* runs, Isa isa, float* of_x, float* of_y) {
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    float *x = of_x, *y = of_y;
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
}

}  // namespace

RingPoints take_ring(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, Isa isa,
                     SiteMemory* memory) {
  const std::size_t room = room_for(site.ring_pixels);
  float *x = memory->x.of(room), *y = memory->y.of(room);
  set_places(site, plan.runs + site.ring_run, isa, x, y);
  return {x, y, take_ring_z(plan, site, frame, isa, memory)};
}

const float* take_ring_z(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, Isa isa,
                         SiteMemory* memory) {
  float* z = memory->ring_z.of(room_for(site.ring_pixels));
  take_ring_z(plan, site, frame, isa, z);
  return z;
}

const float* take_body(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, Isa isa,
                       SiteMemory* memory) {
  float* z = memory->body_z.of(room_for(site.body_pixels));
  take_body_z(plan, site, frame, isa, z);
  return z;
}

std::unique_ptr<float[]> take_ring_z(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                                     Isa isa) {
  std::unique_ptr<float[]> z = floats(site.ring_pixels);
  take_ring_z(plan, site, frame, isa, z.get());
  return z;
}

RingPlaces ring_places(const SitePlan& site, const PixelRun* runs, Isa isa) {
  RingPlaces p{floats(site.ring_pixels), floats(site.ring_pixels)};
  set_places(site, runs, isa, p.x.get(), p.y.get());
  return p;
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the result owns them

std::unique_ptr<float[]> take_body(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                                   Isa isa) {
  std::unique_ptr<float[]> z = floats(site.body_pixels);
  take_body_z(plan, site, frame, isa, z.get());
  return z;
}

}  // namespace datum

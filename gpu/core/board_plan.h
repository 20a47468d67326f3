// What is measured on one board, flat: numbers and runs of pixels, no strings and nothing that owns memory. Made from a
// recipe and a placement once, copied to a device or to another process as it is. C++17: CUDA sources include it.
#pragma once

#include <cstdint>

#include "gpu/core/fit_mode.h"
#include "gpu/core/height_map.h"
#include "gpu/core/pixel_run.h"

namespace datum {

class EarlyFrame;  // gpu/core/early_frame.h

constexpr int max_quantiles = 8, max_top_counts = 8, site_sides = 4;

/// One component and its ring. Lengths in um relative to the ring's centre and the nominal board there.
struct SitePlan {
  SiteGrid grid;
  std::uint32_t ring_run = 0, ring_runs = 0,
                ring_pixels = 0;  // first run in BoardPlan::runs, their number, pixels
  std::uint32_t body_run = 0, body_runs = 0, body_pixels = 0;
  std::uint64_t seed = 0;
  float half_x = 0, half_y = 0;                   // bounds of |x|, |y| of the ring's pixels
  float threshold = 0, refit_threshold = 0;       // of the floor, along z
  double sigma_um = 0;                            // noise of the sensor there
  double quantiles[max_quantiles] = {};           // in (0, 1]
  std::uint32_t top_counts[max_top_counts] = {};  // k of the k highest
  std::uint32_t quantile_count = 0, top_count_count = 0;
  double present_above_um = 0;
  std::uint8_t opened_maximum = 0;  // asked for
  std::uint8_t quadratic_form = 0;  // the floor is a plane and a quadratic on it
};

/// A board's sites. Runs of a ring and of a body follow each other by rows, then columns, and do not overlap. `runs` and `run_side` (side of the ring's runs, 0 to 3; 0 for bodies) have run_count elements.
struct BoardPlan {
  const SitePlan* sites = nullptr;
  std::uint32_t site_count = 0;
  const PixelRun* runs = nullptr;
  const std::uint8_t* run_side = nullptr;
  std::uint32_t run_count = 0;
  std::int32_t rows = 0, cols = 0;  // of the frame
  CountType type = CountType::int16;
  FitMode mode = FitMode::screened;
  double confidence = 0;
  std::int32_t max_hypotheses = 0;
};

/// Heights of one frame. Row-major, `pitch` counts from row to row. Where `classes` is null a pixel without a height
/// holds no_count_16, no_count_32 or NaN; where not, its class is not 0 (rows of `cols` classes).
struct FrameView {
  const void* counts = nullptr;
  const std::uint8_t* classes = nullptr;
  std::int32_t pitch = 0;
  EarlyFrame* early = nullptr;  // what a measurer took of these counts already; null: nothing
};

}  // namespace datum

#include "daemon/inspect/body_evidence.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "drivers/frame/height_frame.h"
#include "gpu/board/site_pixels.h"
#include "gpu/component_height/component_height_kernels.h"
#include "gpu/component_height/component_height_math.h"

namespace datum {
namespace {

BodyPixels pixels_of(const SitePlan& site, const PixelRun* runs, std::uint32_t run_count, const float* z,
                     const PlaneFit& floor) {
  BodyPixels body;
  body.runs = runs;
  body.run_count = run_count;
  body.z = z;
  body.x = site.grid.x;
  body.y = site.grid.y;
  body.a = floor.a;
  body.b = floor.b;
  body.c = floor.c;
  return body;
}

/// Heights in nm of runs, in their order.
std::vector<std::int32_t> heights_nm(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                                     const PlaneFit& floor, const PixelRun* runs, std::uint32_t run_count) {
  BoardPlan part = plan;
  SitePlan region = site;
  part.runs = runs;
  region.body_run = 0;
  region.body_runs = run_count;
  region.body_pixels = 0;
  for (std::uint32_t i = 0; i < run_count; ++i)
    region.body_pixels += static_cast<std::uint32_t>(runs[i].length);
  const std::unique_ptr<float[]> z = take_body(part, region, frame, best_isa());
  std::vector<std::int32_t> nm(region.body_pixels);
  if (!nm.empty())
    height::quantise_heights(pixels_of(site, runs, run_count, z.get(), floor), best_isa(), nm.data());
  return nm;
}

/// Places of one kind of pixels on the top plane.
struct OnPlane {
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  void add(double nm) {
    lowest = std::min(lowest, nm);
    highest = std::max(highest, nm);
  }
};

/// The first of `length` pixels that has a height, or the first that has none; `length` where there is no such pixel.
std::int32_t first_of(bool with_height, const std::uint8_t* classes, std::int32_t length) {
  std::int32_t k = 0;
  std::uint64_t eight = 0;
  for (; k + 8 <= length; k += 8) {
    std::memcpy(&eight, classes + k, sizeof eight);
    if (with_height || eight != 0) break;
  }
  while (k < length && (classes[k] == 0) != with_height) ++k;
  return k;
}

/// The same from the other end: the last such pixel, -1 where there is none.
std::int32_t last_of(bool with_height, const std::uint8_t* classes, std::int32_t length) {
  std::uint64_t eight = 0;
  for (; length >= 8; length -= 8) {
    std::memcpy(&eight, classes + length - 8, sizeof eight);
    if (with_height || eight != 0) break;
  }
  while (length > 0 && (classes[length - 1] == 0) != with_height) --length;
  return length - 1;
}

/// Where on the top plane a run's pixels of one kind reach: a plane's extremes along a run lie at its ends.
void add_ends(const PixelRun& run, const std::uint8_t* classes, const TopPlane& top, bool with_height,
              OnPlane& where) {
  const std::int32_t first = first_of(with_height, classes, run.length);
  if (first == run.length) return;
  const auto at = [&](std::int32_t k) {
    return top.slope_col_nm * (run.col + k - top.mean_col) + top.slope_row_nm * (run.row - top.mean_row);
  };
  where.add(at(first));
  where.add(at(last_of(with_height, classes, run.length)));
}

/// Bytes of eight that are `value`, as their highest bits.
std::uint64_t equal_bytes(std::uint64_t eight, PixelClass value) {
  constexpr std::uint64_t ones = 0x0101010101010101u, low_bits = 0x7F7F7F7F7F7F7F7Fu;
  const std::uint64_t other = eight ^ (ones * static_cast<std::uint8_t>(value));
  return ~(((other & low_bits) + low_bits) | other | low_bits);
}

std::uint32_t clipped_in(const std::uint8_t* classes, std::int32_t length) {
  std::uint32_t clipped = 0;
  for (std::int32_t k = 0; k < length; k += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, classes + k, static_cast<std::size_t>(std::min(8, length - k)));
    if (eight == 0) continue;  // most pixels have a height
    clipped += static_cast<std::uint32_t>(std::popcount(equal_bytes(eight, PixelClass::out_of_range) |
                                                        equal_bytes(eight, PixelClass::saturated)));
  }
  return clipped;
}

/// e.missing is known: no pixel is looked at where none is missing.
void count_classes(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, const TopPlane& top,
                   BodyEvidence& e) {
  if (!frame.classes || e.missing == 0) return;
  const PixelRun* runs = plan.runs + site.body_run;
  const auto classes_of = [&](const PixelRun& run) {
    return frame.classes + static_cast<std::size_t>(run.row) * static_cast<std::size_t>(plan.cols) +
           static_cast<std::size_t>(run.col);
  };
  for (std::uint32_t i = 0; i < site.body_runs; ++i) {
    constexpr std::uint32_t ahead = 6;  // rows: far apart in memory
    if (i + ahead < site.body_runs)
      for (std::int32_t k = 0; k < runs[i + ahead].length; k += 64)
        __builtin_prefetch(classes_of(runs[i + ahead]) + k);
    e.clipped += clipped_in(classes_of(runs[i]), runs[i].length);
  }
  if (e.missing == e.pixels) return;
  OnPlane seen, missing;
  for (std::uint32_t i = 0; i < site.body_runs; ++i) {
    add_ends(runs[i], classes_of(runs[i]), top, true, seen);
    add_ends(runs[i], classes_of(runs[i]), top, false, missing);
  }
  e.missing_above_um = std::max(0.0, missing.highest - seen.highest) * 1e-3;
  e.missing_below_um = std::max(0.0, seen.lowest - missing.lowest) * 1e-3;
}

/// Rows, columns and centroid of the body's pixels.
void set_places(const BoardPlan& plan, const SitePlan& site, const TopPlane& top, BodyEvidence& e) {
  double sum_col = 0, sum_row = 0;
  std::int32_t left = INT32_MAX, right = 0;
  const PixelRun* runs = plan.runs + site.body_run;
  for (std::uint32_t i = 0; i < site.body_runs; ++i) {
    sum_col += runs[i].length * (runs[i].col + (runs[i].length - 1) / 2.0);
    sum_row += static_cast<double>(runs[i].length) * runs[i].row;
    left = std::min(left, runs[i].col);
    right = std::max(right, runs[i].col + runs[i].length);
  }
  if (site.body_runs == 0) return;
  e.rows = runs[site.body_runs - 1].row - runs[0].row + 1;
  e.cols = right - left;
  e.off_centre = {top.mean_col - sum_col / e.pixels, top.mean_row - sum_row / e.pixels};
}

/// A body has one run a row: pixels within `width_px` of its border along rows and columns.
std::vector<PixelRun> rim_runs(const PixelRun* runs, std::int32_t count, std::int32_t width_px) {
  std::vector<PixelRun> rim;
  for (std::int32_t i = 0; i < count; ++i) {
    const PixelRun run = runs[i];
    const std::int32_t end = run.col + run.length;
    if (i < width_px || i + width_px >= count) {
      rim.push_back(run);
      continue;
    }
    const PixelRun above = runs[i - width_px], below = runs[i + width_px];
    const std::int32_t from = std::max({run.col + width_px, above.col, below.col}),
                       to = std::min({end - width_px, above.col + above.length, below.col + below.length});
    if (from >= to) {
      rim.push_back(run);
      continue;
    }
    rim.push_back({run.row, run.col, from - run.col});
    rim.push_back({run.row, to, end - to});
  }
  return rim;
}

double pixels_in(const std::vector<PixelRun>& runs) {
  double pixels = 0;
  for (const PixelRun& run : runs) pixels += run.length;
  return pixels;
}

/// All sums of a record but what is picked by rank.
struct Sums {
  std::int64_t sum_nm = 0;
  std::uint32_t valid = 0;
  std::int32_t row0 = 0, col0 = 0;
  HeightMoments moments;
};

Sums without(const BodyRecord& all, const HeightMoments& rim, std::int64_t rim_nm, std::uint32_t rim_valid) {
  Sums s{all.sum_nm - rim_nm, all.valid - rim_valid, all.row0, all.col0, all.moments};
  HeightMoments& m = s.moments;
  m.c -= rim.c;
  m.r -= rim.r;
  m.cc -= rim.cc;
  m.cr -= rim.cr;
  m.rr -= rim.rr;
  m.ch -= rim.ch;
  m.rh -= rim.rh;
  m.hh_high -= rim.hh_high;
  m.hh_low -= rim.hh_low;
  height::fold_carry(&m);  // by an arithmetic shift: it folds a borrow, too
  return s;
}

/// Range of heights over a plane through `mean_nm`.
OnPlane over_plane(const std::vector<PixelRun>& runs, const std::vector<std::int32_t>& nm,
                   const TopPlane& plane, double mean_nm) {
  OnPlane range;
  std::size_t at = 0;
  for (const PixelRun& run : runs)
    for (std::int32_t k = 0; k < run.length; ++k, ++at)
      if (nm[at] != height::no_height)
        range.add(nm[at] - mean_nm - plane.slope_col_nm * (run.col + k - plane.mean_col) -
                  plane.slope_row_nm * (run.row - plane.mean_row));
  return range;
}

RimShift rim_shift(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, const PlaneFit& floor,
                   const BodyRecord& record, const HeightStatistics& heights) {
  RimShift shift;
  if (!heights.top.defined) return shift;
  const std::vector<PixelRun> runs =
      rim_runs(plan.runs + site.body_run, static_cast<std::int32_t>(site.body_runs), rim_px);
  const std::vector<std::int32_t> nm =
      heights_nm(plan, site, frame, floor, runs.data(), static_cast<std::uint32_t>(runs.size()));
  std::int64_t sum = 0;
  std::uint32_t valid = 0;
  for (const std::int32_t h : nm) {
    if (h == height::no_height) continue;
    sum += h;
    ++valid;
  }
  // An inside that tells anything: a quarter of the body and a dozen pixels.
  if (valid + 12 > record.valid || 4 * valid > 3 * record.valid || valid == 0) return shift;
  const HeightMoments rim =
      height::moments(pixels_of(site, runs.data(), static_cast<std::uint32_t>(runs.size()), nullptr, floor),
                      nm.data(), record.row0, record.col0, best_isa());
  const Sums inner = without(record, rim, sum, valid);
  double variance = 0;
  const TopPlane in = height::top_plane(inner, &variance);
  if (!in.defined) return shift;
  const TopPlane& all = heights.top;
  const double there = static_cast<double>(inner.sum_nm) / inner.valid +
                       in.slope_col_nm * (all.mean_col - in.mean_col) +
                       in.slope_row_nm * (all.mean_row - in.mean_row);
  shift.defined = true;
  const double all_px = site.body_pixels, rim_only = pixels_in(runs),
               wide = pixels_in(rim_runs(plan.runs + site.body_run, static_cast<std::int32_t>(site.body_runs),
                                         2 * rim_px));
  shift.next_share = (wide - rim_only) / std::max(1.0, all_px - rim_only);
  shift.share = static_cast<double>(valid) / record.valid;
  shift.mean_um = (there - static_cast<double>(record.sum_nm) / record.valid) * 1e-3;
  shift.slope = {
      (in.slope_col_nm - all.slope_col_nm) * 1e-3 / std::abs(static_cast<double>(site.grid.x.per_index)),
      (in.slope_row_nm - all.slope_row_nm) * 1e-3 / std::abs(static_cast<double>(site.grid.y.per_index))};
  shift.moments = {all.scc / in.scc, all.srr / in.srr};
  shift.inner_rms_um = in.residual_rms_nm * 1e-3;
  const OnPlane range = over_plane(runs, nm, in, static_cast<double>(inner.sum_nm) / inner.valid);
  shift.highest_um = range.highest * 1e-3;
  shift.lowest_um = range.lowest * 1e-3;
  return shift;
}

}  // namespace

BodyEvidence body_evidence(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                           const PlaneFit& floor, const BodyRecord& record, const HeightStatistics& heights) {
  BodyEvidence e;
  e.pixels = site.body_pixels;
  e.missing = e.pixels - heights.valid;  // a height beyond what is measured is none either
  count_classes(plan, site, frame, heights.top, e);
  if (heights.valid == 0) return e;
  set_places(plan, site, heights.top, e);
  e.rim = rim_shift(plan, site, frame, floor, record, heights);
  return e;
}

}  // namespace datum

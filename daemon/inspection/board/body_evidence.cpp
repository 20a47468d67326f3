#include "daemon/inspection/board/body_evidence.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "drivers/frame/height_frame.h"
#include "gpu/board/site_pixels.h"
#include "gpu/component_height/component_height_kernels.h"
#include "gpu/component_height/component_height_math.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

BodyPixels pixels_of(const BodyHeights& body, const std::vector<PixelRun>& runs, const float* z) {
  BodyPixels pixels;
  pixels.runs = runs.data();
  pixels.run_count = static_cast<std::uint32_t>(runs.size());
  pixels.z = z;
  pixels.x = body.site.grid.x;
  pixels.y = body.site.grid.y;
  pixels.a = body.floor.a;
  pixels.b = body.floor.b;
  pixels.c = body.floor.c;
  return pixels;
}

/// Heights in nm of the rim, in the order of its runs.
std::vector<std::int32_t> rim_nm(const BodyHeights& body, const BodyShape& shape) {
  const auto pixels = static_cast<std::size_t>(shape.rim_pixels);
  std::vector<float> z(pixels + pixel_padding);
  float* to = z.data();
  for (std::size_t i = 0; i < shape.rim.size(); ++i)
    to = std::copy_n(body.z + shape.rim_at[i], shape.rim[i].length, to);
  std::vector<std::int32_t> nm(pixels);
  if (!nm.empty()) height::quantise_heights(pixels_of(body, shape.rim, z.data()), best_isa(), nm.data());
  return nm;
}

/// Range of one kind of pixels on the top plane.
struct OnPlane {
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  void add(double nm) {
    lowest = std::min(lowest, nm);
    highest = std::max(highest, nm);
  }
};

/// Index of the first of `length` pixels with (or without) a height; `length` where there is none.
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

/// Index of the last such pixel; -1 where there is none.
std::int32_t last_of(bool with_height, const std::uint8_t* classes, std::int32_t length) {
  std::uint64_t eight = 0;
  for (; length >= 8; length -= 8) {
    std::memcpy(&eight, classes + length - 8, sizeof eight);
    if (with_height || eight != 0) break;
  }
  while (length > 0 && (classes[length - 1] == 0) != with_height) --length;
  return length - 1;
}

/// Range of a run's pixels of one kind on the top plane: a plane's extremes along a run lie at its ends.
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

std::uint32_t clipped_in(const std::uint8_t* classes, std::int32_t length, Isa isa) {
  std::uint32_t clipped = 0;
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    constexpr auto beyond = static_cast<std::uint8_t>(PixelClass::out_of_range),
                   saturated = static_cast<std::uint8_t>(PixelClass::saturated);
    std::uint8_t any = 0;  // most runs have none, and comparing bytes is faster than counting
    for (std::int32_t k = 0; k < length; ++k)
      any = static_cast<std::uint8_t>(any | (classes[k] == beyond) | (classes[k] == saturated));
    if (any == 0) return;
    for (std::int32_t k = 0; k < length; ++k)
      clipped += static_cast<std::uint32_t>((classes[k] == beyond) | (classes[k] == saturated));
  });
  return clipped;
}

/// Requires e.missing: no pixel is examined where none is missing.
void count_classes(const BodyHeights& body, const std::uint8_t* classes, std::int32_t cols,
                   const TopPlane& top, BodyEvidence& e) {
  if (!classes || e.missing == 0) return;
  const PixelRun* runs = body.runs;
  const std::uint32_t count = body.site.body_runs;
  const auto classes_of = [&](const PixelRun& run) {
    return classes + static_cast<std::size_t>(run.row) * static_cast<std::size_t>(cols) +
           static_cast<std::size_t>(run.col);
  };
  const Isa isa = best_isa();
  OnPlane seen, missing;
  for (std::uint32_t i = 0; i < count; ++i) {
    constexpr std::uint32_t ahead = 6;  // rows, because their memory is far apart
    if (i + ahead < count)
      for (std::int32_t k = 0; k < runs[i + ahead].length; k += 64)
        __builtin_prefetch(classes_of(runs[i + ahead]) + k);
    const std::uint8_t* of_run = classes_of(runs[i]);
    e.clipped += clipped_in(of_run, runs[i].length, isa);
    add_ends(runs[i], of_run, top, true, seen);
    add_ends(runs[i], of_run, top, false, missing);
  }
  if (e.missing == e.pixels) return;
  e.missing_above_um = std::max(0.0, missing.highest - seen.highest) * 1e-3;
  e.missing_below_um = std::max(0.0, seen.lowest - missing.lowest) * 1e-3;
}

/// A body has one run per row: pixels within `width_px` of its border along rows and columns.
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

/// All sums of a record except values selected by rank.
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
  height::fold_carry(&m);  // arithmetic shift, which also carries a borrow
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

RimShift rim_shift(const BodyHeights& body, const BodyShape& shape, const BodyRecord& record,
                   const HeightStatistics& heights) {
  RimShift shift;
  if (!heights.top.defined) return shift;
  const std::vector<std::int32_t> nm = rim_nm(body, shape);
  std::int64_t sum = 0;
  std::uint32_t valid = 0;
  for (const std::int32_t h : nm) {
    if (h == height::no_height) continue;
    sum += h;
    ++valid;
  }
  // An inside with evidence: a quarter of the body and a dozen pixels.
  if (valid + 12 > record.valid || 4 * valid > 3 * record.valid || valid == 0) return shift;
  const HeightMoments rim =
      height::moments(pixels_of(body, shape.rim, nullptr), nm.data(), record.row0, record.col0, best_isa());
  const Sums inner = without(record, rim, sum, valid);
  double variance = 0;
  const TopPlane in = height::top_plane(inner, &variance);
  if (!in.defined) return shift;
  const TopPlane& all = heights.top;
  const double there = static_cast<double>(inner.sum_nm) / inner.valid +
                       in.slope_col_nm * (all.mean_col - in.mean_col) +
                       in.slope_row_nm * (all.mean_row - in.mean_row);
  shift.defined = true;
  shift.next_share =
      (shape.wide_rim_pixels - shape.rim_pixels) / std::max(1.0, body.site.body_pixels - shape.rim_pixels);
  shift.share = static_cast<double>(valid) / record.valid;
  shift.mean_um = (there - static_cast<double>(record.sum_nm) / record.valid) * 1e-3;
  shift.slope = {
      (in.slope_col_nm - all.slope_col_nm) * 1e-3 / std::abs(static_cast<double>(body.site.grid.x.per_index)),
      (in.slope_row_nm - all.slope_row_nm) * 1e-3 /
          std::abs(static_cast<double>(body.site.grid.y.per_index))};
  shift.moments = {all.scc / in.scc, all.srr / in.srr};
  shift.inner_rms_um = in.residual_rms_nm * 1e-3;
  const OnPlane range = over_plane(shape.rim, nm, in, static_cast<double>(inner.sum_nm) / inner.valid);
  shift.highest_um = range.highest * 1e-3;
  shift.lowest_um = range.lowest * 1e-3;
  return shift;
}

}  // namespace

BodyShape::BodyShape(const std::vector<PixelRun>& body) {
  if (body.empty()) return;
  double sum_col = 0, sum_row = 0, pixels = 0;
  std::int32_t left = INT32_MAX, right = 0;
  for (const PixelRun& run : body) {
    sum_col += run.length * (run.col + (run.length - 1) / 2.0);
    sum_row += static_cast<double>(run.length) * run.row;
    pixels += run.length;
    left = std::min(left, run.col);
    right = std::max(right, run.col + run.length);
  }
  rows = body.back().row - body.front().row + 1;
  cols = right - left;
  centroid = {sum_col / pixels, sum_row / pixels};
  const auto count = static_cast<std::int32_t>(body.size());
  rim = rim_runs(body.data(), count, rim_px);
  rim_pixels = pixels_in(rim);
  wide_rim_pixels = pixels_in(rim_runs(body.data(), count, 2 * rim_px));
  std::uint32_t begin = 0;
  std::size_t of_body = 0;
  for (const PixelRun& run : rim) {
    for (; body[of_body].row != run.row; ++of_body) begin += static_cast<std::uint32_t>(body[of_body].length);
    rim_at.push_back(begin + static_cast<std::uint32_t>(run.col - body[of_body].col));
  }
}

BodyEvidence body_evidence(const BodyHeights& body, const BodyShape& shape, const std::uint8_t* classes,
                           std::int32_t cols, const BodyRecord& record, const HeightStatistics& heights,
                           const WantedRanks& wanted) {
  BodyEvidence e;
  e.pixels = body.site.body_pixels;
  e.missing = e.pixels - heights.valid;  // an unmeasurable height counts as missing
  count_classes(body, classes, cols, heights.top, e);
  if (heights.valid == 0) return e;
  e.rows = shape.rows;
  e.cols = shape.cols;
  e.off_centre = Eigen::Vector2d(heights.top.mean_col, heights.top.mean_row) - shape.centroid;
  e.rim = rim_shift(body, shape, record, heights);
  e.ranks = missing_ranks(body, e.missing, heights, wanted);
  return e;
}

}  // namespace datum

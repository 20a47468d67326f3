#include "daemon/inspection/board/body_evidence.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "drivers/frame/height_frame.h"
#include "gpu/component_height/component_height_kernels.h"
#include "gpu/component_height/component_height_math.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

/// Heights of the rim, in the order of its runs.
std::vector<std::int32_t> rim_nm(const BodyHeights& body, const BodyShape& shape) {
  std::vector<std::int32_t> nm(static_cast<std::size_t>(shape.rim_pixels));
  std::int32_t* to = nm.data();
  for (std::size_t i = 0; i < shape.rim.size(); ++i)
    to = std::copy_n(body.nm + shape.rim_at[i], shape.rim[i].length, to);
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

/// A run's pixels on the top plane.
class RunOnPlane {
 public:
  RunOnPlane(const PixelRun& run, const std::uint8_t* classes, const TopPlane& top)
      : run_(run),
        classes_(classes),
        top_(top),
        row_(top.slope_row_nm * (run.row - top.mean_row)),
        first_(at(0)),
        last_(at(run.length - 1)) {}

  /// Adds the range of the pixels of one kind. A plane's extremes along a run lie at its ends, also those of rounded
  /// sums, so that a run whose ends lie in the range adds nothing.
  void add_to(OnPlane& where, bool with_height) const {
    if (std::min(first_, last_) >= where.lowest && std::max(first_, last_) <= where.highest) return;
    const std::int32_t first = first_of(with_height, classes_, run_.length);
    if (first == run_.length) return;
    where.add(at(first));
    where.add(at(last_of(with_height, classes_, run_.length)));
  }

 private:
  double at(std::int32_t k) const { return top_.slope_col_nm * (run_.col + k - top_.mean_col) + row_; }

  const PixelRun& run_;
  const std::uint8_t* classes_;
  const TopPlane& top_;
  const double row_, first_, last_;
};

bool is_clipped(std::uint8_t of_pixel) {
  const auto of = static_cast<PixelClass>(of_pixel);
  return of == PixelClass::out_of_range || of == PixelClass::saturated;
}

/// Marks in `any` whether classes of clipped pixels are among `n` of them. Pieces overlap: what is seen twice does not
/// count twice.
template <std::int32_t n>
DATUM_HD void look_for_clipped(const std::uint8_t* __restrict classes, std::int32_t length,
                               std::uint8_t* __restrict any) {
  constexpr auto beyond = static_cast<std::uint8_t>(PixelClass::out_of_range),
                 saturated = static_cast<std::uint8_t>(PixelClass::saturated);
  for (std::int32_t from = 0; from < length; from += n) {
    const std::uint8_t* piece = classes + (from + n <= length ? from : length - n);
    for (std::int32_t k = 0; k < n; ++k)
      any[k] = static_cast<std::uint8_t>(any[k] | (piece[k] == beyond) | (piece[k] == saturated));
  }
}

/// Classes of a frame with `cols` columns.
struct FrameClasses {
  const std::uint8_t* first;
  std::int32_t cols;
  const std::uint8_t* of(const PixelRun& run) const {
    return first + static_cast<std::size_t>(run.row) * static_cast<std::size_t>(cols) +
           static_cast<std::size_t>(run.col);
  }
};

std::uint32_t clipped_pixels(const BodyHeights& body, const FrameClasses& classes, Isa isa) {
  const PixelRun* const runs = body.runs;
  const PixelRun* const end = runs + body.site.body_runs;
  alignas(64) std::uint8_t any[64] = {};  // bodies without a clipped pixel are what most frames have
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    for (const PixelRun* run = runs; run != end; ++run) {
      const std::uint8_t* of_run =
          classes.first + static_cast<std::size_t>(run->row) * static_cast<std::size_t>(classes.cols) +
          static_cast<std::size_t>(run->col);
      if (run->length >= 64)
        look_for_clipped<64>(of_run, run->length, any);
      else if (run->length >= 8)
        look_for_clipped<8>(of_run, run->length, any);
      else
        look_for_clipped<1>(of_run, run->length, any);
    }
  });
  if (std::all_of(std::begin(any), std::end(any), [](std::uint8_t seen) { return seen == 0; })) return 0;
  std::int64_t clipped = 0;
  for (const PixelRun* run = runs; run != end; ++run)
    clipped += std::count_if(classes.of(*run), classes.of(*run) + run->length, is_clipped);
  return static_cast<std::uint32_t>(clipped);
}

/// Requires e.missing: no pixel is examined where none is missing.
void count_classes(const BodyHeights& body, const FrameClasses& classes, const TopPlane& top,
                   BodyEvidence& e) {
  if (!classes.first || e.missing == 0) return;
  e.clipped = clipped_pixels(body, classes, best_isa());
  if (e.missing == e.pixels) return;
  OnPlane seen, missing;
  const auto add = [&](const PixelRun& run) {
    const RunOnPlane on(run, classes.of(run), top);
    on.add_to(seen, true);
    on.add_to(missing, false);
  };
  // the corners of most bodies lie in their first and last runs: what lies between adds little
  const std::uint32_t last = body.site.body_runs - 1;
  add(body.runs[last]);
  for (std::uint32_t i = 0; i < last; ++i) add(body.runs[i]);
  e.missing_above_um = std::max(0.0, missing.highest - seen.highest) * 1e-3;
  e.missing_below_um = std::max(0.0, seen.lowest - missing.lowest) * 1e-3;
  e.slope_loss = slope_loss(body.runs, body.site.body_runs, classes.first, classes.cols, top);
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
  BodyPixels rim_pixels;  // their places alone
  rim_pixels.runs = shape.rim.data();
  rim_pixels.run_count = static_cast<std::uint32_t>(shape.rim.size());
  const HeightMoments rim = height::moments(rim_pixels, nm.data(), record.row0, record.col0, best_isa());
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
  count_classes(body, {classes, cols}, heights.top, e);
  if (heights.valid == 0) return e;
  e.rows = shape.rows;
  e.cols = shape.cols;
  e.off_centre = Eigen::Vector2d(heights.top.mean_col, heights.top.mean_row) - shape.centroid;
  e.rim = rim_shift(body, shape, record, heights);
  e.ranks = missing_ranks(body, e.missing, heights, wanted);
  return e;
}

}  // namespace datum

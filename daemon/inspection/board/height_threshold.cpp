#include "daemon/inspection/board/height_threshold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

constexpr int bins = 256, window = bins / 16;
constexpr std::uint32_t enough_pixels = 16'384, enough_rows = 32;

/// The counted runs of a body: every `step`-th.
struct CountedRuns {
  const PixelRun* runs;
  std::uint32_t count, step;
  const std::uint8_t* classes;  // of the frame
  std::int32_t cols;

  template <class Look>
  DATUM_VECTOR_LOOP void each(const Look& look) const {
    for (std::uint32_t i = 0; i < count; i += step) look(runs[i]);
  }
  const std::uint8_t* classes_of(const PixelRun& run) const {
    return classes + static_cast<std::size_t>(run.row) * static_cast<std::size_t>(cols) +
           static_cast<std::size_t>(run.col);
  }
};

/// A top plane's heights in bins.
struct PlaneBins {
  const TopPlane& top;
  double low = HUGE_VAL, high = -HUGE_VAL;

  double width() const { return (high - low) / bins; }
};

/// The plane over a run's row and the bins of its heights, which never fall, or never rise, along the row.
struct PlaneRow {
  double slope_col_nm, mean_col, row_nm, low, scale;

  DATUM_VECTOR_LOOP static PlaneRow of(const PlaneBins& of, std::int32_t row) {
    return {of.top.slope_col_nm, of.top.mean_col, of.top.slope_row_nm * (row - of.top.mean_row), of.low,
            bins / (of.high - of.low)};
  }
  DATUM_VECTOR_LOOP double height_at(std::int32_t col) const {
    return slope_col_nm * (col - mean_col) + row_nm;
  }
  DATUM_VECTOR_LOOP int bin_at(std::int32_t col) const {
    const double bin = (height_at(col) - low) * scale;
    return static_cast<int>(bin > 0 ? std::min(bin, bins - 1.0) : 0.0);
  }
};

using Counts = std::array<std::uint32_t, bins>;

/// Missing pixels by their bins.
struct MissingPixels {
  Counts of{};
  std::uint32_t count = 0, all = 0;  // missing ones, and with the measured ones
  double sum_nm = 0;                 // of the plane's heights at them

  bool lie_above() const { return sum_nm > 0; }
};

MissingPixels missing_pixels(const CountedRuns& body, const PlaneBins& plane) {
  MissingPixels missing;
  body.each([&](const PixelRun& run) {
    const PlaneRow row = PlaneRow::of(plane, run.row);
    const std::uint8_t* classes = body.classes_of(run);
    missing.all += static_cast<std::uint32_t>(run.length);
    const auto look = [&](std::int32_t k) {
      if (classes[k] == 0) return;
      ++missing.of[static_cast<std::size_t>(row.bin_at(run.col + k))];
      ++missing.count;
      missing.sum_nm += row.height_at(run.col + k);
    };
    std::int32_t k = 0;
    for (std::uint64_t eight = 0; k + 8 <= run.length; k += 8) {
      std::memcpy(&eight, classes + k, sizeof eight);
      for (std::int32_t i = 0; eight != 0 && i < 8; ++i) look(k + i);
    }
    for (; k < run.length; ++k) look(k);
  });
  return missing;
}

/// Numbers of pixels by the plane's height at them, measured and missing.
struct PlaneHistogram {
  std::array<std::array<double, bins>, 2> of{};  // measured, missing
  double measured = 0, missing = 0;
};

// Pixels whose bins are known at once, with a constant number of turns; those beyond a run are of no effect.
constexpr std::int32_t binned_px = 64;

DATUM_HD void bins_of(const PlaneRow& row, std::int32_t col, std::uint8_t* __restrict to) {
  for (std::int32_t k = 0; k < binned_px; ++k) to[k] = static_cast<std::uint8_t>(row.bin_at(col + k));
}

/// Pixels by their bins. Neighbours count in different lines, so that none waits for the count before it.
struct Tally {
  static constexpr std::int32_t lines = 4;
  std::array<Counts, lines> all{};

  void add(const std::uint8_t* bin, std::int32_t n) {
    std::int32_t k = 0;
    for (; k + lines <= n; k += lines)
      for (std::int32_t line = 0; line < lines; ++line) ++all[static_cast<std::size_t>(line)][bin[k + line]];
    for (; k < n; ++k) ++all[0][bin[k]];
  }
};

PlaneHistogram count_pixels(const CountedRuns& body, const PlaneBins& plane, const MissingPixels& missing) {
  Tally tally;
  vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
    std::array<std::uint8_t, binned_px> bin;
    body.each([&](const PixelRun& run) DATUM_VECTOR_LOOP {
      const PlaneRow row = PlaneRow::of(plane, run.row);
      for (std::int32_t from = 0; from < run.length; from += binned_px) {
        bins_of(row, run.col + from, bin.data());
        tally.add(bin.data(), std::min(binned_px, run.length - from));
      }
    });
  });
  PlaneHistogram h;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    std::uint32_t sum = 0;
    for (const Counts& line : tally.all) sum += line[bin];
    h.of[1][bin] = missing.of[bin];
    h.of[0][bin] = sum - missing.of[bin];
  }
  h.missing = missing.count;
  h.measured = missing.all - missing.count;
  return h;
}

/// Half of the measured pixels that lie by chance beyond a threshold with as many pixels beyond it as are missing.
double half_of_chance(double missing, double measured) {
  return missing * measured / (missing + measured) / 2;
}

/// Upper 95 % limit of a count.
double upper_limit(double count) { return count + 2 * std::sqrt(count) + 1; }

/// Whether pixels are missing wherever the plane is: what most bodies show, told from a bin for each 16 pixels. As many
/// pixels lie beyond the threshold as are missing, so that the measured ones beyond it are as many as the missing ones
/// before it. Each piece counts in its bin that is farthest from the threshold's side, so that the threshold is nowhere
/// nearer than here and at least so many measured pixels lie beyond it.
bool missing_by_chance(const CountedRuns& body, const PlaneBins& plane, const MissingPixels& missing) {
  constexpr std::int32_t step_px = 16;
  const bool above = missing.lie_above();
  Counts all{};
  body.each([&](const PixelRun& run) {
    const PlaneRow row = PlaneRow::of(plane, run.row);
    for (std::int32_t from = 0; from < run.length; from += step_px) {
      const std::int32_t n = std::min(step_px, run.length - from);
      const int ends[] = {row.bin_at(run.col + from), row.bin_at(run.col + from + n - 1)};
      const int bin = above ? std::min(ends[0], ends[1]) : std::max(ends[0], ends[1]);
      all[static_cast<std::size_t>(bin)] += static_cast<std::uint32_t>(n);
    }
  });
  std::uint32_t reached = 0, missing_beyond = 0;
  for (int i = 0; i < bins && reached < missing.count; ++i) {
    const auto bin = static_cast<std::size_t>(above ? bins - 1 - i : i);
    reached += all[bin];
    missing_beyond += missing.of[bin];
  }
  const double beyond = missing.count - missing_beyond, measured = missing.all - missing.count;
  return upper_limit(beyond) > half_of_chance(missing.count, measured) + 1;  // 1: more than rounding
}

/// How far one looks from the missing pixels' end, and what lies there.
struct Beyond {
  double measured = 0, height = 0;
};

/// The threshold beyond which as many pixels lie as are missing, and the measured ones beyond it.
Beyond beyond_threshold(const PlaneHistogram& h, const PlaneBins& plane, bool from_above) {
  double left = h.missing;
  Beyond b;
  for (int i = 0; i < bins; ++i) {
    const auto bin = static_cast<std::size_t>(from_above ? bins - 1 - i : i);
    const double here = h.of[0][bin] + h.of[1][bin];
    const double part = here > left ? left / here : 1;
    b.measured += part * h.of[0][bin];
    left -= part * here;
    const double reached = (i + part) * plane.width();
    b.height = from_above ? plane.high - reached : plane.low + reached;
    if (part < 1 || left <= 0) break;
  }
  return b;
}

/// Largest number of pixels per nm of the plane's height.
double densest(const PlaneHistogram& h, const PlaneBins& plane) {
  double here = 0, most = 0;
  for (int i = 0; i < bins; ++i) {
    const auto count = [&](int bin) {
      return h.of[0][static_cast<std::size_t>(bin)] + h.of[1][static_cast<std::size_t>(bin)];
    };
    here += count(i) - (i >= window ? count(i - window) : 0);
    most = std::max(most, here);
  }
  return most / (window * plane.width());
}

}  // namespace

double SlopeLoss::share(double noise_um) const {
  return std::min(per_um * noise_um, per_um2 * noise_um * noise_um);
}

SlopeLoss slope_loss(const PixelRun* runs, std::uint32_t count, const std::uint8_t* classes,
                     std::int32_t cols, const TopPlane& top) {
  const double moment = top.slope_col_nm * top.slope_col_nm * top.scc +
                        2 * top.slope_col_nm * top.slope_row_nm * top.scr +
                        top.slope_row_nm * top.slope_row_nm * top.srr;
  if (!top.defined || !(moment > 0)) return {};
  const auto height_at = [&](const PixelRun& run, std::int32_t k) {
    return top.slope_col_nm * (run.col + k - top.mean_col) + top.slope_row_nm * (run.row - top.mean_row);
  };
  PlaneBins plane{top};
  std::uint32_t pixels = 0;
  for (const PixelRun* run = runs; run != runs + count; ++run) {
    const double ends[] = {height_at(*run, 0), height_at(*run, run->length - 1)};
    plane.low = std::min({plane.low, ends[0], ends[1]});
    plane.high = std::max({plane.high, ends[0], ends[1]});
    pixels += static_cast<std::uint32_t>(run->length);
  }
  if (!(plane.high > plane.low)) return {};
  // A large body is counted in some of its rows.
  const std::uint32_t step = std::max(1u, std::min(pixels / enough_pixels, count / enough_rows));
  const CountedRuns body{runs, count, step, classes, cols};
  const MissingPixels missing = missing_pixels(body, plane);
  if (missing.count == 0 || missing.count == missing.all) return {};
  if (missing_by_chance(body, plane, missing)) return {};
  const PlaneHistogram h = count_pixels(body, plane, missing);
  const bool from_above = missing.lie_above();
  const Beyond beyond = beyond_threshold(h, plane, from_above);
  const double most = upper_limit(beyond.measured);
  if (most > half_of_chance(h.missing, h.measured)) return {};
  SlopeLoss lost;
  lost.per_um = std::sqrt(2 * M_PI) * most * step * std::abs(beyond.height) / moment * 1e3;
  lost.per_um2 = densest(h, plane) * step * std::abs(from_above ? plane.high : plane.low) / moment * 1e6;
  return lost;
}

}  // namespace datum

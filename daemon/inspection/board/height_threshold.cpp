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

/// Numbers of pixels by the plane's height at them, measured and missing, from `low` on.
struct PlaneHistogram {
  double low = HUGE_VAL, high = -HUGE_VAL;
  std::array<std::array<double, bins>, 2> of{};  // measured, missing
  double measured = 0, missing = 0, missing_sum = 0;

  double width() const { return (high - low) / bins; }
};

/// The plane over a run's row and the bins of its heights.
struct PlaneRow {
  double slope_col_nm, mean_col, row_nm, low, scale;
  DATUM_VECTOR_LOOP double height_at(std::int32_t col) const {
    return slope_col_nm * (col - mean_col) + row_nm;
  }
};

// Pixels whose bins are known at once, with a constant number of turns; those beyond a run are of no effect.
constexpr std::int32_t piece_px = 64;

DATUM_HD void bins_of(const PlaneRow& row, std::int32_t col, std::uint8_t* __restrict to) {
  for (std::int32_t k = 0; k < piece_px; ++k) {
    const double bin = (row.height_at(col + k) - row.low) * row.scale;
    to[k] = static_cast<std::uint8_t>(static_cast<int>(bin > 0 ? std::min(bin, bins - 1.0) : 0.0));
  }
}

/// Pixels by their bins. Neighbours count in different lines, so that none waits for the count before it.
struct Tally {
  static constexpr std::int32_t lines = 4;
  std::array<std::array<std::uint32_t, bins>, lines> all{};
  std::array<std::uint32_t, bins> missing{};
  double missing_sum = 0;

  void add(const std::uint8_t* bin, std::int32_t n) {
    std::int32_t k = 0;
    for (; k + lines <= n; k += lines)
      for (std::int32_t line = 0; line < lines; ++line) ++all[static_cast<std::size_t>(line)][bin[k + line]];
    for (; k < n; ++k) ++all[0][bin[k]];
  }
  void add_missing(const PlaneRow& row, std::int32_t col, const std::uint8_t* classes,
                   const std::uint8_t* bin, std::int32_t n) {
    for (std::int32_t from = 0; from < n; from += 8) {
      const std::int32_t end = std::min(from + 8, n);
      std::uint64_t eight = 0;
      std::memcpy(&eight, classes + from, static_cast<std::size_t>(end - from));
      if (eight == 0) continue;
      for (std::int32_t k = from; k < end; ++k) {
        if (classes[k] == 0) continue;
        ++missing[bin[k]];
        missing_sum += row.height_at(col + k);
      }
    }
  }
  void give(PlaneHistogram& h) const {
    for (std::size_t bin = 0; bin < bins; ++bin) {
      std::uint32_t sum = 0;
      for (const auto& line : all) sum += line[bin];
      h.of[1][bin] = missing[bin];
      h.of[0][bin] = sum - missing[bin];
      h.missing += h.of[1][bin];
      h.measured += h.of[0][bin];
    }
    h.missing_sum = missing_sum;
  }
};

/// How far one looks from the missing pixels' end, and what lies there.
struct Beyond {
  double measured = 0, height = 0;
};

/// The threshold beyond which as many pixels lie as are missing, and the measured ones beyond it.
Beyond beyond_threshold(const PlaneHistogram& h, bool from_above) {
  double left = h.missing;
  Beyond b;
  for (int i = 0; i < bins; ++i) {
    const auto bin = static_cast<std::size_t>(from_above ? bins - 1 - i : i);
    const double here = h.of[0][bin] + h.of[1][bin];
    const double part = here > left ? left / here : 1;
    b.measured += part * h.of[0][bin];
    left -= part * here;
    const double reached = (i + part) * h.width();
    b.height = from_above ? h.high - reached : h.low + reached;
    if (part < 1 || left <= 0) break;
  }
  return b;
}

/// Largest number of pixels per nm of the plane's height.
double densest(const PlaneHistogram& h) {
  double here = 0, most = 0;
  for (int i = 0; i < bins; ++i) {
    const auto count = [&](int bin) {
      return h.of[0][static_cast<std::size_t>(bin)] + h.of[1][static_cast<std::size_t>(bin)];
    };
    here += count(i) - (i >= window ? count(i - window) : 0);
    most = std::max(most, here);
  }
  return most / (window * h.width());
}

/// Classes of a frame.
struct Classes {
  const std::uint8_t* first;
  std::int32_t cols;
};

/// Those of every `step`-th run.
void count_pixels(PlaneHistogram& h, const PixelRun* runs, std::uint32_t count, std::uint32_t step,
                  const Classes& classes, const TopPlane& top) {
  Tally tally;
  const double scale = bins / (h.high - h.low);
  vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
    std::array<std::uint8_t, piece_px> bin;
    for (std::uint32_t i = 0; i < count; i += step) {
      const PixelRun run = runs[i];
      const PlaneRow row{top.slope_col_nm, top.mean_col, top.slope_row_nm * (run.row - top.mean_row), h.low,
                         scale};
      const std::uint8_t* of_run =
          classes.first + static_cast<std::size_t>(run.row) * static_cast<std::size_t>(classes.cols) +
          static_cast<std::size_t>(run.col);
      for (std::int32_t from = 0; from < run.length; from += piece_px) {
        const std::int32_t n = std::min(piece_px, run.length - from);
        bins_of(row, run.col + from, bin.data());
        tally.add(bin.data(), n);
        tally.add_missing(row, run.col + from, of_run + from, bin.data(), n);
      }
    }
  });
  tally.give(h);
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
  PlaneHistogram h;
  std::uint32_t pixels = 0;
  for (const PixelRun* run = runs; run != runs + count; ++run) {
    const double ends[] = {height_at(*run, 0), height_at(*run, run->length - 1)};
    h.low = std::min({h.low, ends[0], ends[1]});
    h.high = std::max({h.high, ends[0], ends[1]});
    pixels += static_cast<std::uint32_t>(run->length);
  }
  if (!(h.high > h.low)) return {};
  // A large body is counted in some of its rows.
  const std::uint32_t step = std::max(1u, std::min(pixels / enough_pixels, count / enough_rows));
  count_pixels(h, runs, count, step, {classes, cols}, top);
  if (h.missing == 0 || h.measured == 0) return {};
  const bool from_above = h.missing_sum > 0;
  const Beyond beyond = beyond_threshold(h, from_above);
  const double most = beyond.measured + 2 * std::sqrt(beyond.measured) + 1;
  if (most > h.missing * h.measured / (h.missing + h.measured) / 2) return {};
  SlopeLoss lost;
  lost.per_um = std::sqrt(2 * M_PI) * most * step * std::abs(beyond.height) / moment * 1e3;
  lost.per_um2 = densest(h) * step * std::abs(from_above ? h.high : h.low) / moment * 1e6;
  return lost;
}

}  // namespace datum

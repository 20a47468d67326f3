#include "daemon/inspection/board/height_threshold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

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
  const double scale = bins / (h.high - h.low);
  for (std::uint32_t i = 0; i < count; i += step) {
    const std::uint8_t* of_run = classes +
                                 static_cast<std::size_t>(runs[i].row) * static_cast<std::size_t>(cols) +
                                 static_cast<std::size_t>(runs[i].col);
    for (std::int32_t k = 0; k < runs[i].length; ++k) {
      const double at = height_at(runs[i], k);
      const bool missing = of_run[k] != 0;
      const auto bin = std::clamp(static_cast<int>((at - h.low) * scale), 0, bins - 1);
      h.of[missing][static_cast<std::size_t>(bin)] += 1;
      (missing ? h.missing : h.measured) += 1;
      if (missing) h.missing_sum += at;
    }
  }
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

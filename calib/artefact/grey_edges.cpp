#include "calib/artefact/grey_edges.h"

#include <algorithm>
#include <cmath>

namespace datum {

namespace {

/// Median of the samples from `from` to `to`; empty where they leave the scan line.
std::optional<double> level(std::span<const double> grey, double from, double to) {
  const long first = std::lround(from), last = std::lround(to);
  if (first < 0 || last >= static_cast<long>(grey.size()) || first > last) return std::nullopt;
  std::vector<double> part(grey.begin() + first, grey.begin() + last + 1);
  std::nth_element(part.begin(), part.begin() + static_cast<long>(part.size() / 2), part.end());
  return part[part.size() / 2];
}

/// Crossing of the threshold between samples i and i + 1.
double crossing(std::span<const double> grey, std::size_t i, double threshold) {
  return static_cast<double>(i) + (threshold - grey[i]) / (grey[i + 1] - grey[i]);
}

/// First rise of the grey above the threshold from the middle outwards by `step`.
std::optional<double> rise(std::span<const double> grey, long from, int step, double threshold) {
  for (long i = from; i + step >= 0 && i + step < static_cast<long>(grey.size()); i += step) {
    if (grey[static_cast<std::size_t>(i)] >= threshold) return std::nullopt;
    if (grey[static_cast<std::size_t>(i + step)] < threshold) continue;
    return crossing(grey, static_cast<std::size_t>(std::min(i, i + step)), threshold);
  }
  return std::nullopt;
}

}  // namespace

std::vector<double> moving_average(std::span<const double> grey, int half) {
  const long n = static_cast<long>(grey.size());
  std::vector<double> smooth(grey.size());
  for (long i = 0; i < n; ++i) {
    const long reach = std::min({static_cast<long>(half), i, n - 1 - i});
    double sum = 0;
    for (long k = i - reach; k <= i + reach; ++k) sum += grey[static_cast<std::size_t>(k)];
    smooth[static_cast<std::size_t>(i)] = sum / static_cast<double>(2 * reach + 1);
  }
  return smooth;
}

std::vector<DarkRun> dark_runs(std::span<const double> grey, double threshold) {
  std::vector<DarkRun> runs;
  std::optional<double> left;
  for (std::size_t i = 0; i + 1 < grey.size(); ++i) {
    const bool dark = grey[i] < threshold, next_dark = grey[i + 1] < threshold;
    if (!dark && next_dark) left = crossing(grey, i, threshold);
    if (dark && !next_dark && left) runs.push_back({*left, crossing(grey, i, threshold)});
  }
  return runs;
}

std::optional<DarkRun> dark_line(std::span<const double> grey, double middle, double width,
                                 double least_contrast, int half) {
  const auto before = level(grey, middle - 1.3 * width, middle - 0.75 * width);
  const auto after = level(grey, middle + 0.75 * width, middle + 1.3 * width);
  const auto dark = level(grey, middle - 0.25 * width, middle + 0.25 * width);
  if (!before || !after || !dark || std::min(*before, *after) - *dark < least_contrast) return std::nullopt;
  // Only samples around the flanks are smoothed.
  const long first = std::max(0L, std::lround(middle - 1.4 * width));
  const long last = std::min(static_cast<long>(grey.size()) - 1, std::lround(middle + 1.4 * width));
  const std::vector<double> smooth = moving_average(
      grey.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first + 1)), half);
  const long start = std::lround(middle) - first;
  const auto left = rise(smooth, start, -1, (*before + *dark) / 2);
  const auto right = rise(smooth, start, +1, (*after + *dark) / 2);
  if (!left || !right || std::abs(*right - *left - width) > width / 3) return std::nullopt;
  return DarkRun{*left + static_cast<double>(first), *right + static_cast<double>(first)};
}

}  // namespace datum

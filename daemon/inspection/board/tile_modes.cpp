#include "daemon/inspection/board/tile_modes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "calib/linear/median.h"
#include "daemon/inspection/board/tile_surface.h"

namespace datum {
namespace {

constexpr double quantile = 0.4, sigmas_at_quantile = 0.5244;  // P(|N| <= 0.5244) = 0.4
constexpr double window_sigmas = 2.5;
// Standard deviation of a normal distribution's part within 2.5 of them.
constexpr double within_window = 0.9546;
constexpr int most_shifts = 30;

/// Residuals about a plane, tile by tile, sorted within each.
struct Residual {
  double r;
  float x, y;
};
using TileResiduals = std::vector<std::vector<Residual>>;

TileResiduals residuals_of(const std::vector<std::uint16_t>& tile_of, std::size_t tiles,
                           const RingHeights& ring, const PlaneFit& plane) {
  TileResiduals out(tiles);
  for (std::size_t i = 0; i < tile_of.size(); ++i) {
    if (!(std::fabs(ring.z[i]) <= std::numeric_limits<float>::max())) continue;
    const double r = residual_of(ring, i, plane);
    out[tile_of[i]].push_back({r, ring.x[i], ring.y[i]});
  }
  for (auto& tile : out)
    std::sort(tile.begin(), tile.end(), [](const Residual& a, const Residual& b) { return a.r < b.r; });
  return out;
}

/// Standard deviation of the fullest level of a tile: from the shortest interval that holds 40 % of its
/// pixels, then from the pixels within 2.5 of it. The median absolute deviation would count a trace through
/// the tile as noise.
double noise_of(const std::vector<Residual>& tile) {
  const std::size_t held =
      std::max<std::size_t>(2, static_cast<std::size_t>(quantile * static_cast<double>(tile.size())));
  std::size_t first = 0;
  for (std::size_t i = 0; i + held <= tile.size(); ++i)
    if (tile[i + held - 1].r - tile[i].r < tile[first + held - 1].r - tile[first].r) first = i;
  double noise = (tile[first + held - 1].r - tile[first].r) / (2 * sigmas_at_quantile);
  double middle = (tile[first + held - 1].r + tile[first].r) / 2;
  for (int round = 0; round < 4; ++round) {
    double n = 0, sum = 0, squares = 0;
    for (const Residual& p : tile) {
      const double d = p.r - middle;
      if (!(std::fabs(d) <= window_sigmas * noise)) continue;
      ++n;
      sum += d;
      squares += d * d;
    }
    if (n < 2) break;
    const double mean = sum / n;
    noise = std::sqrt(std::max(0.0, (squares - n * mean * mean) / (n - 1))) / within_window;
    middle += mean;
  }
  return noise;
}

double noise_of(const TileResiduals& tiles) {
  std::vector<double> of_tiles;
  for (const auto& tile : tiles)
    if (tile.size() >= 2 * least_tile_pixels) of_tiles.push_back(noise_of(tile));
  return of_tiles.empty() ? 0 : median_of(std::move(of_tiles));
}

/// Mode of one tile: the fullest window, then the mean within 2.5 standard deviations, iterated to its fixed
/// point.
TileLevel mode_of(const std::vector<Residual>& tile, double noise) {
  TileLevel level;
  level.heights = static_cast<std::uint32_t>(tile.size());
  if (tile.empty()) return level;
  std::size_t most = 0, begin = 0;
  for (std::size_t first = 0, end = 0; first < tile.size(); ++first) {
    while (end < tile.size() && tile[end].r - tile[first].r <= 3 * noise) ++end;
    if (end - first > most) {
      most = end - first;
      begin = first;
    }
  }
  std::size_t first = begin, end = begin + most;
  for (int round = 0; round < most_shifts; ++round) {
    double sum = 0;
    for (std::size_t i = first; i < end; ++i) sum += tile[i].r;
    level.level = sum / static_cast<double>(end - first);
    std::size_t low = 0;
    while (tile[low].r < level.level - window_sigmas * noise) ++low;
    std::size_t high = low;
    while (high < tile.size() && tile[high].r <= level.level + window_sigmas * noise) ++high;
    if (low == first && high == end) break;
    first = low;
    end = high;
  }
  level.inliers = static_cast<std::uint32_t>(end - first);
  for (std::size_t i = first; i < end; ++i) {
    level.x += tile[i].x;
    level.y += tile[i].y;
  }
  level.x /= level.inliers;
  level.y /= level.inliers;
  return level;
}

/// Neighbours along a run in one tile, both near its mode.
struct Neighbours {
  double squares = 0, n = 0;
  double products[2] = {}, pairs[2] = {};  // one and two pixels apart
  /// Sum of the autocorrelation over two pixels in either direction along a row.
  double sum() const {
    double sum = 1;
    for (std::size_t k = 0; k < 2; ++k)
      if (pairs[k] > 0) sum += 2 * std::clamp(products[k] / pairs[k] * n / squares, -1.0, 1.0);
    return sum;
  }
};

/// The median over the tiles, so that a ramp through some of them does not count as noise.
double correlation_about(const std::vector<TileLevel>& modes, const std::vector<std::uint16_t>& tile_of,
                         const RingHeights& ring, const PlaneFit& plane, double noise) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<Neighbours> of_tile(modes.size());
  double before[2] = {};  // of the last pixel, and the one before it
  std::int32_t left_of_run = 0;
  const PixelRun* run = ring.runs;
  for (std::size_t i = 0; i < tile_of.size(); ++i) {
    const bool new_run = left_of_run == 0;
    if (new_run) left_of_run = (run++)->length;
    --left_of_run;
    if (new_run || tile_of[i] != tile_of[i - 1]) before[0] = before[1] = none;
    double r = residual_of(ring, i, plane) - modes[tile_of[i]].level;
    if (!(std::fabs(r) <= window_sigmas * noise)) r = none;
    Neighbours& t = of_tile[tile_of[i]];
    for (std::size_t k = 0; k < 2; ++k) {
      if (std::isnan(r * before[k])) continue;
      t.products[k] += r * before[k];
      ++t.pairs[k];
    }
    if (!std::isnan(r)) {
      t.squares += r * r;
      ++t.n;
    }
    before[1] = before[0];
    before[0] = r;
  }
  std::vector<double> sums;
  for (const Neighbours& t : of_tile)
    if (t.n >= 2 * least_tile_pixels && t.squares > 0) sums.push_back(t.sum());
  const double sum = sums.empty() ? 1 : std::max(1.0, median_of(std::move(sums)));
  return sum * sum;
}

}  // namespace

TileModes modes_of(const RingTiles& tiles, const RingHeights& ring, const PlaneFit& plane,
                   double least_noise_um, double expected_form_um) {
  const std::vector<std::uint16_t> tile_of = tiles.of_pixel(ring.runs);
  const TileResiduals residuals = residuals_of(tile_of, tiles.count(), ring, plane);
  TileModes modes;
  modes.noise_um = std::max(noise_of(residuals), least_noise_um);
  std::vector<TileLevel> all;
  for (const auto& tile : residuals) all.push_back(mode_of(tile, modes.noise_um));
  modes.correlation = correlation_about(all, tile_of, ring, plane, modes.noise_um);
  for (std::size_t i = 0; i < all.size(); ++i) {
    TileLevel& level = all[i];
    if (level.inliers < least_tile_pixels) continue;
    const double of_mean = std::min(modes.correlation / level.inliers, most_of_a_pixel);
    level.error = std::sqrt(modes.noise_um * modes.noise_um * of_mean + expected_form_um * expected_form_um);
    modes.levels.push_back(level);
    modes.tile.push_back(i);
  }
  return modes;
}

}  // namespace datum

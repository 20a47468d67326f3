#include "daemon/inspect/tile_modes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "daemon/inspect/tile_surface.h"

namespace datum {
namespace {

constexpr double quantile = 0.4, normal_quantile = 0.5244;  // P(|N| <= 0.5244) = 0.4
constexpr double window_sigmas = 2.5;
constexpr double within_window = 0.9546;  // standard deviation of a normal's part within 2.5 of them
constexpr int most_shifts = 30;

/// Residuals about a plane, tile by tile, sorted within each.
struct Residual {
  double r;
  float x, y;
};
using TileResiduals = std::vector<std::vector<Residual>>;

TileResiduals residuals_of(const RingTiles& tiles, const RingHeights& ring, const PlaneFit& plane) {
  TileResiduals out(tiles.count());
  const std::vector<std::uint16_t> tile_of = tiles.of_pixel(ring.runs);
  for (std::size_t i = 0; i < tile_of.size(); ++i) {
    if (!(std::fabs(ring.z[i]) <= std::numeric_limits<float>::max())) continue;
    const double r = residual_of(ring, i, plane);
    out[tile_of[i]].push_back({r, ring.x[i], ring.y[i]});
  }
  for (auto& tile : out)
    std::sort(tile.begin(), tile.end(), [](const Residual& a, const Residual& b) { return a.r < b.r; });
  return out;
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Standard deviation of the fullest level of a tile: from the shortest interval that holds 40 % of its pixels, then of the
/// pixels within 2.5 of it. The median absolute deviation would take a trace through the tile for noise.
double noise_of(const std::vector<Residual>& tile) {
  const std::size_t held =
      std::max<std::size_t>(2, static_cast<std::size_t>(quantile * static_cast<double>(tile.size())));
  std::size_t first = 0;
  for (std::size_t i = 0; i + held <= tile.size(); ++i)
    if (tile[i + held - 1].r - tile[i].r < tile[first + held - 1].r - tile[first].r) first = i;
  double noise = (tile[first + held - 1].r - tile[first].r) / (2 * normal_quantile);
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
  return of_tiles.empty() ? 0 : median_of(of_tiles);
}

/// Mode of one tile: the fullest window, then the mean within 2.5 standard deviations to its fixed point.
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

}  // namespace

TileModes modes_of(const RingTiles& tiles, const RingHeights& ring, const PlaneFit& plane,
                   double least_noise_um, double expected_form_um) {
  const TileResiduals residuals = residuals_of(tiles, ring, plane);
  TileModes modes;
  modes.noise_um = std::max(noise_of(residuals), least_noise_um);
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    TileLevel level = mode_of(residuals[i], modes.noise_um);
    if (level.inliers < least_tile_pixels) continue;
    level.error =
        std::sqrt(modes.noise_um * modes.noise_um / level.inliers + expected_form_um * expected_form_um);
    modes.levels.push_back(level);
    modes.tile.push_back(i);
  }
  return modes;
}

}  // namespace datum

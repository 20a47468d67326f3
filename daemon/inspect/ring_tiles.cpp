#include "daemon/inspect/ring_tiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "daemon/inspect/tile_surface.h"

namespace datum {
namespace {

constexpr double wanted_tiles = 48;
constexpr std::int32_t least_side_px = 4;

/// Of the noise's variance of a tile's mean at most this share of a pixel's: noise that is one height all over a tile
/// can't be told from form.
constexpr double most_of_a_pixel = 0.5;

}  // namespace

RingTiles::RingTiles(const SitePlan& site, const PixelRun* runs) {
  side_px_ = std::max(least_side_px,
                      static_cast<std::int32_t>(std::lround(std::sqrt(site.ring_pixels / wanted_tiles))));
  std::int32_t first_row = std::numeric_limits<std::int32_t>::max(), first_col = first_row, last_row = 0,
               last_col = 0;
  for (std::uint32_t i = 0; i < site.ring_runs; ++i) {
    first_row = std::min(first_row, runs[i].row);
    first_col = std::min(first_col, runs[i].col);
    last_row = std::max(last_row, runs[i].row);
    last_col = std::max(last_col, runs[i].col + runs[i].length - 1);
  }
  if (site.ring_runs == 0) return;
  const std::int32_t across = (last_col - first_col) / side_px_ + 1,
                     down = (last_row - first_row) / side_px_ + 1;
  constexpr std::uint16_t none = 0xFFFF;
  std::vector<std::uint16_t> tile_at(static_cast<std::size_t>(across) * static_cast<std::size_t>(down), none);
  of_pixel_.reserve(site.ring_pixels);
  for (std::uint32_t i = 0; i < site.ring_runs; ++i) {
    const std::size_t row =
        static_cast<std::size_t>((runs[i].row - first_row) / side_px_) * static_cast<std::size_t>(across);
    for (std::int32_t k = 0; k < runs[i].length; ++k) {
      std::uint16_t& tile = tile_at[row + static_cast<std::size_t>((runs[i].col + k - first_col) / side_px_)];
      if (tile == none) tile = static_cast<std::uint16_t>(count_++);
      of_pixel_.push_back(tile);
    }
  }
}

namespace {

/// Sums over a tile's inliers; x and y from the tile's first one, r the residual.
struct TileSums {
  double x0 = 0, y0 = 0;
  double x = 0, y = 0, r = 0, xx = 0, xy = 0, yy = 0, xr = 0, yr = 0, rr = 0;
};

/// Squares about the tile's own least-squares plane, so that bow is not taken for noise.
double squares_about_plane(const TileSums& s, double n) {
  const double xx = s.xx - s.x * s.x / n, xy = s.xy - s.x * s.y / n, yy = s.yy - s.y * s.y / n;
  const double xr = s.xr - s.x * s.r / n, yr = s.yr - s.y * s.r / n, rr = s.rr - s.r * s.r / n;
  const double det = xx * yy - xy * xy;
  if (!(det > 1e-6 * xx * yy)) return std::max(0.0, rr);
  const double a = (xr * yy - yr * xy) / det, b = (yr * xx - xr * xy) / det;
  return std::max(0.0, rr - a * xr - b * yr);
}

}  // namespace

std::vector<TileLevel> tile_means(const RingTiles& tiles, const RingHeights& ring, const PlaneFit& plane,
                                  double reach_um) {
  std::vector<TileLevel> out(tiles.count());
  std::vector<TileSums> sums(tiles.count());
  const std::vector<std::uint16_t>& tile_of = tiles.of_pixel();
  for (std::size_t i = 0; i < tile_of.size(); ++i) {
    if (!(std::fabs(ring.z[i]) <= std::numeric_limits<float>::max())) continue;
    TileLevel& t = out[tile_of[i]];
    ++t.heights;
    const double r = residual_of(ring, i, plane);
    if (!(std::fabs(r) <= reach_um)) continue;
    TileSums& s = sums[tile_of[i]];
    if (t.inliers++ == 0) {
      s.x0 = ring.x[i];
      s.y0 = ring.y[i];
    }
    const double x = ring.x[i] - s.x0, y = ring.y[i] - s.y0;
    s.x += x;
    s.y += y;
    s.r += r;
    s.xx += x * x;
    s.xy += x * y;
    s.yy += y * y;
    s.xr += x * r;
    s.yr += y * r;
    s.rr += r * r;
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    TileLevel& t = out[k];
    if (t.inliers == 0) continue;
    const TileSums& s = sums[k];
    t.x = s.x0 + s.x / t.inliers;
    t.y = s.y0 + s.y / t.inliers;
    t.level = s.r / t.inliers;
    t.squares = squares_about_plane(s, t.inliers);
  }
  return out;
}

TileForm form_of(const std::vector<TileLevel>& tiles, int parameters, double noise_um, double correlation,
                 double expected_form_um, double x, double y) {
  TileForm f;
  std::vector<TileLevel> told;
  double pixels = 0, heights = 0, inliers = 0;
  for (const TileLevel& t : tiles) {
    heights += t.heights;
    inliers += t.inliers;
    if (t.inliers < least_tile_pixels) continue;
    told.push_back(t);
    pixels += t.inliers;
  }
  f.tiles = static_cast<std::uint32_t>(told.size());
  const TileSurface surface(told, parameters), quadratic(told, 6);
  const TileSurface& left = quadratic.defined() && f.tiles >= 9 ? quadratic : surface;
  const int fitted = &left == &quadratic ? 6 : parameters;
  if (!surface.defined() || f.tiles < static_cast<std::uint32_t>(fitted) + 3) {
    f.between_um = f.u_between_um = noise_um;  // too few to tell form from noise
    return f;
  }
  const double share = inliers / heights, form2 = expected_form_um * expected_form_um;
  double expected = 0, squares = 0, worst = 0, even = 0;
  bool lacking = false;
  for (const TileLevel& t : told) {
    const double of_mean = noise_um * noise_um * std::min(correlation / t.inliers, most_of_a_pixel);
    const double d = t.level - left.at(t.x, t.y), off = t.level - surface.at(t.x, t.y);
    expected += t.inliers * of_mean;
    squares += t.inliers * d * d;
    even += t.inliers * off * off / (of_mean + form2);
    worst = std::max(worst, off * off / (of_mean + form2));
  }
  for (const TileLevel& t : tiles) {
    const double wanted = share * t.heights;
    lacking = lacking || t.inliers < wanted - 5 * std::sqrt(wanted * (1 - share) + 1) - 0.1 * wanted;
  }
  const double freedom = static_cast<double>(f.tiles) - fitted;
  f.expected_um2 = expected / pixels;
  f.variance_um2 = squares / pixels * f.tiles / freedom;
  f.between_um = std::sqrt(std::max(0.0, f.variance_um2 - f.expected_um2));
  f.u_between_um = std::sqrt(f.between_um * f.between_um + f.expected_um2 * std::sqrt(2 / freedom));
  f.told_um2 = std::max(0.0, f.variance_um2 - f.expected_um2 * (1 + std::sqrt(2 / freedom)));
  f.leverage = std::max(1.0, surface.leverage(x, y) * pixels);
  if (&left == &quadratic) {
    f.slope = quadratic.slope(x, y);
    f.slope_leverage = quadratic.slope_leverage(x, y);
  }
  if (quadratic.defined()) f.quadratic_leverage = quadratic.leverage(x, y) * pixels;
  // three standard deviations of chi-squared: one even ring of some 700 is looked at more closely for it
  const double plane_freedom = static_cast<double>(f.tiles) - parameters;
  f.even = share > 0.75 && !lacking && worst < 25 &&
           even / pixels * f.tiles < plane_freedom * (1 + 3 * std::sqrt(2 / plane_freedom));
  return f;
}

}  // namespace datum

#include "daemon/inspection/board/tile_form.h"

#include <algorithm>
#include <cmath>

namespace datum {
FittedTiles::FittedTiles(const std::vector<TileLevel>& all, int wanted) : parameters(wanted) {
  double heights = 0, inliers = 0;
  for (const TileLevel& t : all) {
    heights += t.heights;
    inliers += t.inliers;
    if (t.inliers < least_tile_pixels) continue;
    told.push_back(t);
    pixels += t.inliers;
  }
  share = inliers / heights;
  for (const TileLevel& t : all) {
    const double expected = share * t.heights;
    lacking = lacking || t.inliers < expected - 5 * std::sqrt(expected * (1 - share) + 1) - 0.1 * expected;
  }
  quadratic = TileSurface(told, 6);
  if (parameters != 6) plane = TileSurface(told, parameters);
}

TileForm form_of(const FittedTiles& tiles, double noise_um, double correlation, double expected_form_um,
                 double x, double y) {
  TileForm f;
  f.tiles = static_cast<std::uint32_t>(tiles.told.size());
  const TileSurface &surface = tiles.surface(), &quadratic = tiles.quadratic;
  const TileSurface& left = quadratic.defined() && f.tiles >= 9 ? quadratic : surface;
  const int fitted = &left == &quadratic ? 6 : tiles.parameters;
  if (!surface.defined() || f.tiles < static_cast<std::uint32_t>(fitted) + 3) {
    f.between_um = f.u_between_um = noise_um;  // too few to separate form from noise
    return f;
  }
  const double form2 = expected_form_um * expected_form_um;
  double expected = 0, squares = 0, worst = 0, even = 0;
  for (const TileLevel& t : tiles.told) {
    const double of_mean = noise_um * noise_um * std::min(correlation / t.inliers, most_of_a_pixel);
    const double d = t.level - left.at(t.x, t.y), off = t.level - surface.at(t.x, t.y);
    expected += t.inliers * of_mean;
    squares += t.inliers * d * d;
    even += t.inliers * off * off / (of_mean + form2);
    worst = std::max(worst, off * off / (of_mean + form2));
  }
  const double freedom = static_cast<double>(f.tiles) - fitted, pixels = tiles.pixels;
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
  // three standard deviations of chi-squared: one even ring in about 700 is examined further
  const double plane_freedom = static_cast<double>(f.tiles) - tiles.parameters;
  f.even = tiles.share > 0.75 && !tiles.lacking && worst < 25 &&
           even / pixels * f.tiles < plane_freedom * (1 + 3 * std::sqrt(2 / plane_freedom));
  return f;
}

}  // namespace datum

#include "daemon/inspect/tile_step.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "daemon/inspect/tile_surface.h"

namespace datum {
namespace {

constexpr int directions = 16;
constexpr int parts = 9;  // lines of a direction: their lower part holds 1/6 to 5/6 of the pixels
constexpr double least_part = 1.0 / 6;

/// Tiles in the order of their places along a direction.
std::vector<std::size_t> along(const std::vector<TileLevel>& tiles, double x, double y) {
  std::vector<std::size_t> order(tiles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double at_a = tiles[a].x * x + tiles[a].y * y, at_b = tiles[b].x * x + tiles[b].y * y;
    return at_a < at_b || (at_a == at_b && a < b);
  });
  return order;
}

/// A step of 1 um, as far as the surface does not follow it: sum of squares over pixels, and its product with what the
/// surface leaves of the levels.
struct Candidate {
  double squares = 0, product = 0, smaller = 0;
  double explained() const { return squares > 0 ? product * product / squares : 0; }
};

}  // namespace

TileStep step_among(const std::vector<TileLevel>& all, double noise_um, double correlation,
                    double expected_form_um) {
  std::vector<TileLevel> tiles;
  double pixels = 0;
  for (const TileLevel& t : all) {
    if (t.inliers < least_tile_pixels) continue;
    tiles.push_back(t);
    pixels += t.inliers;
  }
  constexpr int fitted = 7;  // quadratic and step
  const TileSurface surface(tiles, 6);
  if (!surface.defined() || tiles.size() < fitted + 3) return {};
  std::vector<double> left;
  std::vector<TileSurface::Vector> bases;
  double squares = 0;
  for (const TileLevel& t : tiles) {
    left.push_back(t.level - surface.at(t.x, t.y));
    bases.push_back(surface.basis(t.x, t.y));
    squares += t.inliers * left.back() * left.back();
  }
  Candidate best;
  for (int k = 0; k < directions; ++k) {
    const double turn = M_PI * k / directions;
    const std::vector<std::size_t> order = along(tiles, std::cos(turn), std::sin(turn));
    TileSurface::Vector bases_below = TileSurface::Vector::Zero(6);
    double below = 0, product = 0;
    std::size_t next = 0;
    for (int part = 0; part < parts; ++part) {
      const double share = least_part + part * (1 - 2 * least_part) / (parts - 1);
      for (; next < order.size() && below < share * pixels; ++next) {
        const std::size_t i = order[next];
        bases_below += tiles[i].inliers * bases[i];
        below += tiles[i].inliers;
        product += tiles[i].inliers * left[i];
      }
      const Candidate c{surface.unfollowed(bases_below, below), product,
                        std::min(below, pixels - below) / std::max(below, pixels - below)};
      if (c.squares > 1e-3 * pixels && c.explained() > best.explained()) best = c;
    }
  }
  if (!(best.squares > 0)) return {};
  const double freedom = static_cast<double>(tiles.size()) - fitted;
  const double scatter = (squares - best.explained()) / freedom;
  const double of_noise = noise_um * noise_um * correlation;
  const double of_form = expected_form_um * expected_form_um * pixels / static_cast<double>(tiles.size());
  return {std::abs(best.product) / best.squares,
          std::sqrt((std::max(scatter, of_noise) + of_form) / best.squares), best.smaller};
}

}  // namespace datum

#include "daemon/inspect/tile_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

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

double distance2(const TileLevel& a, const TileLevel& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

/// A step of 1 um, as far as the surface does not follow it: sum of squares over pixels, and its product with what the
/// surface leaves of the levels.
struct Candidate {
  double squares = 0, product = 0, smaller = 0;
  std::vector<bool> below;
  double explained() const { return squares > 0 ? product * product / squares : 0; }
};

/// How alike neighbouring tiles err where neither quadratic nor step tells: noise of low frequencies makes steps by chance, and
/// their variance is (1 + r) / (1 - r) times that of tiles that are independent (a chain around the body).
double neighbours_alike(const std::vector<TileLevel>& tiles, const std::vector<double>& left) {
  double nearest2 = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < tiles.size(); ++k)
      if (k != i) least = std::min(least, distance2(tiles[i], tiles[k]));
    nearest2 += least / static_cast<double>(tiles.size());
  }
  double products = 0, squares = 0, pairs = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    squares += left[i] * left[i] / static_cast<double>(tiles.size());
    for (std::size_t k = 0; k < i; ++k) {
      if (distance2(tiles[i], tiles[k]) > 2.25 * nearest2) continue;
      products += left[i] * left[k];
      ++pairs;
    }
  }
  const double r = pairs > 0 && squares > 0 ? std::clamp(products / pairs / squares, 0.0, 0.9) : 0;
  return (1 + r) / (1 - r);
}

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
    std::vector<bool> is_below(tiles.size(), false);
    double below = 0, product = 0;
    std::size_t next = 0;
    for (int part = 0; part < parts; ++part) {
      const double share = least_part + part * (1 - 2 * least_part) / (parts - 1);
      for (; next < order.size() && below < share * pixels; ++next) {
        const std::size_t i = order[next];
        is_below[i] = true;
        bases_below += tiles[i].inliers * bases[i];
        below += tiles[i].inliers;
        product += tiles[i].inliers * left[i];
      }
      Candidate c{surface.unfollowed(bases_below, below),
                  product,
                  std::min(below, pixels - below) / std::max(below, pixels - below),
                  {}};
      if (!(c.squares > 1e-3 * pixels && c.explained() > best.explained())) continue;
      c.below = is_below;
      best = std::move(c);
    }
  }
  if (!(best.squares > 0)) return {};
  // what step and quadratic together leave
  std::vector<TileLevel> stepped = tiles;
  for (std::size_t i = 0; i < tiles.size(); ++i)
    stepped[i].level -= best.below[i] ? best.product / best.squares : 0;
  const TileSurface about(stepped, 6);
  for (std::size_t i = 0; i < tiles.size(); ++i)
    left[i] = stepped[i].level - about.at(tiles[i].x, tiles[i].y);
  const double freedom = static_cast<double>(tiles.size()) - fitted;
  const double scatter = (squares - best.explained()) / freedom;
  const double of_noise = noise_um * noise_um * correlation;
  const double of_form = expected_form_um * expected_form_um * pixels / static_cast<double>(tiles.size());
  return {std::abs(best.product) / best.squares,
          std::sqrt((std::max(scatter, of_noise) * neighbours_alike(tiles, left) + of_form) / best.squares),
          best.smaller};
}

}  // namespace datum

#include "daemon/inspection/board/tile_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace datum {
namespace {

constexpr std::size_t directions = 16;
constexpr int parts = 9;  // dividing lines per direction: their lower part holds 1/6 to 5/6 of the pixels
constexpr double least_part = 1.0 / 6;

std::array<Eigen::Vector2d, directions> all_directions() {
  std::array<Eigen::Vector2d, directions> all;
  for (std::size_t k = 0; k < directions; ++k) {
    const double turn = M_PI * static_cast<double>(k) / directions;
    all[k] = {std::cos(turn), std::sin(turn)};
  }
  return all;
}

/// Sorts the tiles by their places along a direction; those at one place by their number. `order`: all of them in any
/// order; that of a direction beside it is nearly sorted, which insertion takes least time for.
void order_along(const std::vector<TileLevel>& tiles, const Eigen::Vector2d& direction,
                 std::vector<std::size_t>& order) {
  std::array<double, 128> few;
  std::vector<double> many(tiles.size() > few.size() ? tiles.size() : 0);
  double* const place = many.empty() ? few.data() : many.data();
  for (std::size_t i = 0; i < tiles.size(); ++i)
    place[i] = tiles[i].x * direction.x() + tiles[i].y * direction.y();
  for (std::size_t next = 1; next < order.size(); ++next) {
    const std::size_t i = order[next];
    std::size_t at = next;
    for (; at > 0; --at) {
      const std::size_t before = order[at - 1];
      if (place[before] < place[i] || (place[before] == place[i] && before < i)) break;
      order[at] = before;
    }
    order[at] = i;
  }
}

double distance2(const TileLevel& a, const TileLevel& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

/// A step of 1 um beyond the surface's adaptation: sum of squares over pixels, and product with the surface's
/// residuals. The first tiles of a direction lie below it.
struct Candidate {
  double squares = 0, product = 0, smaller = 0;
  std::size_t direction = 0, below = 0;
  double explained() const { return squares > 0 ? product * product / squares : 0; }
};

/// Residuals of the quadratic.
struct Left {
  std::vector<double> um;
  double squares = 0;  // over pixels
};

Left left_by(const TileSurface& surface, const std::vector<TileLevel>& tiles) {
  Left left;
  for (const TileLevel& t : tiles) {
    left.um.push_back(t.level - surface.at(t.x, t.y));
    left.squares += t.inliers * left.um.back() * left.um.back();
  }
  return left;
}

Candidate best_step(const FittedTiles& fitted, const Left& left,
                    const std::array<Eigen::Vector2d, directions>& along) {
  const std::vector<TileLevel>& tiles = fitted.told;
  std::vector<TileSurface::Vector> bases;
  for (const TileLevel& t : tiles) bases.push_back(t.inliers * fitted.quadratic.basis(t.x, t.y));
  std::vector<std::size_t> order(tiles.size());
  std::iota(order.begin(), order.end(), 0);
  Candidate best;
  for (std::size_t k = 0; k < directions; ++k) {
    order_along(tiles, along[k], order);
    TileSurface::Vector bases_below = TileSurface::Vector::Zero();
    double below = 0, product = 0;
    std::size_t next = 0;
    for (int part = 0; part < parts; ++part) {
      const double share = least_part + part * (1 - 2 * least_part) / (parts - 1);
      for (; next < order.size() && below < share * fitted.pixels; ++next) {
        const std::size_t i = order[next];
        bases_below += bases[i];
        below += tiles[i].inliers;
        product += tiles[i].inliers * left.um[i];
      }
      const Candidate c{fitted.quadratic.unfollowed(bases_below, below), product,
                        std::min(below, fitted.pixels - below) / std::max(below, fitted.pixels - below), k,
                        next};
      if (c.squares > 1e-3 * fitted.pixels && c.explained() > best.explained()) best = c;
    }
  }
  return best;
}

/// Correlation r of neighbouring tiles' residuals from quadratic and step: low-frequency noise causes steps
/// by chance, with a variance (1 + r) / (1 - r) times that of independent tiles (a chain around the body).
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

/// The same for the residuals of step and quadratic together.
double alike_about(const FittedTiles& fitted, const Candidate& step, const Eigen::Vector2d& direction) {
  std::vector<TileLevel> stepped = fitted.told;
  std::vector<std::size_t> order(stepped.size());
  std::iota(order.begin(), order.end(), 0);
  order_along(stepped, direction, order);
  for (std::size_t i = 0; i < step.below; ++i) stepped[order[i]].level -= step.product / step.squares;
  return neighbours_alike(stepped, left_by(TileSurface(stepped, 6), stepped).um);
}

}  // namespace

TileStep step_among(const FittedTiles& fitted, double noise_um, double correlation, double expected_form_um) {
  constexpr int parameters = 7;  // quadratic and step
  const std::size_t tiles = fitted.told.size();
  if (!fitted.quadratic.defined() || tiles < parameters + 3) return {};
  static const std::array<Eigen::Vector2d, directions> along = all_directions();
  const Left left = left_by(fitted.quadratic, fitted.told);
  const Candidate best = best_step(fitted, left, along);
  if (!(best.squares > 0)) return {};
  const double freedom = static_cast<double>(tiles) - parameters;
  const double scatter = (left.squares - best.explained()) / freedom;
  const double of_noise = noise_um * noise_um * correlation;
  const double of_form = expected_form_um * expected_form_um * fitted.pixels / static_cast<double>(tiles);
  TileStep step{std::abs(best.product) / best.squares,
                std::sqrt((std::max(scatter, of_noise) + of_form) / best.squares), best.smaller};
  if (!step.shown()) return step;  // not significant; correlation can only reduce it
  const double alike = alike_about(fitted, best, along[best.direction]);
  step.u_um = std::sqrt((std::max(scatter, of_noise) * alike + of_form) / best.squares);
  return step;
}

}  // namespace datum

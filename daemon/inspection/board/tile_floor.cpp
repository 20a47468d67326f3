#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "calib/linear/linear_algebra.h"
#include "daemon/inspection/board/ring_tiles.h"
#include "daemon/inspection/board/tile_modes.h"
#include "daemon/inspection/board/tile_starts.h"
#include "daemon/inspection/board/tile_surface.h"

namespace datum {
namespace {

/// Standard deviation of a normal distribution over that of its closest 80 %, for a level that holds half of
/// the ring.
constexpr double closest_of_half = 1.51;
constexpr double reach_scales = 3;
/// Standard deviation of a normal distribution over that of its part within 3 of them.
constexpr double truncation = 1.0137;
constexpr int most_rounds = 30;
/// Least share of the ring for a level.
constexpr double least_share = 0.1;
/// Least distance of levels in their own standard deviations: smooth form cut in two would lie 3.5 (a uniform
/// distribution) to 4.1 (a sine's) apart.
constexpr double least_separation = 5;
constexpr std::size_t most_levels = 3;
/// Explanations whose costs differ by less than this share of the ring off all levels are equivalent; where
/// they have different floors, the floor is refused. With levels of 20 and 10 um on a quarter of a ring each
/// (noise 5 um) 2 % more of 1,000 are refused; 5 of them keep a floor up to 15 um off. 0.08, 0.1 and 0.15
/// refuse 4, 8 and 21 % more; 4, 3 and 1 of 4 PASS at 1.25 stay.
constexpr double nearly_as_good = 0.05;

/// The floor's level: its tiles, and their plane or quadratic.
struct Level {
  std::vector<bool> in;
  TileSurface surface;
  double scale = 1;           // of its tiles, in standard errors
  double second = 0;          // pixels of the fullest other level over its own
  bool among_levels = false;  // parallel levels explain the ring
};

/// Level of each tile, -1: none.
using Membership = std::vector<int>;

double pixels_on(const std::vector<TileLevel>& tiles, const Membership& level_of, int level) {
  double pixels = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i)
    if (level_of[i] == level) pixels += tiles[i].inliers;
  return pixels;
}

/// Parallel planes: z = a x + b y + c_k of the tiles of level k.
struct ParallelLevels {
  double a = 0, b = 0;
  std::vector<double> c;
  double rms = 0;  // of the tiles' deviations in standard errors

  double deviation(const TileLevel& t, std::size_t k) const { return t.level - (a * t.x + b * t.y + c[k]); }
};

/// Least squares, each tile weighted by its pixels.
std::optional<ParallelLevels> fit_levels(const std::vector<TileLevel>& tiles, const Membership& level_of,
                                         std::size_t levels) {
  const int size = static_cast<int>(levels) + 2;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 5, 5> normal(size, size);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 5, 1> right(size), row(size);
  normal.setZero();
  right.setZero();
  double far = 0;
  for (const TileLevel& t : tiles) far = std::max({far, std::fabs(t.x), std::fabs(t.y)});
  double on = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (level_of[i] < 0) continue;
    row.setZero();
    row[0] = tiles[i].x / far;
    row[1] = tiles[i].y / far;
    row[2 + level_of[i]] = 1;
    normal += tiles[i].inliers * row * row.transpose();
    right += tiles[i].inliers * tiles[i].level * row;
    ++on;
  }
  const SymmetricSolution fit = solve_symmetric_pivoted(normal, right);
  if (!fit.factored || !(fit.least_pivot > 1e-6 * normal.diagonal().maxCoeff()) || on <= size)
    return std::nullopt;
  ParallelLevels p{fit.x[0] / far, fit.x[1] / far, {}, 0};
  for (int k = 2; k < size; ++k) p.c.push_back(fit.x[k]);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (level_of[i] < 0) continue;
    const double d = p.deviation(tiles[i], static_cast<std::size_t>(level_of[i])) / tiles[i].error;
    p.rms += d * d / (on - size);
  }
  p.rms = std::sqrt(p.rms);
  return p;
}

/// Each tile on the nearest level within the threshold.
Membership members(const std::vector<TileLevel>& tiles, const ParallelLevels& levels, double scale) {
  Membership level_of(tiles.size(), -1);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    double nearest = reach_scales * scale * tiles[i].error;
    for (std::size_t k = 0; k < levels.c.size(); ++k) {
      const double d = std::fabs(levels.deviation(tiles[i], k));
      if (d > nearest) continue;
      nearest = d;
      level_of[i] = static_cast<int>(k);
    }
  }
  return level_of;
}

/// Marks the fullest window of deviations among the tiles without level as level `as`; returns its pixels.
double add_level(const std::vector<TileLevel>& tiles, const std::vector<double>& deviation, double width,
                 int as, Membership& level_of) {
  std::vector<std::size_t> off;
  for (std::size_t i = 0; i < tiles.size(); ++i)
    if (level_of[i] < 0) off.push_back(i);
  std::sort(off.begin(), off.end(),
            [&](std::size_t a, std::size_t b) { return deviation[a] < deviation[b]; });
  double most = 0, sum = 0;
  std::size_t from = 0, to = 0;
  for (std::size_t first = 0, end = 0; first < off.size(); ++first) {
    while (end < off.size() && deviation[off[end]] - deviation[off[first]] <= width)
      sum += tiles[off[end++]].inliers;
    if (sum > most) {
      most = sum;
      from = first;
      to = end;
    }
    sum -= tiles[off[first]].inliers;
  }
  for (std::size_t i = from; i < to; ++i) level_of[off[i]] = as;
  return most;
}

bool apart(const ParallelLevels& levels, double error) {
  for (std::size_t i = 0; i < levels.c.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (std::fabs(levels.c[i] - levels.c[k]) < least_separation * levels.rms * error) return false;
  return true;
}

double all_pixels(const std::vector<TileLevel>& tiles) {
  double pixels = 0;
  for (const TileLevel& t : tiles) pixels += t.inliers;
  return pixels;
}

/// Root mean square of the tiles' standard errors.
double typical_error(const std::vector<TileLevel>& tiles) {
  double squares = 0;
  for (const TileLevel& t : tiles) squares += t.error * t.error;
  return std::sqrt(squares / static_cast<double>(tiles.size()));
}

/// Least squares of all tiles within 3 of their own scale, to an unchanged set: one level with form.
Level formed(const std::vector<TileLevel>& tiles, std::vector<bool> in, int parameters) {
  Level g;
  for (int round = 0; round < most_rounds; ++round) {
    const std::vector<TileLevel> on = chosen(tiles, in);
    const TileSurface surface(on, parameters);
    if (!surface.defined()) break;
    const auto deviation = [&](const TileLevel& t) {
      return std::fabs(t.level - surface.at(t.x, t.y)) / t.error;
    };
    double squares = 0;
    for (const TileLevel& t : on) squares += deviation(t) * deviation(t);
    const double freedom = std::max(1.0, static_cast<double>(on.size()) - parameters);
    g.scale = std::max(1.0, truncation * std::sqrt(squares / freedom));
    g.surface = surface;
    g.in = in;
    std::vector<bool> next(tiles.size());
    for (std::size_t i = 0; i < tiles.size(); ++i) next[i] = deviation(tiles[i]) <= reach_scales * g.scale;
    if (next == in) break;
    in = std::move(next);
  }
  return g;
}

/// Two or three levels with one slope, the first of them already found; none where they are not separated.
std::optional<ParallelLevels> levels_beside(const std::vector<TileLevel>& tiles, const Level& first,
                                            std::size_t count) {
  const double all = all_pixels(tiles), error = typical_error(tiles);
  Membership level_of;
  for (bool in : first.in) level_of.push_back(in ? 0 : -1);
  std::optional<ParallelLevels> levels = fit_levels(tiles, level_of, 1);
  while (levels && levels->c.size() < count) {
    std::vector<double> deviation;
    for (const TileLevel& t : tiles) deviation.push_back(levels->deviation(t, 0));
    const int as = static_cast<int>(levels->c.size());
    if (add_level(tiles, deviation, 2 * reach_scales * first.scale * error, as, level_of) < least_share * all)
      return std::nullopt;
    for (int round = 0; round < most_rounds; ++round) {
      levels = fit_levels(tiles, level_of, static_cast<std::size_t>(as) + 1);
      if (!levels) return std::nullopt;
      Membership next =
          members(tiles, *levels, std::max(1.0, std::min(first.scale, truncation * levels->rms)));
      if (next == level_of) break;
      level_of = std::move(next);
    }
    if (!apart(*levels, error)) return std::nullopt;
  }
  return levels;
}

/// A ring as one level with form, or as several levels: decided by truncated squares on one scale (MSAC; Torr
/// and Zisserman 2000).
struct Explanation {
  Level one;
  std::optional<ParallelLevels> levels;  // none: one level

  double deviation(const TileLevel& t) const {
    if (!levels) return std::fabs(t.level - one.surface.at(t.x, t.y));
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < levels->c.size(); ++k)
      nearest = std::min(nearest, std::fabs(levels->deviation(t, k)));
    return nearest;
  }
  /// A further level costs as much as a tenth of the ring off all levels.
  double cost(const std::vector<TileLevel>& tiles, double scale) const {
    const double further = levels ? static_cast<double>(levels->c.size()) - 1 : 0;
    double cost = further * least_share * reach_scales * reach_scales * all_pixels(tiles);
    for (const TileLevel& t : tiles) {
      const double d = deviation(t) / (t.error * scale);
      cost += t.inliers * std::min(d * d, reach_scales * reach_scales);
    }
    return cost;
  }
};

/// The fullest level, with the fullest other one.
Level floor_of(const std::vector<TileLevel>& tiles, const Explanation& by) {
  Level floor = by.one;
  Membership level_of;
  std::size_t count = 1;
  if (by.levels) {
    count = by.levels->c.size();
    level_of = members(tiles, *by.levels, std::max(1.0, truncation * by.levels->rms));
    int most = 0;
    for (int k = 1; k < static_cast<int>(count); ++k)
      if (pixels_on(tiles, level_of, k) > pixels_on(tiles, level_of, most)) most = k;
    for (std::size_t i = 0; i < tiles.size(); ++i) floor.in[i] = level_of[i] == most;
    for (int& of : level_of) of = of == most ? 0 : of == 0 ? most : of;
    floor.surface = TileSurface(chosen(tiles, floor.in), 3);
    floor.scale = std::max(1.0, by.levels->rms);
    floor.among_levels = true;
    if (!floor.surface.defined()) return floor;
  } else {
    for (bool in : floor.in) level_of.push_back(in ? 0 : -1);
  }
  std::vector<double> deviation;
  for (const TileLevel& t : tiles) deviation.push_back(t.level - floor.surface.at(t.x, t.y));
  const double width = 2 * reach_scales * floor.scale * typical_error(tiles);
  double second = add_level(tiles, deviation, width, static_cast<int>(count), level_of);
  for (int k = 1; k < static_cast<int>(count); ++k) second = std::max(second, pixels_on(tiles, level_of, k));
  floor.second = second / pixels_on(tiles, level_of, 0);
  return floor;
}

/// One level of the floor's form, grown from a plane: bow is not two levels.
Level formed_as(const std::vector<TileLevel>& tiles, const Level& plane, int parameters) {
  if (parameters <= 3) return plane;
  Level curved = formed(tiles, plane.in, parameters);
  return curved.surface.defined() ? curved : plane;
}

/// Starts on the level of the best of them, and on the remaining tiles.
std::vector<Start> all_starts(const std::vector<TileLevel>& tiles, std::uint64_t seed) {
  std::vector<Start> starts = best_starts(tiles, seed);
  if (starts.empty()) return starts;
  const Level best = formed(tiles, starts.front().closest, 3);
  if (!best.surface.defined()) return starts;
  for (Start& start : starts_beside(tiles, best.in, seed)) starts.push_back(std::move(start));
  return starts;
}

std::optional<Level> best_level(const std::vector<TileLevel>& tiles, const std::vector<Start>& starts,
                                int parameters) {
  std::vector<Explanation> all;
  double scale = std::numeric_limits<double>::infinity();
  for (const Start& start : starts) {
    const Level one = formed(tiles, start.closest, 3);
    if (!one.surface.defined()) continue;
    all.push_back({formed_as(tiles, one, parameters), std::nullopt});
    scale = std::min(scale, all.back().one.scale);
    // grown from a level, form may extend over its edge to the next: levels also begin with the closest tiles
    Level closest = one;
    closest.in = start.closest;
    closest.scale = std::max(1.0, closest_of_half * start.scale);
    for (const Level* first : {&one, static_cast<const Level*>(&closest)}) {
      for (std::size_t count = 2; count <= most_levels; ++count) {
        std::optional<ParallelLevels> levels = levels_beside(tiles, *first, count);
        if (!levels) break;
        scale = std::min(scale, std::max(1.0, levels->rms));
        all.push_back({one, std::move(levels)});
      }
    }
  }
  if (all.empty()) return std::nullopt;
  std::vector<double> cost;
  for (const Explanation& e : all) cost.push_back(e.cost(tiles, scale));
  const auto best = std::min_element(cost.begin(), cost.end()) - cost.begin();
  Level floor = floor_of(tiles, all[static_cast<std::size_t>(best)]);
  if (!floor.surface.defined()) return std::nullopt;
  const double nearly =
      cost[static_cast<std::size_t>(best)] + nearly_as_good * reach_scales * reach_scales * all_pixels(tiles);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (cost[i] > nearly) continue;
    const Level other = floor_of(tiles, all[i]);
    if (!other.surface.defined()) continue;
    const double apart = std::fabs(other.surface.at(0, 0) - floor.surface.at(0, 0));
    if (apart > reach_scales * std::max(floor.scale, other.scale) * typical_error(tiles))
      floor.second = std::max(floor.second, 1.0);
  }
  return floor;
}

/// Tiles not crossed by another level's edge: nearly as large a share of their pixels lies on their level as
/// in the best quarter of the tiles.
bool pure(const TileLevel& t, double best) { return t.inliers >= 0.85 * best * t.heights; }

double best_purity(const std::vector<TileLevel>& tiles, const std::vector<bool>& in) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < tiles.size(); ++i)
    if (in[i]) shares.push_back(static_cast<double>(tiles[i].inliers) / tiles[i].heights);
  const auto at = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() * 3 / 4);
  std::nth_element(shares.begin(), at, shares.end());
  return *at;
}

PlaneFit plus(PlaneFit plane, const TileSurface& change) {
  const double c = change.at(0, 0), a = (change.at(1e3, 0) - c) * 1e-3, b = (change.at(0, 1e3) - c) * 1e-3;
  plane.a += a;
  plane.b += b;
  plane.c += c;
  return plane;
}

}  // namespace

TileFloor floor_among_tiles(const RingTiles& tiles, const RingHeights& ring, const PlaneFit& plane,
                            int parameters, double lsb_um, double expected_form_um, std::uint64_t seed) {
  TileFloor floor;
  PlaneFit about = plane;
  // twice, because a plane that bridges two levels blurs the modes of its tiles by its slope
  for (int round = 0; round < 2; ++round) {
    const TileModes modes =
        modes_of(tiles, ring, about, std::max(lsb_um / std::sqrt(12.0), 1e-3), expected_form_um);
    const std::vector<TileLevel>& levels = modes.levels;
    if (levels.size() < static_cast<std::size_t>(parameters) + 3) return floor;
    std::optional<Level> level = best_level(levels, all_starts(levels, seed), parameters);
    if (!level) return floor;
    if (round == 0) {
      const TileSurface plane_of(chosen(levels, level->in), 3);
      if (plane_of.defined()) about = plus(about, plane_of);
      continue;
    }
    floor.found = true;
    floor.noise_um = modes.noise_um;
    floor.second_level = level->second;
    floor.on_floor.assign(tiles.count(), false);
    const double purity = best_purity(levels, level->in);
    const TileSurface plane_of(chosen(levels, level->in), 3);
    double squares = 0, on = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (!level->in[i] || !pure(levels[i], purity)) continue;
      floor.on_floor[modes.tile[i]] = true;
      const double d = levels[i].level - plane_of.at(levels[i].x, levels[i].y);
      squares += levels[i].inliers * d * d;
      on += levels[i].inliers;
    }
    floor.scatter_um = std::sqrt(squares / on);
  }
  return floor;
}

}  // namespace datum

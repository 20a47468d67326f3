#include "daemon/inspection/board/tile_starts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "daemon/inspection/board/tile_surface.h"

namespace datum {
namespace {

constexpr int trials =
    200;  // three tiles of one level that holds 45 % of them are missed in (1 - 0.09)^200 = 6e-9
constexpr double closest_share = 0.4;
constexpr int most_steps = 30;
constexpr std::size_t kept_starts = 12, kept_beside = 3;
constexpr std::size_t least_beside = 8;  // tiles: 40 % of them determine a plane

struct Random {
  std::uint64_t state;
  std::size_t below(std::size_t n) {  // splitmix64 (Steele, Lea and Flood 2014)
    std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<std::size_t>((z ^ (z >> 31)) % n);
  }
};

/// The closest 40 % of the tiles.
template <class Surface>
Start start_at(const std::vector<TileLevel>& tiles, const Surface& at) {
  std::vector<std::pair<double, std::size_t>> by;
  double all = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    by.emplace_back(std::fabs(tiles[i].level - at(tiles[i].x, tiles[i].y)) / tiles[i].error, i);
    all += tiles[i].inliers;
  }
  std::sort(by.begin(), by.end());
  Start start{0, std::vector<bool>(tiles.size(), false)};
  double sum = 0;
  for (const auto& [d, i] : by) {
    if (sum >= closest_share * all) break;
    sum += tiles[i].inliers;
    start.scale += tiles[i].inliers * d * d;
    start.closest[i] = true;
  }
  start.scale = std::sqrt(start.scale / sum);
  return start;
}

/// Concentration steps (least trimmed squares; Rousseeuw and Van Driessen 2006): the closest tiles, their
/// plane, its closest tiles ...
void concentrate(const std::vector<TileLevel>& tiles, Start& start) {
  for (int round = 0; round < most_steps; ++round) {
    const TileSurface surface(chosen(tiles, start.closest), 3);
    if (!surface.defined()) return;
    Start next = start_at(tiles, [&](double x, double y) { return surface.at(x, y); });
    if (!(next.scale < start.scale)) return;
    start = std::move(next);
  }
}

/// A plane through three tiles.
struct Trial {
  double scale = 0;
  double a = 0, b = 0, c = 0;
};

/// Mean square of the closest 40 % of the deviations, by number of tiles.
double scale_of(const std::vector<TileLevel>& tiles, const Trial& plane, std::vector<double>& squares) {
  squares.clear();
  for (const TileLevel& t : tiles) {
    const double d = (t.level - (plane.a * t.x + plane.b * t.y + plane.c)) / t.error;
    squares.push_back(d * d);
  }
  const auto closest =
      squares.begin() + static_cast<std::ptrdiff_t>(closest_share * static_cast<double>(tiles.size()));
  std::nth_element(squares.begin(), closest, squares.end());
  std::sort(squares.begin(), closest);  // fixed order of the sum with every library
  double sum = 0;
  for (auto at = squares.begin(); at != closest; ++at) sum += *at;
  return sum;
}

std::vector<Trial> best_trials(const std::vector<TileLevel>& tiles, std::uint64_t seed) {
  double low_x = tiles[0].x, high_x = low_x, low_y = tiles[0].y, high_y = low_y;
  for (const TileLevel& t : tiles) {
    low_x = std::min(low_x, t.x);
    high_x = std::max(high_x, t.x);
    low_y = std::min(low_y, t.y);
    high_y = std::max(high_y, t.y);
  }
  const double least_area = 0.1 * (high_x - low_x) * (high_y - low_y);
  std::vector<Trial> found;
  std::vector<double> room;
  Random random{seed};
  for (int trial = 0; trial < trials; ++trial) {
    const TileLevel& p = tiles[random.below(tiles.size())];
    const TileLevel& q = tiles[random.below(tiles.size())];
    const TileLevel& s = tiles[random.below(tiles.size())];
    const double ux = q.x - p.x, uy = q.y - p.y, vx = s.x - p.x, vy = s.y - p.y;
    const double area = ux * vy - uy * vx;
    if (!(std::fabs(area) > least_area)) continue;
    const double uz = q.level - p.level, vz = s.level - p.level;
    Trial plane;
    plane.a = (uz * vy - uy * vz) / area;
    plane.b = (ux * vz - uz * vx) / area;
    plane.c = p.level - (plane.a * p.x + plane.b * p.y);
    plane.scale = scale_of(tiles, plane, room);
    found.push_back(plane);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Trial& a, const Trial& b) { return a.scale < b.scale; });
  if (found.size() > kept_starts) found.resize(kept_starts);
  return found;
}

}  // namespace

std::vector<TileLevel> chosen(const std::vector<TileLevel>& tiles, const std::vector<bool>& in) {
  std::vector<TileLevel> on;
  for (std::size_t i = 0; i < tiles.size(); ++i)
    if (in[i]) on.push_back(tiles[i]);
  return on;
}

std::vector<Start> best_starts(const std::vector<TileLevel>& tiles, std::uint64_t seed) {
  std::vector<Start> starts;
  for (const Trial& trial : best_trials(tiles, seed)) {
    Start start = start_at(tiles, [&](double x, double y) { return trial.a * x + trial.b * y + trial.c; });
    concentrate(tiles, start);
    const auto same = [&](const Start& other) { return other.closest == start.closest; };
    if (std::none_of(starts.begin(), starts.end(), same)) starts.push_back(std::move(start));
  }
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Start& a, const Start& b) { return a.scale < b.scale; });
  return starts;
}

std::vector<Start> starts_beside(const std::vector<TileLevel>& tiles, const std::vector<bool>& in,
                                 std::uint64_t seed) {
  std::vector<TileLevel> beside;
  std::vector<std::size_t> place;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (in[i]) continue;
    beside.push_back(tiles[i]);
    place.push_back(i);
  }
  if (beside.size() < std::max(least_beside, tiles.size() / 4)) return {};
  std::vector<Start> starts = best_starts(beside, seed);
  if (starts.size() > kept_beside) starts.resize(kept_beside);
  for (Start& start : starts) {
    std::vector<bool> closest(tiles.size(), false);
    for (std::size_t i = 0; i < place.size(); ++i) closest[place[i]] = start.closest[i];
    start.closest = std::move(closest);
  }
  return starts;
}

}  // namespace datum

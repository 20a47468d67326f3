#include "daemon/inspection/surface/surface_noise.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "calib/linear/median.h"
#include "daemon/inspection/surface/surface_region_pixels.h"
#include "daemon/inspection/verdict/normal.h"

namespace datum {
namespace {

constexpr std::array<int, 4> tile_sides{8, 16, 32, 64};
constexpr double least_independent = 15;  // values per tile: five for each parameter of its plane
constexpr std::size_t least_tiles = 4, most_tiles = 64;
constexpr std::size_t lag_pixels = 16384;  // approximate number for the autocorrelation
constexpr double least_fill = 0.75;        // least share of a tile's pixels
constexpr double uncorrelated = 0.05;
constexpr double plane_parameters = 3;

using PixelBox = RegionNoise::Box;

std::vector<PixelBox> boxes_of(const SnapshotGrid& grid, const std::vector<std::uint16_t>& region_of_point,
                               std::size_t regions) {
  constexpr int far = std::numeric_limits<int>::max();
  std::vector<PixelBox> boxes(regions, PixelBox{far, far, 0, 0});  // without pixels: set to empty below
  std::size_t i = 0;
  for (int row = 0; row < grid.rows; ++row)
    for (int col = 0; col < grid.cols; ++col, ++i) {
      const std::uint32_t p = grid.point[i];
      if (p == no_point || region_of_point[p] >= regions) continue;
      PixelBox& box = boxes[region_of_point[p]];
      box.top = std::min(box.top, row);
      box.bottom = std::max(box.bottom, row + 1);
      box.left = std::min(box.left, col);
      box.right = std::max(box.right, col + 1);
    }
  for (PixelBox& box : boxes)
    if (box.bottom == 0) box = {};
  return boxes;
}

/// The values of one square of pixels, row by row; NaN for pixels outside the region.
struct Tile {
  int side = 0;
  std::vector<float> value;
  std::size_t pixels = 0;

  float at(int row, int col) const { return value[static_cast<std::size_t>(row * side + col)]; }
};

Tile tile_of(const RegionPixels& pixels, int top, int left, int side) {
  Tile t{side, {}, 0};
  t.value.reserve(static_cast<std::size_t>(side * side));
  for (int row = top; row < top + side; ++row)
    for (int col = left; col < left + side; ++col) {
      t.value.push_back(pixels.at(row, col));
      t.pixels += !std::isnan(t.value.back());
    }
  return t;
}

/// Subtracts the plane through a tile's pixels.
void level(Tile& tile) {
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  const double middle = (tile.side - 1) / 2.0;
  const auto basis = [&](int row, int col) { return Eigen::Vector3d(1, row - middle, col - middle); };
  for (int row = 0; row < tile.side; ++row)
    for (int col = 0; col < tile.side; ++col)
      if (const float v = tile.at(row, col); !std::isnan(v)) {
        const Eigen::Vector3d b = basis(row, col);
        normal += b * b.transpose();
        right += v * b;
      }
  const Eigen::Vector3d plane = normal.ldlt().solve(right);
  for (int row = 0; row < tile.side; ++row)
    for (int col = 0; col < tile.side; ++col)
      tile.value[static_cast<std::size_t>(row * tile.side + col)] -=
          static_cast<float>(plane.dot(basis(row, col)));
}

/// Sums of one tile's windows, over their lowest pixels and, with the other sign, their highest.
struct WindowSums {
  double mean = 0, variance = 0, highest = 0;
  std::size_t windows = 0;
};

WindowSums windows_of(const Tile& tile, int window_px) {
  WindowSums s;
  double sum = 0, squares = 0, high = -HUGE_VAL, low = -HUGE_VAL;
  for (int row = 0; row + window_px <= tile.side; ++row)
    for (int col = 0; col + window_px <= tile.side; ++col) {
      float lowest = tile.at(row, col), highest = lowest;
      bool whole = true;
      for (int r = row; r < row + window_px && whole; ++r)
        for (int c = col; c < col + window_px && whole; ++c) {
          const float v = tile.at(r, c);
          whole = !std::isnan(v);
          lowest = std::min(lowest, v);
          highest = std::max(highest, v);
        }
      if (!whole) continue;
      sum += double{lowest} - highest;
      squares += double{lowest} * lowest + double{highest} * highest;
      high = std::max(high, double{lowest});
      low = std::max(low, -double{highest});
      ++s.windows;
    }
  if (s.windows == 0) return s;
  const double n = 2.0 * static_cast<double>(s.windows);
  s.mean = sum / n;
  s.variance = std::max(0.0, squares / n - s.mean * s.mean);
  s.highest = (high + low) / 2;
  return s;
}

/// Products of pixels at a lag, over all tiles. A lag is computed on demand, because most noise ends long
/// before the last one.
class Lags {
 public:
  explicit Lags(int most)
      : most_(most), side_(2 * most + 1), mean_(static_cast<std::size_t>((most + 1) * side_), std::nan("")) {}

  /// Borrows the tile.
  void add(const Tile& tile) { tiles_.push_back(&tile); }
  /// S. A tile's plane lowers each covariance of its pixels by about p S / n of the variance, p its
  /// parameters. The sum ends at the first square ring of lags that is uncorrelated on average.
  double correlation(double pixels) {
    const double variance = at(0, 0);
    if (!(variance > 0)) return 1;
    double s = 1;
    for (int turn = 0; turn < 4; ++turn) {
      const double taken = std::min(0.6, plane_parameters * s / pixels);
      s = 1;
      for (int ring = 1; ring <= most_; ++ring) {
        double sum = 0;
        for (int d = -ring; d < ring; ++d) {
          sum += rho(ring, d, variance, taken) + rho(-ring, -d, variance, taken);
          sum += rho(d, -ring, variance, taken) + rho(-d, ring, variance, taken);
        }
        ended_ = sum < uncorrelated * 8 * ring;
        if (ended_) break;
        s += sum;
      }
    }
    return std::max(1.0, s);
  }
  /// Whether that sum ended within the available lags.
  bool ended() const { return ended_; }

 private:
  /// Half of all lags equal the others by symmetry.
  double at(int dr, int dc) {
    if (dr < 0) return at(-dr, -dc);
    double& mean = mean_[static_cast<std::size_t>(dr * side_ + dc + most_)];
    if (std::isnan(mean)) mean = mean_product(dr, dc);
    return mean;
  }
  double mean_product(int dr, int dc) const {
    double all = 0, number = 0;
    for (const Tile* tile : tiles_) {
      double sum = 0, n = 0;
      for (int row = 0; row + dr < tile->side; ++row)
        for (int col = std::max(0, -dc); col < std::min(tile->side, tile->side - dc); ++col) {
          const float product = tile->at(row, col) * tile->at(row + dr, col + dc);
          if (std::isnan(product)) continue;
          sum += product;
          n += 1;
        }
      all += sum;
      number += n;
    }
    return number > 0 ? all / number : 0;
  }
  double rho(int dr, int dc, double variance, double taken) {
    return at(dr, dc) / variance * (1 - taken) + taken;
  }

  int most_, side_;
  bool ended_ = true;
  std::vector<const Tile*> tiles_;
  std::vector<double> mean_;  // NaN: not computed
};

/// Positions of tiles, half a tile apart, in all snapshots.
struct TilePlace {
  std::size_t snapshot;
  int top, left;
};

/// `enough`: whether tiles of this size hold enough independent pixels.
RegionNoise noise_of_tiles(const std::vector<Tile>& tiles, int window_px, bool& enough) {
  RegionNoise noise;
  noise.tiles = tiles.size();
  noise.tile_px = tiles.front().side;
  Lags lags(noise.tile_px / 4);
  std::vector<double> variance, mean, spread, highest;
  double pixels = 0;
  for (const Tile& t : tiles) {
    double squares = 0;
    for (const float v : t.value)
      if (!std::isnan(v)) squares += double{v} * v;
    variance.push_back(squares / static_cast<double>(t.pixels));
    pixels += static_cast<double>(t.pixels);
    const WindowSums w = windows_of(t, window_px);
    if (w.windows == 0) continue;
    mean.push_back(w.mean);
    spread.push_back(w.variance);
    highest.push_back(w.highest);
  }
  pixels /= static_cast<double>(tiles.size());
  // form correlates: tiles with a dent do not estimate noise
  const double most = 2 * median_of(variance);
  const std::size_t wanted = std::max<std::size_t>(
      least_tiles, lag_pixels / static_cast<std::size_t>(noise.tile_px * noise.tile_px));
  const std::size_t step = std::max<std::size_t>(1, tiles.size() / wanted);
  for (std::size_t i = 0, next = 0; i < tiles.size(); ++i) {
    if (i < next || variance[i] > most) continue;
    lags.add(tiles[i]);
    next = i + step;
  }
  noise.correlation = lags.correlation(pixels);
  // The median of chi-squared is below its mean by (1 - 2 / 9n)^3 (Wilson and Hilferty 1931).
  const double independent = std::max(2 * plane_parameters, pixels / noise.correlation);
  enough = lags.ended() && independent >= least_independent;
  const double freedom = independent - plane_parameters;
  const double given_back = independent / freedom / std::pow(1 - 2 / (9 * freedom), 3);
  noise.sigma_mm = std::sqrt(median_of(variance) * given_back);
  noise.freedom = freedom * static_cast<double>(tiles.size()) / 4;  // tiles overlap by half both ways
  if (mean.empty()) {
    noise.tiles = 0;
    return noise;
  }
  noise.window_mean_mm = median_of(mean) * std::sqrt(given_back);
  noise.window_sigma_mm = std::sqrt(median_of(spread) * given_back);
  const double windows = std::pow(noise.tile_px - window_px + 1, 2);
  if (noise.window_sigma_mm > 0) {
    const double z =
        (median_of(highest) * std::sqrt(given_back) - noise.window_mean_mm) / noise.window_sigma_mm;
    noise.windows_per_tile = std::clamp(std::log(0.5) / std::log(normal_share_below(z)), 1.0, windows);
  }
  return noise;
}

/// Tiles of one size, evenly distributed over all snapshots.
std::vector<Tile> tiles_of(const std::vector<SnapshotGrid>& grids,
                           const std::vector<std::vector<PixelBox>>& boxes,
                           const std::vector<std::uint16_t>& region_of_point, const std::vector<float>& value,
                           std::size_t region, int side) {
  std::vector<TilePlace> places;
  for (std::size_t s = 0; s < grids.size(); ++s) {
    const PixelBox& box = boxes[s][region];
    for (int top = box.top; top + side <= box.bottom; top += side / 2)
      for (int left = box.left; left + side <= box.right; left += side / 2) places.push_back({s, top, left});
  }
  // Positions outside the region's outline give no tile: four times as many are tried.
  std::vector<Tile> tiles;
  const std::size_t step = std::max<std::size_t>(1, places.size() / (4 * most_tiles));
  for (std::size_t i = 0; i < places.size() && tiles.size() < most_tiles; i += step) {
    const RegionPixels pixels(grids[places[i].snapshot], region_of_point, value, region);
    Tile t = tile_of(pixels, places[i].top, places[i].left, side);
    if (static_cast<double>(t.pixels) < least_fill * side * side) continue;
    level(t);
    tiles.push_back(std::move(t));
  }
  return tiles;
}

RegionNoise noise_of_region(const std::vector<SnapshotGrid>& grids,
                            const std::vector<std::vector<PixelBox>>& boxes,
                            const std::vector<std::uint16_t>& region_of_point,
                            const std::vector<float>& value, std::size_t region, int window_px) {
  RegionNoise best;
  for (const int side : tile_sides) {
    if (side < 2 * window_px) continue;
    const std::vector<Tile> tiles = tiles_of(grids, boxes, region_of_point, value, region, side);
    if (tiles.empty() || (tiles.size() < least_tiles && best.tiles > 0)) break;
    bool enough = false;
    const RegionNoise noise = noise_of_tiles(tiles, window_px, enough);
    if (noise.tiles > 0) best = noise;
    if (enough) break;
  }
  return best;
}

}  // namespace

std::vector<RegionNoise> region_noises(const std::vector<SnapshotGrid>& grids,
                                       const std::vector<std::uint16_t>& region_of_point,
                                       const std::vector<float>& value, std::size_t regions, int window_px) {
  std::vector<std::vector<PixelBox>> boxes;
  for (const SnapshotGrid& grid : grids) boxes.push_back(boxes_of(grid, region_of_point, regions));
  std::vector<RegionNoise> noises;
  for (std::size_t r = 0; r < regions; ++r) {
    RegionNoise& noise =
        noises.emplace_back(noise_of_region(grids, boxes, region_of_point, value, r, window_px));
    for (const std::vector<PixelBox>& of_snapshot : boxes) noise.boxes.push_back(of_snapshot[r]);
  }
  return noises;
}

namespace {

/// Level of windows without the pixel's noise: the larger of noise and slope decides a window's lowest pixel.
double window_level(const FormLevel& l, const RegionNoise& noise) {
  return l.mm - std::hypot(noise.window_mean_mm, l.drop_mm) + std::fabs(noise.window_mean_mm);
}

/// Levels within a quarter of a window's standard deviation are merged; insignificantly low ones are dropped.
std::vector<FormLevel> binned(const RegionNoise& noise, const std::vector<FormLevel>& form) {
  double top_mm = -HUGE_VAL;
  for (const FormLevel& l : form) top_mm = std::max(top_mm, window_level(l, noise));
  const double width = noise.window_sigma_mm / 4;
  std::vector<FormLevel> bins(48);
  for (const FormLevel& l : form) {
    const double at_mm = window_level(l, noise), k = (top_mm - at_mm) / width;
    if (!(k < static_cast<double>(bins.size()))) continue;
    FormLevel& bin = bins[static_cast<std::size_t>(k)];
    bin.mm += l.share * at_mm;
    bin.share += l.share;
  }
  std::vector<FormLevel> levels;
  for (const FormLevel& bin : bins)
    if (bin.share > 0) levels.push_back({bin.mm / bin.share, bin.share, 0});
  return levels;
}

/// Value below which the highest of all windows stays with this probability.
double highest_quantile(const RegionNoise& noise, const std::vector<FormLevel>& levels, double probability) {
  double low = levels.front().mm + noise.window_mean_mm - 9 * noise.window_sigma_mm;
  double high = levels.front().mm + noise.window_mean_mm + 9 * noise.window_sigma_mm;
  const double wanted = std::log(probability);
  for (int i = 0; i < 36; ++i) {
    const double x = (low + high) / 2;
    double log_share = 0;
    for (const FormLevel& l : levels) {
      const double z = (x - l.mm - noise.window_mean_mm) / noise.window_sigma_mm;
      // log Phi of a large z is minus the share above
      log_share += noise.windows_per_tile * l.share *
                   (z > 5 ? -normal_share_below(-z) : std::log(normal_share_below(z) + 1e-300));
    }
    (log_share < wanted ? low : high) = x;
  }
  return (low + high) / 2;
}

}  // namespace

NoiseLift noise_lift(const RegionNoise& noise, const std::vector<FormLevel>& form, double highest_mm) {
  NoiseLift lift;
  if (noise.tiles == 0 || form.empty() || !(noise.window_sigma_mm > 0)) return lift;
  double top = -HUGE_VAL;
  for (const FormLevel& l : form) top = std::max(top, l.mm - l.drop_mm);
  const std::vector<FormLevel> levels = binned(noise, form);
  const double one_tile = highest_quantile(noise, {{0, 1, 0}}, 0.5);
  lift.scatter_mm = (highest_quantile(noise, levels, 0.8413) - highest_quantile(noise, levels, 0.1587)) / 2;
  lift.is_feature = highest_mm > highest_quantile(noise, levels, 0.999);
  if (lift.is_feature) {
    lift.mm = (noise.window_mean_mm + one_tile) / 2;
    lift.form_mm = (one_tile - noise.window_mean_mm) / std::sqrt(12.0);
  } else {
    lift.mm = highest_quantile(noise, levels, 0.5) - top;
    lift.form_mm = std::fabs(lift.mm - one_tile) / std::sqrt(12.0);
  }
  lift.scatter_mm = std::hypot(lift.scatter_mm, lift.mm / std::sqrt(2 * std::max(1.0, noise.freedom)));
  return lift;
}

}  // namespace datum

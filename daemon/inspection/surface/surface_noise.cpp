#include "daemon/inspection/surface/surface_noise.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "calib/linear/median.h"
#include "daemon/inspection/surface/surface_region_form.h"
#include "daemon/inspection/surface/surface_window_tail.h"

namespace datum {
namespace {

constexpr std::array<int, 4> tile_sides{8, 16, 32, 64};
constexpr double least_independent = 30;  // values of a tile: ten for each parameter of its plane
constexpr std::size_t least_tiles = 4, most_tiles = 64;
constexpr std::size_t lag_pixels = 16384;  // that the autocorrelation is taken from, about
constexpr double least_fill = 0.75;        // of a tile's pixels, so that it is looked at
constexpr double uncorrelated = 0.02;
constexpr double plane_parameters = 3;
constexpr int fixpoint_turns = 8;   // each leaves less than half of the error
constexpr double most_taken = 0.6;  // of a tile's variance, by its plane

using PixelBox = RegionNoise::Box;

/// The values of one square of pixels, row by row; not a number where a pixel is none of the region's.
struct Tile {
  int side = 0;
  std::vector<float> value;
  std::size_t pixels = 0;

  float at(int row, int col) const { return value[static_cast<std::size_t>(row * side + col)]; }
  double mean_square() const {
    double squares = 0;
    for (const float v : value)
      if (!std::isnan(v)) squares += double{v} * v;
    return squares / static_cast<double>(pixels);
  }
};

/// One snapshot's pixels less the form that its cells show: a bow is no noise.
struct FormlessPixels {
  RegionPixels pixels;
  RegionNoise::Box box;
  std::shared_ptr<const RegionCells> cells;
  RegionQuadric form;

  FormlessPixels(const RegionPixels& of, const RegionNoise::Box& in, unsigned threads)
      : pixels(of),
        box(in),
        cells(std::make_shared<const RegionCells>(of, in, threads)),
        form(cells->robust_form()) {}
  float at(int row, int col, bool formless) const {
    const float v = pixels.at(row, col);
    if (!formless) return v;
    constexpr double side = RegionCells::side_px;
    return v - static_cast<float>(
                   form.dot(cells->basis((row - box.top + 0.5) / side, (col - box.left + 0.5) / side)));
  }
};

Tile tile_of(const FormlessPixels& pixels, int top, int left, int side, bool formless) {
  Tile t{side, {}, 0};
  t.value.reserve(static_cast<std::size_t>(side * side));
  for (int row = top; row < top + side; ++row)
    for (int col = left; col < left + side; ++col) {
      t.value.push_back(pixels.at(row, col, formless));
      t.pixels += !std::isnan(t.value.back());
    }
  return t;
}

/// Takes the plane through a tile's pixels out of them.
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

/// What one tile tells of its windows, both of their lowest pixels and, with the other sign, of their highest.
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

/// How pixels of a tile correlate.
struct TileCorrelation {
  double sum = 1;      // S: of the autocorrelation
  double squares = 1;  // of its square
  double kept = 1;     // of the variance, beside a tile's plane
};

/// Products of pixels so far apart, over all tiles. A lag is summed when it is asked for: most noise ends long before the last.
class Lags {
 public:
  explicit Lags(int side_of_tile)
      : side_of_tile_(side_of_tile),
        most_(side_of_tile / 4),
        side_(2 * most_ + 1),
        mean_(static_cast<std::size_t>((most_ + 1) * side_), std::nan("")) {}

  /// Borrows it.
  void add(const Tile& tile) { tiles_.push_back(&tile); }
  /// A tile's plane takes lambda_k b_k(i) b_k(j) / n from the covariance of pixels i and j, b its three basis vectors (1 and both
  /// slopes, of mean square 1) and lambda_k the noise's variance along them; over all pixels a lag apart the products of a slope's
  /// values have the mean slope_product(). The sums end at the first square ring of lags that is uncorrelated on the average.
  TileCorrelation correlation(double pixels) {
    TileCorrelation c;
    const double variance = at(0, 0);
    if (!(variance > 0)) return c;
    Eigen::Vector3d taken = Eigen::Vector3d::Zero();
    for (int turn = 0; turn < fixpoint_turns; ++turn) {
      Sums s;
      const double most = taken.sum() > most_taken ? most_taken / taken.sum() : 1;
      taken *= most;
      c.kept = 1 - taken.sum();
      for (int ring = 1; ring <= most_; ++ring) {
        Sums sums;
        const auto add = [&](int dr, int dc) {
          const Eigen::Vector3d product(1, slope_product(dr), slope_product(dc));
          const double rho = at(dr, dc) / variance * c.kept + taken.dot(product);
          sums.all += rho;
          sums.squares += rho * rho;
          sums.along += rho * share_of_tile(dr) * share_of_tile(dc) * product;
        };
        for (int d = -ring; d < ring; ++d) {
          add(ring, d);
          add(-ring, -d);
          add(d, -ring);
          add(-d, ring);
        }
        ended_ = sums.all < uncorrelated * 8 * ring;
        if (ended_) break;
        s += sums;
      }
      c.sum = std::max(1.0, 1 + s.all);
      c.squares = 1 + s.squares;
      taken = (Eigen::Vector3d::Ones() + s.along).cwiseMax(1) / pixels;
    }
    return c;
  }
  /// Whether that sum's end lies within the lags that were looked at.
  bool ended() const { return ended_; }

 private:
  /// Half of all lags are the same as the others.
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
  struct Sums {
    double all = 0, squares = 0;
    Eigen::Vector3d along = Eigen::Vector3d::Zero();
    void operator+=(const Sums& o) {
      all += o.all;
      squares += o.squares;
      along += o.along;
    }
  };
  double share_of_tile(int lag) const { return 1 - std::abs(lag) / static_cast<double>(side_of_tile_); }
  /// Mean of 12 x (x + lag) / side^2 over the pairs of a tile's pixels, x from its middle.
  double slope_product(int lag) const {
    const double share = share_of_tile(lag);
    return share * share - 3 * (1 - share) * (1 - share);
  }

  int side_of_tile_, most_, side_;
  bool ended_ = true;
  std::vector<const Tile*> tiles_;
  std::vector<double> mean_;  // NaN: not asked for yet
};

/// Places of tiles, half a tile apart, in all snapshots.
struct TilePlace {
  std::size_t snapshot;
  int top, left;
};

/// `enough`: whether tiles of this size hold enough independent pixels.
RegionNoise noise_of_tiles(const std::vector<Tile>& tiles, int window_px, unsigned threads, bool& enough) {
  RegionNoise noise;
  noise.tiles = tiles.size();
  noise.tile_px = tiles.front().side;
  Lags lags(noise.tile_px);
  std::vector<double> variance, mean, spread, highest;
  double pixels = 0;
  std::vector<WindowSums> windows_of_tiles(tiles.size());
  parallel_for(threads, tiles.size(),
               [&](std::size_t i, unsigned) { windows_of_tiles[i] = windows_of(tiles[i], window_px); });
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    variance.push_back(tiles[i].mean_square());
    pixels += static_cast<double>(tiles[i].pixels);
    const WindowSums& w = windows_of_tiles[i];
    if (w.windows == 0) continue;
    mean.push_back(w.mean);
    spread.push_back(w.variance);
    highest.push_back(w.highest);
  }
  pixels /= static_cast<double>(tiles.size());
  // form correlates: tiles that hold a dent tell nothing of the noise
  const double most = 2 * median_of(variance);
  const std::size_t wanted = std::max<std::size_t>(
      least_tiles, lag_pixels / static_cast<std::size_t>(noise.tile_px * noise.tile_px));
  const std::size_t step = std::max<std::size_t>(1, tiles.size() / wanted);
  for (std::size_t i = 0, next = 0; i < tiles.size(); ++i) {
    if (i < next || variance[i] > most) continue;
    lags.add(tiles[i]);
    next = i + step;
  }
  const TileCorrelation correlation = lags.correlation(pixels);
  noise.correlation = correlation.sum;
  noise.window_parts = std::max(1.0, window_px * window_px / noise.correlation);
  const double independent = std::max(2 * plane_parameters, pixels / noise.correlation);
  enough = lags.ended() && independent >= least_independent;
  const double freedom = independent - plane_parameters;
  // A variance has n over the sum of the squared autocorrelation degrees of freedom (Bartlett 1946); a chi-squared's median
  // lies below its mean by (1 - 2 / 9n)^3 (Wilson and Hilferty 1931).
  const double of_variance = std::max(plane_parameters, correlation.kept * pixels / correlation.squares);
  const double of_median = 1 / std::pow(1 - 2 / (9 * of_variance), 3);
  noise.sigma_mm = std::sqrt(median_of(variance) * of_median / correlation.kept);
  noise.freedom = freedom * static_cast<double>(tiles.size()) / 4;  // tiles overlap by half both ways
  if (mean.empty()) {
    noise.tiles = 0;
    return noise;
  }
  // What a plane takes is the same for all of a window's pixels: a window's lowest stays as far below its middle.
  noise.window_mean_mm = median_of(mean);
  // few windows of a tile are independent: their variance is one about all tiles' mean
  for (std::size_t i = 0; i < spread.size(); ++i) spread[i] += std::pow(mean[i] - noise.window_mean_mm, 2);
  const double seen = median_of(spread) * of_median, taken = 1 - correlation.kept;
  noise.window_sigma_mm = std::sqrt(seen + taken * noise.sigma_mm * noise.sigma_mm);
  const double windows = std::pow(noise.tile_px - window_px + 1, 2);
  if (seen > 0) {
    const double z = (median_of(highest) - noise.window_mean_mm) / std::sqrt(seen);
    noise.windows_per_tile =
        std::clamp(std::log(0.5) / LowestOf(noise.window_parts).log_share_below(z), 1.0, windows);
  }
  return noise;
}

/// Whether enough of a tile's pixels are the region's, so that it is looked at.
bool is_filled(const FormlessPixels& of, int top, int left, int side) {
  int pixels = 0;
  for (int row = top; row < top + side; ++row)
    for (int col = left; col < left + side; ++col) pixels += !std::isnan(of.pixels.at(row, col));
  return pixels >= least_fill * side * side;
}

/// Of tiles of one side, evenly taken from all snapshots.
std::vector<TilePlace> tile_places(const std::vector<FormlessPixels>& snapshots, int side) {
  std::vector<TilePlace> all, taken;
  for (std::size_t s = 0; s < snapshots.size(); ++s) {
    const PixelBox& box = snapshots[s].box;
    for (int top = box.top; top + side <= box.bottom; top += side / 2)
      for (int left = box.left; left + side <= box.right; left += side / 2) all.push_back({s, top, left});
  }
  // Places outside of the region's outline tell nothing: four times as many are tried.
  const std::size_t step = std::max<std::size_t>(1, all.size() / (4 * most_tiles));
  for (std::size_t i = 0; i < all.size() && taken.size() < most_tiles; i += step)
    if (is_filled(snapshots[all[i].snapshot], all[i].top, all[i].left, side)) taken.push_back(all[i]);
  return taken;
}

double median_square(const std::vector<Tile>& tiles) {
  std::vector<double> squares;
  for (const Tile& t : tiles) squares.push_back(t.mean_square());
  return squares.empty() ? 0 : median_of(squares);
}

/// Without the form, or as they are where that makes tiles quieter: a form that a large dent bends does not.
std::vector<Tile> quietest_tiles(const std::vector<FormlessPixels>& snapshots, int side, unsigned threads) {
  const std::vector<TilePlace> places = tile_places(snapshots, side);
  std::vector<Tile> formless(places.size()), as_seen(places.size());
  parallel_for(threads, 2 * places.size(), [&](std::size_t i, unsigned) {
    const TilePlace& at = places[i / 2];
    Tile& tile = (i % 2 ? as_seen : formless)[i / 2];
    tile = tile_of(snapshots[at.snapshot], at.top, at.left, side, i % 2 == 0);
    level(tile);
  });
  return median_square(as_seen) < median_square(formless) ? as_seen : formless;
}

RegionNoise noise_of_region(const std::vector<SnapshotGrid>& grids,
                            const std::vector<std::vector<PixelBox>>& boxes,
                            const std::vector<std::uint16_t>& region_of_point,
                            const std::vector<float>& value, std::size_t region, int window_px,
                            unsigned threads) {
  std::vector<FormlessPixels> snapshots;
  for (std::size_t s = 0; s < grids.size(); ++s)
    snapshots.emplace_back(RegionPixels(grids[s], region_of_point, value, region), boxes[s][region], threads);
  RegionNoise best;
  for (const int side : tile_sides) {
    if (side < 2 * window_px) continue;
    const std::vector<Tile> tiles = quietest_tiles(snapshots, side, threads);
    if (tiles.empty() || (tiles.size() < least_tiles && best.tiles > 0)) break;
    bool enough = false;
    const RegionNoise noise = noise_of_tiles(tiles, window_px, threads, enough);
    if (noise.tiles > 0) best = noise;
    if (enough) break;
  }
  for (const FormlessPixels& of_snapshot : snapshots) best.cells.push_back(of_snapshot.cells);
  return best;
}

}  // namespace

std::vector<RegionNoise> region_noises(const std::vector<SnapshotGrid>& grids,
                                       const std::vector<std::uint16_t>& region_of_point,
                                       const std::vector<float>& value, std::size_t regions, int window_px,
                                       unsigned threads) {
  std::vector<std::vector<PixelBox>> boxes;
  for (const SnapshotGrid& grid : grids) boxes.push_back(boxes_of(grid, region_of_point, regions, threads));
  std::vector<RegionNoise> noises;
  for (std::size_t r = 0; r < regions; ++r) {
    RegionNoise& noise =
        noises.emplace_back(noise_of_region(grids, boxes, region_of_point, value, r, window_px, threads));
    for (const std::vector<PixelBox>& of_snapshot : boxes) noise.boxes.push_back(of_snapshot[r]);
  }
  return noises;
}

}  // namespace datum

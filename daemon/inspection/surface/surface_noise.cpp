#include "daemon/inspection/surface/surface_noise.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "calib/linear/median.h"
#include "daemon/inspection/surface/noise_tiles.h"
#include "daemon/inspection/surface/surface_region_form.h"
#include "daemon/inspection/surface/surface_window_tail.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr std::array<int, 4> tile_sides{8, 16, 32, 64};
constexpr double least_independent = 30;  // values of a tile: ten for each parameter of its plane
constexpr std::size_t least_tiles = 4;
constexpr std::size_t lag_pixels = 16384;  // that the autocorrelation is taken from, about
constexpr double uncorrelated = 0.02;
constexpr double plane_parameters = 3;
constexpr int fixpoint_turns = 8;   // each leaves less than half of the error
constexpr double most_taken = 0.6;  // of a tile's variance, by its plane

/// How pixels of a tile correlate.
struct TileCorrelation {
  double sum = 1;      // S: of the autocorrelation
  double squares = 1;  // of its square
  double kept = 1;     // of the variance, beside a tile's plane
};

/// The correlation of tiles, from their products.
class Lags {
 public:
  /// Borrows the tiles.
  Lags(int side_of_tile, std::span<const NoiseTile* const> tiles, unsigned threads)
      : side_of_tile_(side_of_tile), products_(side_of_tile, tiles, threads) {}

  /// A tile's plane takes lambda_k b_k(i) b_k(j) / n from the covariance of pixels i and j, b its three basis vectors (1 and both
  /// slopes, of mean square 1) and lambda_k the noise's variance along them; over all pixels a lag apart the products of a slope's
  /// values have the mean slope_product(). The sums end at the first square ring of lags that is uncorrelated on the average.
  TileCorrelation correlation(double pixels) {
    TileCorrelation c;
    products_.find_ring(0);
    const double variance = products_.at(0, 0);
    if (!(variance > 0)) return c;
    Eigen::Vector3d taken = Eigen::Vector3d::Zero();
    for (int turn = 0; turn < fixpoint_turns; ++turn) {
      Sums s;
      const double most = taken.sum() > most_taken ? most_taken / taken.sum() : 1;
      taken *= most;
      c.kept = 1 - taken.sum();
      for (int ring = 1; ring <= products_.most(); ++ring) {
        if (ring > known_) products_.find_ring(known_ = ring);
        Sums sums;
        const auto add = [&](int dr, int dc) {
          const Eigen::Vector3d product(1, slope_product(dr), slope_product(dc));
          const double rho = products_.at(dr, dc) / variance * c.kept + taken.dot(product);
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

  int side_of_tile_;
  bool ended_ = true;
  int known_ = 0;  // ring up to which all lags are
  LagProducts products_;
};

/// `enough`: whether tiles of this size hold enough independent pixels.
RegionNoise noise_of_tiles(const std::vector<NoiseTile>& tiles, int window_px, unsigned threads,
                           bool& enough) {
  RegionNoise noise;
  noise.tiles = tiles.size();
  noise.tile_px = tiles.front().side;
  std::vector<double> variance, mean, spread, highest;
  double pixels = 0;
  for (const NoiseTile& tile : tiles) {
    variance.push_back(tile.mean_square);
    pixels += static_cast<double>(tile.pixels);
    if (tile.windows.count == 0) continue;
    mean.push_back(tile.windows.mean);
    spread.push_back(tile.windows.variance);
    highest.push_back(tile.windows.highest);
  }
  pixels /= static_cast<double>(tiles.size());
  // form correlates: tiles that hold a dent tell nothing of the noise
  const double most = 2 * median_of(variance);
  const std::size_t wanted = std::max<std::size_t>(
      least_tiles, lag_pixels / static_cast<std::size_t>(noise.tile_px * noise.tile_px));
  const std::size_t step = std::max<std::size_t>(1, tiles.size() / wanted);
  std::vector<const NoiseTile*> looked_at;
  for (std::size_t i = 0, next = 0; i < tiles.size(); ++i) {
    if (i < next || variance[i] > most) continue;
    looked_at.push_back(&tiles[i]);
    next = i + step;
  }
  Lags lags(noise.tile_px, looked_at, threads);
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

RegionNoise noise_of_region(std::span<const CellsOfRegions::OfSnapshot> snapshots, int window_px,
                            unsigned threads) {
  RegionNoise best;
  for (const int side : tile_sides) {
    if (side < 2 * window_px) continue;
    const std::vector<NoiseTile> tiles = quietest_tiles(snapshots, side, window_px, threads);
    if (tiles.empty() || (tiles.size() < least_tiles && best.tiles > 0)) break;
    bool enough = false;
    const RegionNoise noise = noise_of_tiles(tiles, window_px, threads, enough);
    if (noise.tiles > 0) best = noise;
    if (enough) break;
  }
  for (const CellsOfRegions::OfSnapshot& of : snapshots) {
    best.cells.push_back(of.cells);
    best.boxes.push_back(of.box);
  }
  return best;
}

}  // namespace

std::vector<RegionNoise> region_noises(const CellsOfRegions& cells, std::size_t regions, int window_px,
                                       unsigned threads) {
  std::vector<RegionNoise> noises;
  for (std::size_t r = 0; r < regions; ++r)
    noises.push_back(noise_of_region(cells.of_region(r), window_px, threads));
  return noises;
}

std::vector<RegionNoise> region_noises(const std::vector<SnapshotGrid>& grids,
                                       const std::vector<std::uint16_t>& region_of_point,
                                       const std::vector<float>& value, std::size_t regions, int window_px,
                                       unsigned threads) {
  BoxSearch boxes(grids, region_of_point, regions);
  parallel_for(threads, boxes.bands(), [&](std::size_t band, unsigned) { boxes.look_at(band); });
  CellsOfRegions cells(grids, boxes.boxes(), region_of_point, value, regions);
  parallel_for(threads, cells.rows(), [&](std::size_t row, unsigned) { cells.add_row(row); });
  cells.fit(threads);
  parallel_for(threads, cells.tasks(), [&](std::size_t task, unsigned) { cells.do_task(task); });
  return region_noises(cells, regions, window_px, threads);
}

}  // namespace datum

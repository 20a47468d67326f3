#include "daemon/inspection/surface/noise_tiles.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "calib/linear/median.h"
#include "gpu/core/parallel_for.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

constexpr std::size_t most_tiles = 64;
constexpr double least_fill = 0.75;  // of a tile's pixels, so that it is looked at
constexpr int eight = RegionPixels::eight;

using OfSnapshot = CellsOfRegions::OfSnapshot;

struct TilePlace {
  const OfSnapshot* in;
  int top, left;
};

/// Half a tile apart, in all snapshots. Places outside of the region's outline tell nothing: four times as many are tried.
std::vector<TilePlace> tile_places(std::span<const OfSnapshot> snapshots, int side) {
  const auto along = [&](int first, int end) {
    return end - first < side ? std::size_t{0}
                              : static_cast<std::size_t>((end - first - side) / (side / 2) + 1);
  };
  std::size_t all = 0;
  for (const OfSnapshot& in : snapshots)
    all += along(in.box.top, in.box.bottom) * along(in.box.left, in.box.right);
  const std::size_t step = std::max<std::size_t>(1, all / (4 * most_tiles));
  std::vector<TilePlace> tried;
  std::size_t before = 0;
  for (const OfSnapshot& in : snapshots) {
    const std::size_t cols = along(in.box.left, in.box.right), own = along(in.box.top, in.box.bottom) * cols;
    for (std::size_t i = (before + step - 1) / step * step; i < before + own; i += step)
      tried.push_back({&in, in.box.top + static_cast<int>((i - before) / cols) * (side / 2),
                       in.box.left + static_cast<int>((i - before) % cols) * (side / 2)});
    before += own;
  }
  return tried;
}

NoiseTile tile_at(const TilePlace& place, int side) {
  NoiseTile t{side, std::vector<float>(static_cast<std::size_t>(side * side)), 0, 0, {}};
  const RegionPixels& pixels = place.in->pixels;
  float* value = t.value.data();
  for (int row = place.top; row < place.top + side; ++row)
    for (int col = place.left; col < place.left + side; col += eight, value += eight) {
      const float* const whole = pixels.in_frame(row, col + eight) ? pixels.eight_at(row, col) : nullptr;
      for (int k = 0; k < eight; ++k) value[k] = whole ? whole[k] : pixels.at(row, col + k);
    }
  for (const float v : t.value) t.pixels += std::isnan(v) ? 0 : 1;
  return t;
}

/// Whether enough of its pixels are the region's, so that it is looked at.
bool is_filled(const NoiseTile& t) { return static_cast<double>(t.pixels) >= least_fill * t.side * t.side; }

void take_form_out(const TilePlace& place, NoiseTile& tile) {
  const OfSnapshot& in = *place.in;
  constexpr double cell = RegionCells::side_px;
  const auto across = static_cast<std::size_t>(tile.side);
  std::vector<double> v(across);
  for (std::size_t k = 0; k < across; ++k)
    v[k] = in.cells->v_of((place.left + static_cast<int>(k) - in.box.left + 0.5) / cell);
  float* value = tile.value.data();
  for (int row = place.top; row < place.top + tile.side; ++row, value += tile.side) {
    const double u = in.cells->u_of((row - in.box.top + 0.5) / cell);
    for (std::size_t k = 0; k < across; ++k) value[k] -= static_cast<float>(height_at(in.form, u, v[k]));
  }
}

/// Takes the plane through a tile's pixels out of them.
void level(NoiseTile& tile) {
  const double middle = (tile.side - 1) / 2.0;
  const auto across = static_cast<std::size_t>(tile.side);
  // sums without values are exact in any order
  double all = 0, y = 0, x = 0, yy = 0, yx = 0, xx = 0;
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  std::vector<double> x_of(across);
  for (std::size_t k = 0; k < across; ++k) x_of[k] = static_cast<double>(k) - middle;
  const float* value = tile.value.data();
  for (int row = 0; row < tile.side; ++row, value += tile.side) {
    const double y_of = row - middle;
    double pixels = 0, sum = 0, squares = 0;
    for (std::size_t k = 0; k < across; ++k) {
      const float v = value[k];
      if (std::isnan(v)) continue;
      pixels += 1;
      sum += x_of[k];
      squares += x_of[k] * x_of[k];
      right[0] += v;
      right[1] += v * y_of;
      right[2] += v * x_of[k];
    }
    all += pixels;
    y += pixels * y_of;
    yy += pixels * y_of * y_of;
    x += sum;
    yx += sum * y_of;
    xx += squares;
  }
  Eigen::Matrix3d normal;
  normal << all, y, x, y, yy, yx, x, yx, xx;
  const Eigen::Vector3d plane = normal.ldlt().solve(right);
  float* out = tile.value.data();
  for (int row = 0; row < tile.side; ++row, out += tile.side)
    for (std::size_t k = 0; k < across; ++k)
      out[k] -= static_cast<float>(plane[0] + plane[1] * (row - middle) + plane[2] * x_of[k]);
}

double mean_square(const NoiseTile& tile) {
  double squares = 0;
  for (const float v : tile.value)
    if (!std::isnan(v)) squares += double{v} * v;
  return squares / static_cast<double>(tile.pixels);
}

/// The lowest and the highest of pixels, and how many are no numbers, of what begins at each pixel of a tile.
struct TileSpans {
  std::vector<float> lowest, highest;
  std::vector<std::int32_t> missing;

  /// One pixel each; `beyond` more behind the last.
  TileSpans(const NoiseTile& tile, std::size_t beyond) : lowest(tile.value.size() + beyond) {
    highest.resize(lowest.size());
    missing.resize(lowest.size());
    for (std::size_t i = 0; i < tile.value.size(); ++i) {
      const float v = tile.value[i];
      lowest[i] = highest[i] = std::isnan(v) ? 0 : v;
      missing[i] = std::isnan(v) ? 1 : 0;
    }
  }
  /// As many spans, each with those that begin `step`, 2 step ... to `length` - 1 steps behind it.
  TileSpans(const TileSpans& of, std::size_t count, std::size_t step, std::size_t length)
      : lowest(of.lowest.size()) {
    highest.resize(lowest.size());
    missing.resize(lowest.size());
    vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
      for (std::size_t i = 0; i < count; i += eight) {
        std::array<float, eight> low, high;
        std::array<std::int32_t, eight> none;
        for (std::size_t k = 0; k < eight; ++k) low[k] = of.lowest[i + k];
        for (std::size_t k = 0; k < eight; ++k) high[k] = of.highest[i + k];
        for (std::size_t k = 0; k < eight; ++k) none[k] = of.missing[i + k];
        for (std::size_t at = i + step; at < i + length * step; at += step) {
          for (std::size_t k = 0; k < eight; ++k)
            low[k] = of.lowest[at + k] < low[k] ? of.lowest[at + k] : low[k];
          for (std::size_t k = 0; k < eight; ++k)
            high[k] = of.highest[at + k] > high[k] ? of.highest[at + k] : high[k];
          for (std::size_t k = 0; k < eight; ++k) none[k] += of.missing[at + k];
        }
        std::copy(low.begin(), low.end(), lowest.begin() + static_cast<std::ptrdiff_t>(i));
        std::copy(high.begin(), high.end(), highest.begin() + static_cast<std::ptrdiff_t>(i));
        std::copy(none.begin(), none.end(), missing.begin() + static_cast<std::ptrdiff_t>(i));
      }
    });
  }
};

NoiseTile::Windows windows_of(const NoiseTile& tile, int window_px) {
  NoiseTile::Windows s;
  const auto across = static_cast<std::size_t>(tile.side), size = static_cast<std::size_t>(window_px);
  // columns and rows behind the last begin no window
  const TileSpans pixels(tile, size * across), along(pixels, across * across, 1, size),
      windows(along, across * across, across, size);
  double sum = 0, squares = 0, high = -HUGE_VAL, low = -HUGE_VAL;
  for (std::size_t row = 0; row + size <= across; ++row)
    for (std::size_t i = row * across; i + size <= (row + 1) * across; ++i) {
      if (windows.missing[i] != 0) continue;
      const double lowest = windows.lowest[i], highest = windows.highest[i];
      sum += lowest - highest;
      squares += lowest * lowest + highest * highest;
      high = std::max(high, lowest);
      low = std::max(low, -highest);
      ++s.count;
    }
  if (s.count == 0) return s;
  const double n = 2.0 * static_cast<double>(s.count);
  s.mean = sum / n;
  s.variance = std::max(0.0, squares / n - s.mean * s.mean);
  s.highest = (high + low) / 2;
  return s;
}

void look_at(NoiseTile& tile, int window_px) {
  level(tile);
  tile.mean_square = mean_square(tile);
  tile.windows = windows_of(tile, window_px);
}

double median_square(const std::vector<NoiseTile>& tiles) {
  std::vector<double> squares;
  for (const NoiseTile& t : tiles) squares.push_back(t.mean_square);
  return squares.empty() ? 0 : median_of(squares);
}

}  // namespace

std::vector<NoiseTile> quietest_tiles(std::span<const OfSnapshot> snapshots, int side, int window_px,
                                      unsigned threads) {
  const std::vector<TilePlace> places = tile_places(snapshots, side);
  const std::size_t at_once = std::max<std::size_t>(8, 6 * threads);  // each may be one that is not filled
  std::vector<NoiseTile> formless, as_seen;
  for (std::size_t from = 0; from < places.size() && formless.size() < most_tiles; from += at_once) {
    struct Pair {
      NoiseTile formless, as_seen;
    };
    std::vector<Pair> some(std::min(at_once, places.size() - from));
    parallel_for(threads, some.size(), [&](std::size_t i, unsigned) {
      NoiseTile tile = tile_at(places[from + i], side);
      if (!is_filled(tile)) return;
      some[i] = {tile, std::move(tile)};
      take_form_out(places[from + i], some[i].formless);
      look_at(some[i].formless, window_px);
      look_at(some[i].as_seen, window_px);
    });
    for (Pair& pair : some) {
      if (pair.formless.side == 0 || formless.size() == most_tiles) continue;
      formless.push_back(std::move(pair.formless));
      as_seen.push_back(std::move(pair.as_seen));
    }
  }
  return median_square(as_seen) < median_square(formless) ? as_seen : formless;
}

LagProducts::LagProducts(int side, std::span<const NoiseTile* const> tiles, unsigned threads)
    : side_(side),
      most_(side / 4),
      threads_(threads),
      groups_((tiles.size() + lanes - 1) / lanes),
      pixels_(groups_ * lanes * static_cast<std::size_t>(side * side), std::nanf("")),
      mean_(static_cast<std::size_t>((most_ + 1) * (2 * most_ + 1))) {
  const auto pixels = static_cast<std::size_t>(side * side);
  for (std::size_t t = 0; t < tiles.size(); ++t)
    for (std::size_t i = 0; i < pixels; ++i)
      pixels_[(t / lanes * pixels + i) * lanes + t % lanes] = tiles[t]->value[i];
}

void LagProducts::find_ring(int ring) {
  std::vector<std::array<int, 2>> lags;
  for (int d = -ring; d <= ring; ++d) lags.push_back({ring, d});
  for (int d = 0; d < ring; ++d) {
    lags.push_back({d, -ring});
    lags.push_back({d, ring});
  }
  constexpr std::size_t least = std::size_t{1} << 18;  // products that are worth other threads
  const unsigned threads = lags.size() * pixels_.size() < least ? 1 : threads_;
  parallel_for(threads, lags.size(), [&](std::size_t k, unsigned) {
    mean_[index(lags[k][0], lags[k][1])] = mean_product(lags[k][0], lags[k][1]);
  });
}

double LagProducts::mean_product(int rows, int cols) const {
  using Floats = float __attribute__((vector_size(lanes * sizeof(float))));
  using Doubles = double __attribute__((vector_size(lanes * sizeof(double))));
  double all = 0, number = 0;
  const auto side = static_cast<std::size_t>(side_);
  const auto down = static_cast<std::size_t>(rows);
  const auto first = static_cast<std::size_t>(std::max(0, -cols)),
             last = static_cast<std::size_t>(std::min(side_, side_ - cols));
  for (std::size_t g = 0; g < groups_; ++g) {
    std::array<double, lanes> sums, counts;
    vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
      const float* const tile = pixels_.data() + g * side * side * lanes;
      const Doubles zero{}, one = zero + 1.0;
      Doubles sum{}, count{};
      for (std::size_t row = 0; row + down < side; ++row)
        for (std::size_t col = first; col < last; ++col) {
          Floats a, b;
          std::memcpy(&a, tile + (row * side + col) * lanes, sizeof a);
          std::memcpy(&b, tile + ((row + down) * side + col + static_cast<std::size_t>(cols)) * lanes,
                      sizeof b);
          const Doubles product = __builtin_convertvector(a * b, Doubles);
          sum += product == product ? product : zero;
          count += product == product ? one : zero;
        }
      std::memcpy(sums.data(), &sum, sizeof sum);
      std::memcpy(counts.data(), &count, sizeof count);
    });
    for (std::size_t t = 0; t < lanes; ++t) {
      all += sums[t];
      number += counts[t];
    }
  }
  return number > 0 ? all / number : 0;
}

}  // namespace datum

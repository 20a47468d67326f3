#include "daemon/inspection/surface/surface_region_form.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "calib/linear/median.h"
#include "daemon/inspection/surface/pixel_row.h"
#include "gpu/core/parallel_for.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

constexpr int quadric_cells = 24, plane_cells = 9;  // four for each parameter of a quadric, three of a plane
constexpr int robust_turns = 4;
constexpr double outlying_sigmas = 3;

void widen(RegionNoise::Box& box, const RegionNoise::Box& by) {
  box.top = std::min(box.top, by.top);
  box.bottom = std::max(box.bottom, by.bottom);
  box.left = std::min(box.left, by.left);
  box.right = std::max(box.right, by.right);
}

/// A guess of their median.
double median_of_some(std::span<const double> values) {
  constexpr std::size_t step = 16;
  std::vector<double> some;
  for (std::size_t k = 0; k < values.size(); k += step) some.push_back(values[k]);
  return median_of(std::move(some));
}

/// As median_of(), which it falls back on where the middle is not near the place that it may be at.
double middle_near(std::span<const double> values, double guess) {
  constexpr double reach = 0.1;
  const std::size_t rank = values.size() / 2;
  const double low = guess * (1 - reach), high = guess * (1 + reach);
  std::vector<double> within(values.size());
  std::size_t below = 0, count = 0;
  for (const double v : values) {
    below += v < low ? 1 : 0;
    within[count] = v;
    count += v >= low && v <= high ? 1 : 0;
  }
  if (rank < below || rank >= below + count) return median_of({values.begin(), values.end()});
  const auto at = within.begin() + static_cast<std::ptrdiff_t>(rank - below);
  std::nth_element(within.begin(), at, within.begin() + static_cast<std::ptrdiff_t>(count));
  return *at;
}

constexpr RegionNoise::Box no_pixel{std::numeric_limits<int>::max(), std::numeric_limits<int>::max(), 0, 0};

}  // namespace

BoxSearch::BoxSearch(const std::vector<SnapshotGrid>& grids,
                     const std::vector<std::uint16_t>& region_of_point, std::size_t regions)
    : grids_(grids), region_of_point_(region_of_point.data()), regions_(regions) {
  constexpr int band = band_rows;
  for (std::size_t s = 0; s < grids.size(); ++s)
    for (int from = 0; from < grids[s].rows; from += band)
      bands_.push_back({s, from, std::min(grids[s].rows, from + band), {}});
}

void BoxSearch::look_at(std::size_t band) {
  constexpr std::uint32_t none = no_region;
  Band& b = bands_[band];
  std::vector<RegionNoise::Box> own(regions_, no_pixel);
  vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
    const std::uint16_t* const region_of_point = region_of_point_;
    const std::size_t regions = regions_, cols = static_cast<std::size_t>(grids_[b.grid].cols);
    for (int row = b.from; row < b.to; ++row) {
      std::uint32_t region = none;  // of the pixels from `first` on
      std::size_t first = 0;
      const auto go_on = [&](std::size_t col, std::uint32_t of) DATUM_VECTOR_LOOP {
        if (of == region) return;
        if (region < regions)
          widen(own[region], {row, static_cast<int>(first), row + 1, static_cast<int>(col)});
        region = of;
        first = col;
      };
      walk_row(
          grids_[b.grid].point.data() + static_cast<std::size_t>(row) * cols, cols,
          [&](std::size_t col, std::uint32_t p) DATUM_VECTOR_LOOP {
            std::uint32_t others = 0;
            for (std::size_t k = 0; k < pixel_block; ++k) others |= region_of_point[p + k] ^ region;
            if (others == 0) return;
            for (std::size_t k = 0; k < pixel_block; ++k) go_on(col + k, region_of_point[p + k]);
          },
          [&](std::size_t col) DATUM_VECTOR_LOOP { go_on(col, none); },
          [&](std::size_t col, std::uint32_t p)
              DATUM_VECTOR_LOOP { go_on(col, p == no_point ? none : region_of_point[p]); });
      go_on(cols, none);
    }
  });
  b.boxes = std::move(own);
}

std::vector<std::vector<RegionNoise::Box>> BoxSearch::boxes() const {
  std::vector<std::vector<RegionNoise::Box>> all(grids_.size(),
                                                 std::vector<RegionNoise::Box>(regions_, no_pixel));
  for (const Band& b : bands_)
    for (std::size_t r = 0; r < regions_; ++r) widen(all[b.grid][r], b.boxes[r]);
  for (std::vector<RegionNoise::Box>& of_grid : all)
    for (RegionNoise::Box& box : of_grid)
      if (box.bottom == 0) box = {};
  return all;
}

RegionCells::RegionCells(const RegionNoise::Box& box)
    : rows((box.bottom - box.top + side_px - 1) / side_px),
      cols((box.right - box.left + side_px - 1) / side_px),
      sum(static_cast<std::size_t>(rows * cols)),
      pixels(sum.size()),
      box_(box) {
  for (int col = 0; col < cols; ++col) v_of_cols_.push_back(v_of(col + 0.5));
}

void RegionCells::add_row(const RegionPixels& all, std::size_t row) {
  const std::size_t first = row * static_cast<std::size_t>(cols);
  const int top = box_.top + static_cast<int>(row) * side_px;
  vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
    for (int of_pixels = top; of_pixels < std::min(box_.bottom, top + side_px); ++of_pixels)
      add_pixels(all, of_pixels, sum.data() + first, pixels.data() + first);
  });
}

/// In their order, cell by cell.
__attribute__((always_inline)) inline void RegionCells::add_pixels(const RegionPixels& all, int row,
                                                                   double* sum_of_row,
                                                                   double* pixels_of_row) const {
  for (int col = box_.left, k = 0; col < box_.right; col += side_px, ++k) {
    if (col + side_px <= box_.right)
      if (const float* const value = all.eight_at(row, col)) {
        std::array<double, side_px> side_by_side;
        for (std::size_t i = 0; i < side_px; ++i) side_by_side[i] = value[i];
        double own = sum_of_row[k];
        for (const double v : side_by_side) own += v;
        if (!std::isnan(own)) {
          sum_of_row[k] = own;
          pixels_of_row[k] += side_px;
          continue;
        }
      }
    for (int i = col; i < std::min(col + side_px, box_.right); ++i)
      if (const float v = all.at(row, i); !std::isnan(v)) {
        sum_of_row[k] += v;
        ++pixels_of_row[k];
      }
  }
}

CellsOfRegions::CellsOfRegions(const std::vector<SnapshotGrid>& grids,
                               const std::vector<std::vector<RegionNoise::Box>>& boxes,
                               const std::vector<std::uint16_t>& region_of_point,
                               const std::vector<float>& value, std::size_t regions)
    : grids_(grids.size()) {
  for (std::size_t r = 0; r < regions; ++r)
    for (std::size_t s = 0; s < grids.size(); ++s) {
      const auto& cells = cells_.emplace_back(std::make_shared<RegionCells>(boxes[s][r]));
      for (std::size_t row = 0; row < static_cast<std::size_t>(cells->rows); ++row)
        rows_.push_back({of_.size(), cells, row});
      of_.push_back(
          {RegionPixels(grids[s], region_of_point, value, r), boxes[s][r], cells, RegionQuadric::Zero()});
    }
}

void CellsOfRegions::fit(unsigned threads) {
  parallel_for(threads, of_.size(), [&](std::size_t k, unsigned) { cells_[k]->fit(); });
}

void CellsOfRegions::do_task(std::size_t task) {
  const std::size_t k = task % of_.size();
  if (task < of_.size())
    of_[k].form = cells_[k]->robust_form();
  else
    cells_[k]->find_spread();
}

RegionQuadric RegionCells::fitted(const std::vector<char>& used) const {
  // Eight of 1, u, v, u u, u v, v v side by side: a part of each by its row, times a part by its column.
  using Lanes = double __attribute__((vector_size(64)));
  std::vector<std::array<double, 8>> by_col;
  for (const double v : v_of_cols_) by_col.push_back({1, 1, v, 1, v, v * v, 0, 0});
  std::array<std::array<double, 8>, 7> sums;  // columns of the normal matrix, and the right side
  int seen = 0;
  vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
    std::array<Lanes, 7> s{};
    std::size_t k = 0;
    for (int row = 0; row < rows; ++row) {
      const double u = u_of(row + 0.5);
      const Lanes by_row{1, u, 1, u * u, u, 1, 0, 0};
      for (const std::array<double, 8>& of_col : by_col) {
        const std::size_t cell = k++;
        if (!used[cell] || !(pixels[cell] > 0)) continue;
        Lanes b;
        std::memcpy(&b, of_col.data(), sizeof b);
        b *= by_row;
        const Lanes weighted = pixels[cell] * b;
        const double v = of_col[2];
        s[0] += weighted;
        s[1] += u * weighted;
        s[2] += v * weighted;
        s[3] += u * u * weighted;
        s[4] += u * v * weighted;
        s[5] += of_col[5] * weighted;
        s[6] += sum[cell] * b;
        ++seen;
      }
    }
    std::memcpy(sums.data(), s.data(), sizeof sums);
  });
  Eigen::Matrix<double, 6, 6> normal;
  RegionQuadric right;
  for (Eigen::Index i = 0; i < 6; ++i) {
    for (Eigen::Index j = 0; j < 6; ++j)
      normal(i, j) = sums[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
    right[i] = sums[6][static_cast<std::size_t>(i)];
  }
  const Eigen::Index n = seen >= quadric_cells ? 6 : seen >= plane_cells ? 3 : 1;
  RegionQuadric q = RegionQuadric::Zero();
  if (seen > 0) q.head(n) = normal.topLeftCorner(n, n).ldlt().solve(right.head(n));
  return q;
}

RegionQuadric RegionCells::robust_form() const {
  constexpr std::size_t lanes = 8;
  const auto down = static_cast<std::size_t>(rows), across = static_cast<std::size_t>(cols),
             stride = (across + lanes - 1) / lanes * lanes;  // rows end with cells of no weight
  std::vector<char> used(sum.size(), 1), now(sum.size());
  std::vector<double> v_of(stride), mean(down * stride), weight(down * stride), off(down * stride),
      seen(sum.size());
  std::copy(v_of_cols_.begin(), v_of_cols_.end(), v_of.begin());
  std::size_t count = 0;
  for (std::size_t row = 0, k = 0; row < down; ++row)
    for (std::size_t at = row * stride; at < row * stride + across; ++at, ++k) {
      if (!(pixels[k] > 0)) continue;
      mean[at] = sum[k] / pixels[k];
      weight[at] = std::sqrt(pixels[k]);  // a cell of fewer pixels scatters more
      ++count;
    }
  RegionQuadric q = form_;
  if (count < quadric_cells) return q;
  double median = 0;
  for (int turn = 0; turn < robust_turns; ++turn) {
    vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
      for (std::size_t row = 0; row < down; ++row) {
        const double u = u_of(static_cast<double>(row) + 0.5);
        for (std::size_t col = 0; col < stride; col += lanes) {
          const std::size_t at = row * stride + col;
          std::array<double, lanes> d;
          for (std::size_t k = 0; k < lanes; ++k)
            d[k] = std::fabs(mean[at + k] - height_at(q, u, v_of[col + k])) * weight[at + k];
          std::memcpy(off.data() + at, d.data(), sizeof d);
        }
      }
    });
    std::size_t next = 0;
    for (std::size_t row = 0, k = 0; row < down; ++row)
      for (std::size_t at = row * stride; at < row * stride + across; ++at, ++k) {
        seen[next] = off[at];
        next += pixels[k] > 0 ? 1 : 0;
      }
    const std::span<const double> all(seen.data(), count);
    median = middle_near(all, turn == 0 ? median_of_some(all) : median);
    const double most = outlying_sigmas * 1.4826 * median;
    for (std::size_t row = 0, k = 0; row < down; ++row)
      for (std::size_t at = row * stride; at < row * stride + across; ++at, ++k)
        now[k] = off[at] <= most ? 1 : 0;
    if (used == now) return q;  // and so on
    used.swap(now);
    q = fitted(used);
  }
  return q;
}

void RegionCells::find_spread() {
  double all = 0, height = 0;
  for (std::size_t k = 0; k < sum.size(); ++k) {
    all += pixels[k];
    height += sum[k];
  }
  if (!(all > 0)) return;
  mean_ = RegionQuadric::Zero();
  mean_[0] = height / all;
  const RegionQuadric rest = form_ - mean_;
  for (std::size_t row = 0, k = 0; k < sum.size(); ++row) {
    const double u = u_of(static_cast<double>(row) + 0.5);
    for (const double v : v_of_cols_) {
      const double off = height_at(rest, u, v);
      squares_ += pixels[k++] * (off * off);
    }
  }
}

RegionQuadric RegionCells::shrunken_form(const RegionNoise& noise) const {
  const double parameters = static_cast<double>((form_.tail(5).array() != 0).count());
  const double by_noise = parameters * noise.sigma_mm * noise.sigma_mm * noise.correlation;
  return mean_ + (squares_ > by_noise ? 1 - by_noise / squares_ : 0) * (form_ - mean_);
}

}  // namespace datum

#include "daemon/inspection/surface/surface_region_form.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "calib/linear/median.h"
#include "daemon/inspection/surface/in_runs.h"

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

}  // namespace

std::vector<RegionNoise::Box> boxes_of(const SnapshotGrid& grid,
                                       const std::vector<std::uint16_t>& region_of_point, std::size_t regions,
                                       unsigned threads) {
  constexpr int far = std::numeric_limits<int>::max();
  constexpr std::size_t band = 32;  // rows
  const std::vector<RegionNoise::Box> none(regions,
                                           RegionNoise::Box{far, far, 0, 0});  // set to nothing below
  std::vector<std::vector<RegionNoise::Box>> of_band(runs_of(static_cast<std::size_t>(grid.rows), band));
  in_runs(
      threads, static_cast<std::size_t>(grid.rows),
      [&](std::size_t run, std::size_t from, std::size_t to) {
        std::vector<RegionNoise::Box> own = none;
        const std::uint32_t* point = grid.point.data() + from * static_cast<std::size_t>(grid.cols);
        for (int row = static_cast<int>(from); row < static_cast<int>(to); ++row, point += grid.cols) {
          std::size_t region = regions;  // of the pixels from `first` on
          int first = 0;
          const auto end = [&](int col) {
            if (region < regions) widen(own[region], {row, first, row + 1, col});
          };
          for (int col = 0; col < grid.cols; ++col) {
            const std::uint32_t p = point[col];
            const std::size_t of = p == no_point ? regions : region_of_point[p];
            if (of == region) continue;
            end(col);
            region = of;
            first = col;
          }
          end(grid.cols);
        }
        of_band[run] = std::move(own);
      },
      band);
  std::vector<RegionNoise::Box> boxes = none;
  for (const std::vector<RegionNoise::Box>& some : of_band)
    for (std::size_t r = 0; r < regions; ++r) widen(boxes[r], some[r]);
  for (RegionNoise::Box& box : boxes)
    if (box.bottom == 0) box = {};
  return boxes;
}

RegionCells::RegionCells(const RegionPixels& all, const RegionNoise::Box& box, unsigned threads)
    : rows((box.bottom - box.top + side_px - 1) / side_px),
      cols((box.right - box.left + side_px - 1) / side_px),
      sum(static_cast<std::size_t>(rows * cols)),
      pixels(sum.size()),
      in_middle_(sum.size()) {
  parallel_for(threads, static_cast<std::size_t>(rows), [&](std::size_t cell, unsigned) {
    const std::size_t first = cell * static_cast<std::size_t>(cols);
    for (int col = 0; col < cols; ++col)
      in_middle_[first + static_cast<std::size_t>(col)] = basis(static_cast<int>(cell) + 0.5, col + 0.5);
    const int top = box.top + static_cast<int>(cell) * side_px;
    for (int row = top; row < std::min(box.bottom, top + side_px); ++row)
      for (int col = box.left, k = 0; col < box.right; ++k) {
        double own = sum[first + static_cast<std::size_t>(k)];
        int count = 0;
        for (const int end = std::min(col + side_px, box.right); col < end; ++col)
          if (const float v = all.at(row, col); !std::isnan(v)) {
            own += v;
            ++count;
          }
        sum[first + static_cast<std::size_t>(k)] = own;
        pixels[first + static_cast<std::size_t>(k)] += count;
      }
  });
  form_ = fitted(std::vector<char>(sum.size(), 1));
}

RegionQuadric RegionCells::basis(double row, double col) const {
  const double u = 2 * row / rows - 1, v = 2 * col / cols - 1;
  return (RegionQuadric() << 1, u, v, u * u, u * v, v * v).finished();
}

double RegionCells::slope(const RegionQuadric& form, double row, double col) const {
  const double u = 2 * row / rows - 1, v = 2 * col / cols - 1;
  return std::abs(form[1] + 2 * form[3] * u + form[4] * v) * 2 / rows / side_px +
         std::abs(form[2] + 2 * form[5] * v + form[4] * u) * 2 / cols / side_px;
}

RegionQuadric RegionCells::fitted(const std::vector<char>& used) const {
  Eigen::Matrix<double, 6, 6> normal = Eigen::Matrix<double, 6, 6>::Zero();
  RegionQuadric right = RegionQuadric::Zero();
  int seen = 0;
  for (std::size_t k = 0; k < sum.size(); ++k) {
    if (!used[k] || !(pixels[k] > 0)) continue;
    const RegionQuadric& b = basis(k);
    normal.noalias() += pixels[k] * b * b.transpose();
    right += sum[k] * b;
    ++seen;
  }
  const Eigen::Index n = seen >= quadric_cells ? 6 : seen >= plane_cells ? 3 : 1;
  RegionQuadric q = RegionQuadric::Zero();
  if (seen > 0) q.head(n) = normal.topLeftCorner(n, n).ldlt().solve(right.head(n));
  return q;
}

RegionQuadric RegionCells::robust_form() const {
  std::vector<char> used(sum.size(), 1), last;
  RegionQuadric q = form_;
  std::vector<double> mean(sum.size()), weight(sum.size());
  for (std::size_t k = 0; k < sum.size(); ++k) {
    if (!(pixels[k] > 0)) continue;
    mean[k] = sum[k] / pixels[k];
    weight[k] = std::sqrt(pixels[k]);  // a cell of fewer pixels scatters more
  }
  for (int turn = 0; turn < robust_turns; ++turn) {
    std::vector<double> off(sum.size(), 0), seen;
    seen.reserve(sum.size());
    for (std::size_t k = 0; k < sum.size(); ++k) {
      if (!(pixels[k] > 0)) continue;
      off[k] = std::abs(mean[k] - q.dot(basis(k))) * weight[k];
      seen.push_back(off[k]);
    }
    if (seen.size() < quadric_cells) return q;
    const double most = outlying_sigmas * 1.4826 * median_of(seen);
    last = used;
    std::transform(off.begin(), off.end(), used.begin(), [&](double o) { return o <= most; });
    if (used == last) return q;  // and so on
    q = fitted(used);
  }
  return q;
}

RegionQuadric RegionCells::shrunken(const RegionQuadric& form, const RegionNoise& noise) const {
  double all = 0, height = 0, squares = 0;
  for (std::size_t k = 0; k < sum.size(); ++k) {
    all += pixels[k];
    height += sum[k];
  }
  if (!(all > 0)) return form;
  RegionQuadric mean = RegionQuadric::Zero();
  mean[0] = height / all;
  const RegionQuadric rest = form - mean;
  for (std::size_t k = 0; k < sum.size(); ++k) squares += pixels[k] * std::pow(rest.dot(basis(k)), 2);
  const double parameters = static_cast<double>((form.tail(5).array() != 0).count());
  const double by_noise = parameters * noise.sigma_mm * noise.sigma_mm * noise.correlation;
  return mean + (squares > by_noise ? 1 - by_noise / squares : 0) * (form - mean);
}

}  // namespace datum

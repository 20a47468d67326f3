// The smooth form of one region in one snapshot: a quadratic through the means of its cells. Lengths in mm.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "daemon/inspection/surface/surface_noise.h"
#include "daemon/inspection/surface/surface_window.h"

namespace datum {

class RegionPixels {
 public:
  /// All arguments must outlive this.
  RegionPixels(const SnapshotGrid& grid, const std::vector<std::uint16_t>& region_of_point,
               const std::vector<float>& value, std::size_t region)
      : grid_(grid),
        region_of_point_(region_of_point),
        value_(value),
        region_(static_cast<std::uint32_t>(region)) {}

  /// NaN where there is no pixel of the region, including beyond the last row or column.
  float at(int row, int col) const {
    constexpr float none = std::numeric_limits<float>::quiet_NaN();
    if (row >= grid_.rows || col >= grid_.cols) return none;
    const std::uint32_t p = points(row)[col];
    return p == no_point || region_of_point_[p] != region_ ? none : value_[p];
  }
  /// Eight pixels of a row, all in the frame, side by side; null unless all of them are the region's.
  static constexpr int eight = 8;
  __attribute__((always_inline)) const float* eight_at(int row, int col) const {
    const std::uint32_t* const point = points(row) + col;
    const std::uint32_t first = point[0];
    std::uint32_t off = 0;
    for (std::uint32_t k = 0; k < eight; ++k) off |= point[k] ^ (first + k);
    if (off != 0 || first == no_point) return nullptr;  // behind no_point comes point 0
    const std::uint16_t* const region = region_of_point_.data() + first;
    for (std::uint32_t k = 0; k < eight; ++k) off |= region[k] ^ region_;
    return off == 0 ? value_.data() + first : nullptr;
  }
  bool in_frame(int row, int end_col) const { return row < grid_.rows && end_col <= grid_.cols; }

 private:
  const SnapshotGrid& grid_;
  const std::vector<std::uint16_t>& region_of_point_;
  const std::vector<float>& value_;
  std::uint32_t region_;

  const std::uint32_t* points(int row) const {
    return grid_.point.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(grid_.cols);
  }
};

/// Of each region the box about its pixels in each snapshot, in bands of rows. Borrows the lists.
class BoxSearch {
 public:
  BoxSearch(const std::vector<SnapshotGrid>& grids, const std::vector<std::uint16_t>& region_of_point,
            std::size_t regions);
  std::size_t bands() const { return bands_.size(); }
  /// Each once, on any thread.
  void look_at(std::size_t band);
  /// When all were looked at: of each snapshot those of the regions, empty where it has no pixel of one.
  std::vector<std::vector<RegionNoise::Box>> boxes() const;

 private:
  struct Band {
    std::size_t grid;
    int from, to;
    std::vector<RegionNoise::Box> boxes;
  };
  const std::vector<SnapshotGrid>& grids_;
  const std::uint16_t* region_of_point_;
  std::size_t regions_;
  std::vector<Band> bands_;
};

/// Of 1, u, v, u u, u v, v v; u and v run from -1 to 1 over the rows and columns of a region's cells.
using RegionQuadric = Eigen::Matrix<double, 6, 1>;
/// In this order of additions wherever it is asked for.
inline __attribute__((always_inline)) double height_at(const RegionQuadric& q, double u, double v) {
  return (q[0] + (q[2] * v + q[4] * (u * v))) + (q[1] * u + (q[3] * (u * u) + q[5] * (v * v)));
}

/// Sums and numbers of pixels in cells of 8 x 8, from the first row and column of the region's box.
struct RegionCells {
  static constexpr int side_px = RegionPixels::eight;
  int rows = 0, cols = 0;
  std::vector<double> sum, pixels;

  /// Empty.
  explicit RegionCells(const RegionNoise::Box& box);
  /// The pixels of a row of cells; each row once, on any thread.
  void add_row(const RegionPixels& all, std::size_t row);
  /// When all were added.
  void fit() { form_ = fitted(std::vector<char>(sum.size(), 1)); }
  /// Then what shrunken_form() needs.
  void find_spread();
  /// Of a place in cells.
  double u_of(double row) const { return 2 * row / rows - 1; }
  double v_of(double col) const { return 2 * col / cols - 1; }
  /// Of the middle of each column of cells.
  const std::vector<double>& v_of_cols() const { return v_of_cols_; }
  /// Least squares, a plane or a mean where there are too few cells for more.
  const RegionQuadric& form() const { return form_; }
  /// As form(), without cells that lie farther from it than three of its residuals' sigma (1.4826 medians): a dent or a post
  /// does not bend it.
  RegionQuadric robust_form() const;
  /// form() less the part of it that noise makes: about its mean shrunk by 1 - p s^2 S / E, E its sum of squares over the pixels and
  /// p the parameters that it has beside the mean (James and Stein 1961).
  RegionQuadric shrunken_form(const RegionNoise& noise) const;

 private:
  void add_pixels(const RegionPixels& all, int row, double* sum_of_row, double* pixels_of_row) const;
  RegionQuadric fitted(const std::vector<char>& used) const;

  RegionNoise::Box box_;
  std::vector<double> v_of_cols_;
  RegionQuadric form_, mean_ = RegionQuadric::Zero();
  double squares_ = 0;  // of the form about its mean, over the pixels
};

/// The cells of all regions in all snapshots, row by row of cells. Borrows the lists.
class CellsOfRegions {
 public:
  /// `boxes`: of each snapshot those of its regions.
  CellsOfRegions(const std::vector<SnapshotGrid>& grids,
                 const std::vector<std::vector<RegionNoise::Box>>& boxes,
                 const std::vector<std::uint16_t>& region_of_point, const std::vector<float>& value,
                 std::size_t regions);
  std::size_t rows() const { return rows_.size(); }
  /// Each once, on any thread.
  void add_row(std::size_t row) { rows_[row].to->add_row(of_[rows_[row].of].pixels, rows_[row].row); }
  /// When all rows were added.
  void fit(unsigned threads);
  /// Then so many tasks, each once, on any thread; the first are the longest.
  std::size_t tasks() const { return 2 * of_.size(); }
  void do_task(std::size_t task);

  struct OfSnapshot {
    RegionPixels pixels;
    RegionNoise::Box box;
    std::shared_ptr<const RegionCells> cells;
    RegionQuadric form;  // robust
  };
  /// When all is done: of a region, one for each snapshot.
  std::span<const OfSnapshot> of_region(std::size_t region) const {
    return {of_.data() + region * grids_, grids_};
  }

 private:
  struct Row {
    std::size_t of;
    std::shared_ptr<RegionCells> to;
    std::size_t row;
  };
  std::size_t grids_;
  std::vector<OfSnapshot> of_;  // region by region
  std::vector<Row> rows_;
  std::vector<std::shared_ptr<RegionCells>> cells_;  // of_'s
};

}  // namespace datum

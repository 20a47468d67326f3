// The smooth form of one region in one snapshot: a quadratic through the means of its cells. Lengths in mm.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "daemon/inspection/surface/surface_noise.h"
#include "daemon/inspection/surface/surface_window.h"

namespace datum {

class RegionPixels {
 public:
  /// All arguments must outlive this.
  RegionPixels(const SnapshotGrid& grid, const std::vector<std::uint16_t>& region_of_point,
               const std::vector<float>& value, std::size_t region)
      : grid_(grid), region_of_point_(region_of_point), value_(value), region_(region) {}

  /// NaN where there is no pixel of the region, including beyond the last row or column.
  float at(int row, int col) const {
    constexpr float none = std::numeric_limits<float>::quiet_NaN();
    if (row >= grid_.rows || col >= grid_.cols) return none;
    const std::uint32_t p = grid_.point[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid_.cols) +
                                        static_cast<std::size_t>(col)];
    return p == no_point || region_of_point_[p] != region_ ? none : value_[p];
  }

 private:
  const SnapshotGrid& grid_;
  const std::vector<std::uint16_t>& region_of_point_;
  const std::vector<float>& value_;
  std::size_t region_;
};

/// Of each region the box about its pixels; empty where it has none.
std::vector<RegionNoise::Box> boxes_of(const SnapshotGrid& grid,
                                       const std::vector<std::uint16_t>& region_of_point, std::size_t regions,
                                       unsigned threads);

/// Of 1, u, v, u u, u v, v v; u and v run from -1 to 1 over the rows and columns of a region's cells.
using RegionQuadric = Eigen::Matrix<double, 6, 1>;

/// Sums and numbers of pixels in cells of 8 x 8, from the first row and column of the region's box.
struct RegionCells {
  static constexpr int side_px = 8;
  int rows = 0, cols = 0;
  std::vector<double> sum, pixels;

  RegionCells(const RegionPixels& all, const RegionNoise::Box& box, unsigned threads = 1);
  /// At a place in cells.
  RegionQuadric basis(double row, double col) const;
  /// In the middle of a cell, by its place in the lists: many ask.
  const RegionQuadric& basis(std::size_t cell) const { return in_middle_[cell]; }
  /// How much a form changes over one pixel along a row and a column, the sum of both.
  double slope(const RegionQuadric& form, double row, double col) const;
  /// Least squares, a plane or a mean where there are too few cells for more.
  const RegionQuadric& form() const { return form_; }
  /// As form(), without cells that lie farther from it than three of its residuals' sigma (1.4826 medians): a dent or a post
  /// does not bend it.
  RegionQuadric robust_form() const;
  /// A form less the part of it that noise makes: about its mean shrunk by 1 - p s^2 S / E, E its sum of squares over the pixels and
  /// p the parameters that it has beside the mean (James and Stein 1961).
  RegionQuadric shrunken(const RegionQuadric& form, const RegionNoise& noise) const;

 private:
  RegionQuadric fitted(const std::vector<char>& used) const;

  std::vector<RegionQuadric> in_middle_;
  RegionQuadric form_;
};

}  // namespace datum

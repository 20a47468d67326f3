// Every n-th pixel of a frame as a height over the board's own floor, for the search of a board's place.
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <vector>

#include "daemon/inspection/board/site_map.h"

namespace datum {

/// Height of a board's bare surface over its nominal plane, in mm, over pixels: c0 + c1 x + c2 y + c3 x^2 + c4 x y + c5 y^2,
/// x and y from the middle of the sampled pixels in units of half their extent.
struct BoardForm {
  std::array<double, 6> c{};
  Eigen::Vector2d middle_px = Eigen::Vector2d::Zero(), half_px = Eigen::Vector2d::Ones();
  double at(double col_px, double row_px) const;
};

/// Samples by rows: sample (col, row) is pixel first + step (col, row).
struct HeightLattice {
  int cols = 0, rows = 0, step = 1;
  Eigen::Vector2i first_px = Eigen::Vector2i::Zero();
  std::vector<float> mm;  // over the form; NaN where not measured
  BoardForm form;
  double cell_mm = 0;  // larger side of a cell, along the board
};

struct LatticeSettings {
  double margin_mm = 0;    // around the board
  double cell_mm = 0;      // a cell's side, at least the next whole pixels below ...
  int most_cells = 400;    // ... and so many along the longer side
  double lowest_mm = 0.2;  // lowest body that shall be told from the floor
};

/// The lattice over the board and its surroundings, without heights. None: nothing of the board is in the frame.
std::optional<HeightLattice> lattice_over(const BoardView& view, const Eigen::Vector2d& board_size_mm,
                                          const LatticeSettings& settings);

/// Samples the board's surroundings and fits its form robustly: least squares on tiles' 30 % quantiles, with weights
/// 1 / (1 + (r / s)^2)^2 whose scale s falls from 2 mm to a quarter of the lowest body. Bodies may cover half of the board.
/// False: the board has no heights there.
bool sample_heights(const HeightFrame& frame, const BoardView& view, const Eigen::Vector2d& board_size_mm,
                    const LatticeSettings& settings, unsigned threads, HeightLattice& lattice);

/// Both. None: nothing of the board is in the frame, or it has no heights there.
std::optional<HeightLattice> sample_heights(const HeightFrame& frame, const BoardView& view,
                                            const Eigen::Vector2d& board_size_mm,
                                            const LatticeSettings& settings, unsigned threads);

}  // namespace datum

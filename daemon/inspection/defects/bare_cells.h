// Cells of a board that its recipe leaves bare, and the board's form by them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/inspection/board/site_map.h"
#include "daemon/inspection/registration/height_lattice.h"

namespace datum {

enum class CellOf : std::uint8_t {
  bare,
  hidden,    // a body or its margin, an exclusion, a hole, or beside the board
  bad_part,  // the same of a part with a word
};

/// Of each sample of the lattice. `bad`: components with a word; may be empty.
std::vector<CellOf> cells_of(const Recipe& recipe, const BoardView& view, const HeightLattice& lattice,
                             const std::vector<bool>& bad);

/// The board's quadratic form by its bare cells: least squares on the lower quartiles of tiles, with weights
/// 1 / (1 + (r / s)^2)^2 whose scale s falls from 2 mm to 20 um. Bodies may cover any share of the board, and objects on bare board
/// fewer than half of the tiles. None: fewer than six tiles have bare cells.
std::optional<BoardForm> bare_form(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                                   unsigned threads);

/// Board coordinates of a sample, on the nominal board plane.
Eigen::Vector2d place_of_cell(const BoardView& view, const HeightLattice& lattice, int col, int row);

}  // namespace datum

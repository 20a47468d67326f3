// Rows of the table from real designs. A board of Debian's kicad-demos becomes a recipe by the import, with each height confirmed by
// a package library. Twins of the board, with its copper, mask, legend, pads and holes as levels, are measured by that recipe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "daemon/design/board_side.h"
#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {

struct DesignRow {
  std::string name;
  std::string board;  // stem of the .kicad_pcb
  design::Side side = design::Side::top;
  double outer_mm = 1.3;  // margin of the rings
  double shaded = 0;      // share of the parts whose ring lies in shadows, which the import does not know
};

std::vector<DesignRow> design_rows();

struct DesignCells {
  DesignRow row;
  int parts = 0, floors = 0;  // measured parts, and those with a floor by the import
  Tally height;               // of parts that are there; limits are the recipe's
  Tally missing;              // parts that are missing: a PASS of one counts as beyond_passed
};

struct DesignPlan {
  std::vector<DesignRow> rows;
  int frames = 6;  // of a board; within six of them a part is at and beyond each limit, good, and missing
  std::uint64_t seed = 1;
  unsigned threads = 1;
};

/// True: the folder DATUM_KICAD_DEMOS (default: where Debian installs kicad-demos) has boards.
bool demo_designs_are_here();

/// Of the heights: INVALID at most where the import says so, and what shadows and lost pixels take.
Wanted wanted_in(const DesignCells& cells);

/// Rows in their order; boards that the folder lacks are left out. Cells do not depend on the number of threads.
void run_designs(const DesignPlan& plan, const std::function<void(const DesignCells&)>& done);

}  // namespace datum::statistics

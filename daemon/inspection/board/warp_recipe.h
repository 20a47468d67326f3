// A recipe's settings of the board's own form: limits, and places of bare board that are measured beside the
// floors.
#pragma once

#include <vector>

#include "daemon/inspection/recipe/recipe.h"

namespace datum {

struct WarpRecipe {
  /// The board's own row in a verdict: reference, and checks of bow, twist, peak_to_valley, convexity.
  Component row;
  double margin_mm = 0;  // the judged outline is the board's less this on all sides
  double patch_mm = 3;   // side of the squares on bare board
  int min_knots = 6;
  /// A place farther from all measured ones is not evaluated.
  double max_gap_mm = 10;
  /// Largest curvature of the board where it was not measured: a place at distance g deviates by half of it
  /// times g^2, the sagitta over 2 g. 3 um/mm^2 is a bow of 0.75 % (the limit of IPC-6012 for surface-mounted
  /// parts) over 20 mm.
  double max_curvature_um_per_mm2 = 3;
  std::vector<Component> patches;  // their bodies are places without size; the ring around each is the square
};

/// Number of sites of board and patches in a plan's order: components, then patches.
std::size_t site_count(const Recipe& recipe);
const Component& site_component(const Recipe& recipe, std::size_t site);

/// Components in a verdict's order: those of the board, then its own row and that of foreign objects if the recipe has them; of a
/// panel those of all its boards, where none is skipped.
std::vector<const Component*> verdict_rows(const Recipe& recipe);

/// Outline of the board for bow and twist.
BoardRect warp_outline(const Recipe& recipe);

}  // namespace datum

// What a recipe demands of the board's own form: limits, and where bare board may be looked at beside the floors.
#pragma once

#include <vector>

#include "daemon/inspection/recipe/recipe.h"

namespace datum {

struct WarpRecipe {
  /// The board's own row in a verdict: reference, and checks of bow, twist, peak_to_valley, convexity.
  Component row;
  double margin_mm = 0;  // the outline that is judged is the board's less this on all sides
  double patch_mm = 3;   // side of the squares that are looked at on bare board
  int min_knots = 6;
  /// A place farther from all that was seen is not told.
  double max_gap_mm = 10;
  /// How much the board may curve where nothing was seen: a place at the distance g is off by half of it times g^2, the
  /// sagitta over 2 g. 3 um/mm^2 is a bow of 0.75 % (what IPC-6012 allows where parts are surface-mounted) over 20 mm.
  double max_curvature_um_per_mm2 = 3;
  std::vector<Component> patches;  // their bodies are places without size; the ring around one is the square
};

/// What the board's and the patches' rows demand together: components first, then patches, in a plan's order.
std::size_t site_count(const Recipe& recipe);
const Component& site_component(const Recipe& recipe, std::size_t site);

/// Components as a verdict lists them: those of the board, and its own row where the recipe has one.
std::vector<const Component*> verdict_rows(const Recipe& recipe);

/// The board's outline that bow and twist are of.
BoardRect warp_outline(const Recipe& recipe);

}  // namespace datum

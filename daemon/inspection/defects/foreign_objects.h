// Foreign objects: raised regions of bare board, outside all bodies with their margins, exclusions and holes.
#pragma once

#include <vector>

#include "daemon/inspection/board/site_map.h"
#include "daemon/inspection/registration/height_lattice.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/sensor_profile.h"

namespace datum {

/// Inputs, all borrowed; `rows`: the components' verdicts, in the recipe's order.
struct BareScene {
  const Recipe& recipe;  // with defects->foreign
  const SensorProfile& sensor;
  const HeightFrame& frame;
  const BoardView& view;
  const BoardForm* form;  // by its bare cells; null: none are seen
  const std::vector<ComponentVerdict>& rows;
};

/// The row of foreign objects: height of the highest one (0: none) over the bare board around it, and its word where it exceeds
/// the least height.
///
/// Heights are over the board's form by its bare cells (bare_cells.h) and, locally, over the lower quartile of the bare cells of the
/// surrounding tiles, at most three times those tiles' scatter away from the form, so that no object is its own floor. An object
/// is a region of cells above half the least height, at least min_size_mm long in two directions; a region that reaches
/// into the place of a part with a word, or its margin, is that part's. Its height is its cells' median. u: the tiles' scatter about the form,
/// and the sensor's noise.
/// INVALID: BODY_COVERAGE where less than half of the bare board has heights, or the pixel is too coarse for the least size.
ComponentVerdict judge_foreign(const BareScene& scene, unsigned threads);

}  // namespace datum

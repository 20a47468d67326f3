// Several frames of one board for its registration: on one grid of pixels for the search, and each body in the frame that shows it
// best for the edges.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "daemon/inspection/registration/body_edges.h"
#include "daemon/inspection/registration/height_lattice.h"

namespace datum {

/// One frame of a board and its view at the recipe's placement. Borrowed. The rays of all looks at one board are parallel, and
/// their pixels equal.
struct BoardLookAt {
  const HeightFrame& frame;
  const BoardView& view;
};

/// The looks' samples on the pixel grid of the first one's view, continued beyond its frame; each cell is the nearest sample of the
/// first look that has one, over that look's own form. At most 1,600 cells along the longer side. `form` is not set.
HeightLattice joined(std::span<const HeightLattice> lattices, std::span<const BoardLookAt> looks);

/// Distance in pixels of a moved body's outline, at its height, from the frame's edge; negative: it reaches beyond.
double depth_px(const BoardLookAt& look, const Component& component, const MovedPlane& motion);

/// The look in whose frame a moved body lies deepest; the earlier one of two equals.
std::size_t deepest_look(const std::vector<EdgeScene>& scenes, const Component& component,
                         const MovedPlane& motion);

/// Calls use(motion, edges) for each of the motions, on several threads: the edges of these components with the board there, by the
/// settings of that motion, each body's in its deepest look. Those of the first look come first.
void body_edges(const std::vector<EdgeScene>& scenes, const std::vector<std::size_t>& components,
                std::span<const PlaneMotion> motions, std::span<const EdgeSettings> settings,
                unsigned threads, const std::function<void(std::size_t motion, const BodyEdges&)>& use);

}  // namespace datum

// Overlap of components' bodies in a recipe.
#pragma once

#include <functional>
#include <vector>

#include "config/toml_reader.h"
#include "daemon/inspection/recipe/recipe.h"

namespace datum {

/// Common area in mm^2 of two rectangles of the board; 0 where they overlap by 1e-6 mm or less along any of
/// their axes, the rounding of a rotated corner.
double shared_area_mm2(const BoardRect& a, const BoardRect& b);

/// Refuses a component whose body overlaps an earlier one's: one part would pass as both (a copied row).
/// Allowed where `overlaps` of one names the other. Refuses names in `overlaps` that are no other component,
/// or whose body does not overlap; not checked where a component was refused (`complete` false). `tables`:
/// the table of each component, in their order.
void refuse_overlaps(const Recipe& recipe,
                     const std::vector<std::reference_wrapper<const config::TomlTable>>& tables,
                     bool complete, config::Problems& problems);

}  // namespace datum

// Components of a recipe whose bodies share an area of the board.
#pragma once

#include <functional>
#include <vector>

#include "config/toml_reader.h"
#include "daemon/inspection/recipe/recipe.h"

namespace datum {

/// Area in mm^2 that two rectangles of the board share; 0 where they overlap by 1e-6 mm or less along any of their axes: the
/// rounding of a turned corner.
double shared_area_mm2(const BoardRect& a, const BoardRect& b);

/// Refuses a component whose body shares an area with that of an earlier one: one part would pass as both (a copied row).
/// Allowed where `overlaps` of one names the other. Refuses names in `overlaps` that are no other component's, or whose body
/// lies apart; where some component is not in the recipe (`complete` false: it was refused) names are not looked at.
/// `tables`: where each component of the recipe was read from, in their order.
void refuse_overlaps(const Recipe& recipe,
                     const std::vector<std::reference_wrapper<const config::TomlTable>>& tables,
                     bool complete, config::Problems& problems);

}  // namespace datum

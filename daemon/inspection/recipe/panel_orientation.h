// Whether a panel, or a board, that is put in turned by 180 degrees would be noticed.
#pragma once

#include <string>

#include "daemon/inspection/recipe/panel_recipe.h"

namespace datum {

/// Why the board at some place would not look another one where the panel lies turned by 180 degrees about its middle; empty: each
/// place would show it. With [alignment] a board that lies turned is named, or is INVALID where its parts do not tell; a place does
/// not show it where a board of another place comes to lie there as designed. Without [alignment] a place shows it by a
/// part whose limits the turned panel surely does not meet:
/// - no part of the turned panel reaches its body, and its lower limit is at least half its nominal height;
/// - one part of the turned panel covers its body, and the limits of both have no height in common.
/// What lies in part on a body proves nothing.
std::string turned_unnoticed(const Recipe& recipe, const PanelRecipe& panel);

/// The same of one board without [alignment]: which of its parts would be measured as which other one where it lies turned by 180 degrees
/// about its middle. Empty: a part shows the turn, or each would be measured as itself.
std::string turned_unnoticed(const Recipe& recipe);

}  // namespace datum

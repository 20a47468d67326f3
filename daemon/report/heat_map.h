// Where on its board, or at which place of its panel, a lot's components FAIL or are INVALID.
//
// Places come from the recipe's text that the store keeps with the results, by its hash: each result is drawn where the recipe that
// measured it says. Seen from above, x to the right, y up.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "daemon/report/lot.h"

namespace datum {

/// The text of a recipe by its SHA-256; none: it is not kept.
using RecipeTexts = std::function<std::optional<std::string>(const std::string& sha256)>;

/// A section for each recipe of the lot, the one with most components first: maps of FAIL and of INVALID, over the panel where it has
/// one, and the table of their numbers. Bounded in recipes, shapes and rows; the page says what it leaves out. A recipe without places,
/// or whose text is missing, altered or refused, has its table and the reason. Empty: the lot has no components.
std::string heat_maps(const Lot& lot, const RecipeTexts& texts);

}  // namespace datum

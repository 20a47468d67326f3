// What `datumctl recipe check` says of a recipe, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "daemon/ctl/recipe_trial.h"

namespace datum {

struct RecipeReport {
  std::vector<std::string> errors, warnings;
  std::optional<Recipe> recipe;    // none: there are errors
  std::string of;                  // whose results' frames were measured
  std::vector<TriedBoard> boards;  // newest first
};

/// Exit status: 0 good; 1 refused; 10 good, but no frame is kept.
int status_of(const RecipeReport& report);
std::string report_text(const RecipeReport& report);
/// One object. Units are in the keys; what is not known is null.
std::string report_json(const RecipeReport& report);

/// "2 not measured: why" with each reason once.
std::string unmeasured_text(const std::vector<TriedBoard>& boards);

}  // namespace datum

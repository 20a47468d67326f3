// Recipes.
#include "daemon/inspection/recipe/recipe.h"
#include "tests/fuzz/toml_bytes.h"

DATUM_FUZZ_TARGET(toml_recipe) {
  datum::fuzz::expect_values_or_refusal(bytes, [](const auto& file) { datum::load_recipe(file); });
}

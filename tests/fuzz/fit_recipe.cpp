// Recipes of fits. Files that one names are not there.
#include "daemon/ctl/fit_points.h"
#include "tests/fuzz/toml_bytes.h"

DATUM_FUZZ_TARGET(fit_recipe) {
  datum::fuzz::MemoryFile file;
  try {
    const datum::FitJob job = datum::load_fit_recipe(file.holding(bytes).string());
    datum::fuzz::expect(!job.sets.empty(), "a recipe has a set");
  } catch (const datum::config::ConfigError&) {
  } catch (const std::invalid_argument&) {
  }
}

// Configuration of datumd-plant-view.
#include "daemon/plant_view/plant_view_settings.h"
#include "tests/fuzz/toml_bytes.h"

DATUM_FUZZ_TARGET(toml_plant_view) {
  datum::fuzz::expect_values_or_refusal(bytes,
                                        [](const auto& file) { datum::load_plant_view_settings(file); });
}

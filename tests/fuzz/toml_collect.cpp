// Configuration of datumd-collect.
#include "daemon/collect/collect_settings.h"
#include "tests/fuzz/toml_bytes.h"

DATUM_FUZZ_TARGET(toml_collect) {
  datum::fuzz::expect_values_or_refusal(bytes, [](const auto& file) { datum::load_collect_settings(file); });
}

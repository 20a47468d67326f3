// The configuration of a cell.
#include "daemon/configuration/daemon_config.h"
#include "tests/fuzz/toml_bytes.h"

DATUM_FUZZ_TARGET(toml_config) {
  datum::fuzz::expect_values_or_refusal(bytes, [](const auto& file) { datum::load_daemon_config(file); });
}

// Sensor profiles.
#include "drivers/profile/sensor_profile_file.h"
#include "tests/fuzz/toml_bytes.h"

DATUM_FUZZ_TARGET(toml_sensor) {
  datum::fuzz::expect_values_or_refusal(bytes,
                                        [](const auto& file) { datum::config::load_sensor_profile(file); });
}

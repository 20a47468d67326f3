// Calibrations.
#include "calib/calibration.h"
#include "tests/fuzz/toml_bytes.h"

DATUM_FUZZ_TARGET(toml_calibration) {
  datum::fuzz::expect_values_or_refusal(bytes, [](const auto& file) { datum::load_calibration(file); });
}

// Phase-to-height calibrations of fringe sensors.
#include "calib/fringe/phase_calibration.h"
#include "tests/fuzz/toml_bytes.h"

DATUM_FUZZ_TARGET(toml_fringe) {
  datum::fuzz::expect_values_or_refusal(bytes, [](const auto& file) { datum::load_phase_calibration(file); });
}

// Drawings of artefacts: slots and lines, and spheres.
#include "calib/artefact/drawing_file.h"
#include "calib/artefact/sphere_artefact_drawing.h"
#include "tests/fuzz/toml_bytes.h"

DATUM_FUZZ_TARGET(toml_drawing) {
  datum::fuzz::expect_values_or_refusal(bytes, [](const auto& file) { datum::load_artefact_drawing(file); });
  datum::fuzz::expect_values_or_refusal(bytes, [](const auto& file) { datum::load_sphere_drawing(file); });
}

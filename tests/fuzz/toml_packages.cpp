// Package libraries.
#include "daemon/design/package_library.h"
#include "tests/fuzz/toml_bytes.h"

DATUM_FUZZ_TARGET(toml_packages) {
  datum::fuzz::expect_values_or_refusal(
      bytes, [](const auto& file) { datum::design::PackageLibrary().add_file(file); });
}

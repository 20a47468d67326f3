// Real measurements beside the checkout: tests labelled `realdata` use them and report SKIPPED where they are
// absent.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace datum::testing {

inline std::filesystem::path real_data_folder() {
  const char* folder = std::getenv("DATUM_REAL_DATA");
  return folder && *folder ? folder : DATUM_REAL_DATA_DEFAULT;
}

}  // namespace datum::testing

#define DATUM_NEED_REAL_DATA(file)                                           \
  if (!std::filesystem::exists(datum::testing::real_data_folder() / (file))) \
  GTEST_SKIP() << "real measurement " << (datum::testing::real_data_folder() / (file)) << " is absent"

// Keys by the manual's commands with the openssl program.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/fresh_folder.h"

namespace datum::testing {

inline std::filesystem::path new_key(const FreshFolder& folder, const std::string& name = "key.pem") {
  const auto file = folder.path() / name;
  const std::string make = "umask 077; openssl genpkey -algorithm ed25519 -out '" + file.string() + "'";
  EXPECT_EQ(std::system(make.c_str()), 0) << make;
  return file;
}

}  // namespace datum::testing

// Programs that read external bytes are built with Debian's hardening options; checked in the ELF files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/house/output_of.h"

namespace datum {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string readelf(const std::string& what, const std::string& program) {
  const testing::Output said =
      testing::output_of("LC_ALL=C readelf -W " + what + " " DATUM_BIN "/" + program);
  EXPECT_EQ(said.status, 0) << said.text.substr(0, 200);
  return said.text;
}

TEST(Hardening, IsThatOfTheReleasePreset) {
  std::ifstream in(DATUM_SOURCE_DIR "/CMakePresets.json");
  const nlohmann::json presets = nlohmann::json::parse(in);
  for (const auto& preset : presets.at("configurePresets"))
    if (preset.at("name") == "release") {
      EXPECT_EQ(preset.at("cacheVariables").value("DATUM_HARDEN", ""), "ON");
    }
}

class HardenedProgram : public ::testing::TestWithParam<const char*> {};

TEST_P(HardenedProgram, HasWhatDebianHardensProgramsBy) {
  if (!DATUM_HARDENED) GTEST_SKIP() << "this build is not hardened: DATUM_HARDEN is OFF";
  const std::string program = GetParam();
  EXPECT_THAT(readelf("-h", program), ContainsRegex("Type: +DYN")) << "position-independent";
  const std::string segments = readelf("-l", program);
  EXPECT_THAT(segments, HasSubstr("GNU_RELRO"));
  EXPECT_THAT(segments, ContainsRegex("GNU_STACK[^\n]* RW ")) << "a stack that is not executed";
  EXPECT_THAT(readelf("-d", program), ContainsRegex("BIND_NOW|FLAGS_1.*NOW"))
      << "all relocations before main";
  const std::string symbols = readelf("--dyn-syms", program);
  EXPECT_THAT(symbols, HasSubstr("__stack_chk_fail")) << "-fstack-protector-strong";
  EXPECT_TRUE(std::regex_search(symbols, std::regex(" __[a-z]+_chk[@ ]"))) << "_FORTIFY_SOURCE";
}

INSTANTIATE_TEST_SUITE_P(All, HardenedProgram,
                         ::testing::Values("datumd", "datumctl", "datumd-batch", "datumd-collect",
                                           "datumd-gpu", "datumd-parse", "datumd-sign", "datumd-plant",
                                           "datumd-plant-view", "datumd-view"));

}  // namespace
}  // namespace datum

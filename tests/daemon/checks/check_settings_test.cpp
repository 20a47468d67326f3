// [reference_checks]: what is read, and what is refused with which words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/checks/check_settings_file.h"

namespace datum::check_settings {
namespace {

using ::testing::HasSubstr;

const std::string good = R"(action = "refuse"
[[check]]
name = "golden"
artefact = "golden board"
serial = "GB-7"
recipe = "box"
start_of_shift = ["14:00", "06:00"]
time_zone = "+01:00"
interval_h = 8
[[check.value]]
component = "B1"
characteristic = "median"
certified_um = 500.0
expanded_um = 2.0
mpe_um = 5.0
)";

CheckSettings read(const std::string& text) {
  return config::read_reference_checks(config::TomlTable::from_text(text, "checks.toml"));
}

std::string refusal(const std::string& from, const std::string& to) {
  std::string text = good;
  text.replace(text.find(from), from.size(), to);
  try {
    read(text);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "read";
}

TEST(CheckSettings, AreRead) {
  const CheckSettings s = read(good);
  EXPECT_EQ(s.action, CheckAction::refuse);
  ASSERT_EQ(s.checks.size(), 1u);
  const CheckDefinition& d = s.checks[0];
  EXPECT_EQ(d.shifts->minutes, (std::vector<int>{360, 840}));
  EXPECT_EQ(d.shifts->utc_offset_s, 3600);
  EXPECT_EQ(d.interval_s, 8 * 3600);
  EXPECT_EQ(d.readings, 3u);
  EXPECT_TRUE(d.after_start);
  EXPECT_DOUBLE_EQ(d.values[0].maximum_permissible, 5);
}

TEST(CheckSettings, HaveAnIdentityOfWhatMakesAnOutcome) {
  std::string other = good;
  other.replace(other.find("mpe_um = 5.0"), 12, "mpe_um = 5.1");
  EXPECT_NE(read(good).checks[0].sha256, read(other).checks[0].sha256);
  other = good;
  other.replace(other.find("interval_h = 8"), 14, "interval_h = 9");
  EXPECT_EQ(read(good).checks[0].sha256, read(other).checks[0].sha256) << "a good check stays good";
}

TEST(CheckSettings, AreRefusedWithTheirReason) {
  EXPECT_THAT(refusal("certified_um", "certified_mm"), HasSubstr("B1.certified_um: missing"));
  EXPECT_THAT(refusal("expanded_um = 2.0", "expanded_um = 0.0"), HasSubstr("expanded_um"));
  EXPECT_THAT(refusal("median", "medain"), HasSubstr("'medain' is not known"));
  EXPECT_THAT(refusal("\"06:00\"", "\"6:00\""), HasSubstr("'6:00' is no time of day"));
  EXPECT_THAT(refusal("+01:00", "Europe/Berlin"), HasSubstr("'Europe/Berlin' is no time zone"));
  EXPECT_THAT(refusal("time_zone = \"+01:00\"\n", ""), HasSubstr("time_zone: missing"));
  EXPECT_THAT(refusal("start_of_shift = [\"14:00\", \"06:00\"]\n", ""),
              HasSubstr("no start_of_shift uses it"));
  EXPECT_THAT(refusal("action = \"refuse\"", "action = \"ignore\""), HasSubstr("action"));
  EXPECT_THAT(refusal("golden\"\nartefact", "gol\\nden\"\nartefact"),
              HasSubstr("can't be shown by every host"));
  EXPECT_THAT(refusal("[[check.value]]", "[[check]]\nname = \"golden\"\n[[check.value]]"),
              HasSubstr("golden"));
}

}  // namespace
}  // namespace datum::check_settings

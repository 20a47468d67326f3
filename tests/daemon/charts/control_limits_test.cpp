// The file of control limits: what is written is read again; whatever else is refused with its place.
#include "daemon/charts/control_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/fresh_folder.h"
#include "tests/refusal.h"

namespace datum::quality {
namespace {

using datum::testing::refusal_of;
using ::testing::HasSubstr;

FrozenLimits limits_of(const std::string& id) {
  FrozenLimits l;
  l.id = id;
  l.at = "2026-11-21T08:00:00Z";
  l.by = "A. Berger";
  l.recipe = "mainboard";
  l.recipe_sha256 = "ab12";
  l.calibration = "none";
  l.code = "0.1.0 test";
  l.rules = "1,2";
  l.disarm = "1";
  l.first = 1;
  l.last = 25;
  l.results = 25;
  l.removed = {{7, "wrong nozzle"}};
  l.series[{"mainboard", "U1", "die", Characteristic::median, 0}] = {1203.1 / 3, 0.1, 24};
  return l;
}

std::string altered(const std::string& from, const std::string& to) {
  std::string text = to_json(limits_of("a"));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ControlLimits, AreReadAsTheyWereWrittenAndFormerOnesStay) {
  const datum::testing::FreshFolder folder;
  const auto file = limits_file(folder / "results.db", "main/board");
  EXPECT_EQ(file, folder / "control_limits" / "main%2Fboard.json") << "a recipe's name is no path";
  write_limits(file, limits_of("first"));
  const FrozenLimits read = read_limits(file);
  EXPECT_EQ(to_json(read), to_json(limits_of("first"))) << "each digit";
  EXPECT_EQ(read.series.begin()->second.mean, 1203.1 / 3);
  write_limits(file, limits_of("second"));
  EXPECT_EQ(read_limits(file).id, "second");
  EXPECT_NE(read_limits(file).sha256, read.sha256);
  EXPECT_EQ(read_limits(folder / "control_limits" / "main%2Fboard.first.json").id, "first");
}

TEST(ControlLimits, OfEwmaAndCusumHaveAFormatThatAnOlderVersionRefuses) {
  FrozenLimits l = limits_of("drift");
  EXPECT_THAT(to_json(l), HasSubstr("datumd control limits 1"));
  l.rules = "1,ewma,cusum";
  l.disarm = "cusum";
  l.drift = {EwmaRule{0.2, 2.962}, CusumRule{0.25, 8.01, true}};
  const std::string text = to_json(l);
  EXPECT_THAT(text, HasSubstr("datumd control limits 2"));
  const FrozenLimits read = limits_from_json(text, "psu.json");
  EXPECT_EQ(to_json(read), text);
  EXPECT_EQ(read.drift.cusum->h, 8.01);
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return refusal_of<LimitsRefused>([&] { limits_from_json(other, "psu.json"); });
  };
  EXPECT_THAT(refused("\"lambda\": 0.2", "\"lambda\": 1.5"), HasSubstr("lambda is above 1"));
  EXPECT_THAT(refused("\"h\": 8.01", "\"h\": 0"), HasSubstr("h is 0, wanted above 0"));
  EXPECT_THAT(refused("\"cusum\":", "\"susum\":"), HasSubstr("cusum"));
}

TEST(ControlLimits, RefusesWhatIsNotItsOwn) {
  const auto refused = [](const std::string& text) {
    return refusal_of<LimitsRefused>([&] { limits_from_json(text, "psu.json"); });
  };
  EXPECT_THAT(refused("[1"), HasSubstr("psu.json: "));
  EXPECT_THAT(refused("{}"), HasSubstr("'format' not found"));
  EXPECT_THAT(refused(altered("limits 1", "limits 3")), HasSubstr("wanted \"datumd control limits 1\""));
  EXPECT_THAT(refused(altered("\"sigma\": 0.1", "\"sigma\": 0")),
              HasSubstr("U1 median: sigma is not above 0"));
  EXPECT_THAT(refused(altered("\"sigma\": 0.1", "\"sigma\": 1e999")), HasSubstr("psu.json: "));
  EXPECT_THAT(refused(altered("\"sigma\": 0.1", "\"sigma\": null")), HasSubstr("psu.json: "));
  EXPECT_THAT(refused(altered("\"unit\": \"um\"", "\"unit\": \"mm\"")),
              HasSubstr("U1 median: unit \"mm\", wanted um"));
  EXPECT_THAT(refused(altered("\"rules\": \"1,2\"", "\"rules\": \"1,9\"")), HasSubstr("rules '1,9'"));
  EXPECT_THAT(refused(altered("\"characteristic\": \"median\"", "\"characteristic\": \"medium\"")),
              HasSubstr("'medium' is no characteristic"));
  EXPECT_THAT(refused(altered("\"first\": 1", "\"first\": 26")), HasSubstr("first is above last"));
  EXPECT_THAT(refusal_of<LimitsRefused>([] { read_limits("/nonexistent/psu.json"); }),
              HasSubstr("/nonexistent/psu.json: "));
}

}  // namespace
}  // namespace datum::quality

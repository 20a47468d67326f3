// plant-view.toml: the sample, what is refused with which words, and the begins of shifts.
#include "daemon/plant_view/plant_view_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/toml_reader.h"
#include "config/utc_time.h"
#include "tests/fresh_folder.h"
#include "tests/sample_file.h"

namespace datum {
namespace plant_view_settings_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string database = "[database]\nhost = \"/run/postgresql\"\nname = \"plant\"\nuser = \"v\"\n";

struct PlantViewSettingsFile : ::testing::Test {
  std::string refusal(const std::string& text) {
    try {
      load_plant_view_settings(folder.write("plant-view.toml", text));
    } catch (const config::ConfigError& error) {
      return error.what();
    }
    return "";
  }
  testing::FreshFolder folder;
};

std::string shift_text(const std::vector<int>& begins, const char* utc, std::size_t back = 0) {
  const Shift shift = shift_at(begins, *utc_from_iso8601(utc), back);
  return iso8601_from_utc(shift.from) + " " + iso8601_from_utc(shift.to);
}

TEST_F(PlantViewSettingsFile, TheSampleIsRead) {
  const PlantViewSettings s = load_plant_view_settings(DATUM_SOURCE_DIR "/config/plant-view.toml");
  EXPECT_EQ(s.database.user, "datumd-plant-view");
  EXPECT_EQ(s.listen.port, 8026);
  EXPECT_TRUE(is_loopback(s.listen));
}

TEST_F(PlantViewSettingsFile, TheSampleNamesEachKey) {
  const std::string sample = testing::slurp(DATUM_SOURCE_DIR "/config/plant-view.toml");
  for (const char* header : {"", "database", "pages"}) {
    const auto known =
        testing::known_keys(folder, sample, header, [](const auto& file, config::Problems& problems) {
          problems.attempt([&] { load_plant_view_settings(file); });
        });
    EXPECT_FALSE(known.empty());
    EXPECT_EQ(testing::shown_keys(sample, header), known) << header;
  }
}

TEST_F(PlantViewSettingsFile, RefusesWhatItCantUse) {
  EXPECT_EQ(refusal(database), "");
  EXPECT_EQ(refusal(database + "[pages]\nshifts_utc = [\"06:00\", \"14:00\", \"22:00\"]\n"), "");
  for (const char* shifts : {"[]", "[\"14:00\", \"06:00\"]", "[\"06:00\", \"06:00\"]", "[\"24:00\"]",
                             "[\"6:00\"]", "[\"06:60\"]", "[\"-1:00\"]"})
    EXPECT_THAT(refusal(database + "[pages]\nshifts_utc = " + shifts + "\n"), HasSubstr("rising times"))
        << shifts;
  EXPECT_THAT(refusal(database + "[pages]\nlisten = \"plant:80\"\n"), HasSubstr("listen"));
  EXPECT_THAT(refusal(database + "[pages]\npage_limit_ms = 0\n"), HasSubstr("page_limit_ms"));
  EXPECT_THAT(refusal(database + "password = \"secret\"\n"), HasSubstr("password_file"));
  EXPECT_THAT(refusal("[database]\nhost = \"db.plant\"\nname = \"p\"\nuser = \"v\"\n"),
              HasSubstr("verify-full"));
}

TEST(PlantShift, IsTheDayWhereNoneIsSet) {
  EXPECT_EQ(shift_text({0}, "2026-03-01T00:00:00Z"), "2026-03-01T00:00:00Z 2026-03-02T00:00:00Z");
  EXPECT_EQ(shift_text({0}, "2026-03-01T23:59:59Z", 1), "2026-02-28T00:00:00Z 2026-03-01T00:00:00Z");
}

TEST(PlantShift, GoesOverMidnight) {
  const std::vector<int> three{6 * 60, 14 * 60, 22 * 60};
  EXPECT_EQ(shift_text(three, "2026-03-01T05:59:59Z"), "2026-02-28T22:00:00Z 2026-03-01T06:00:00Z");
  EXPECT_EQ(shift_text(three, "2026-03-01T06:00:00Z"), "2026-03-01T06:00:00Z 2026-03-01T14:00:00Z");
  EXPECT_EQ(shift_text(three, "2026-03-01T23:00:00Z"), "2026-03-01T22:00:00Z 2026-03-02T06:00:00Z");
  EXPECT_EQ(shift_text(three, "2026-03-01T07:00:00Z", 4), "2026-02-27T22:00:00Z 2026-02-28T06:00:00Z");
}

}  // namespace
}  // namespace plant_view_settings_test
}  // namespace datum

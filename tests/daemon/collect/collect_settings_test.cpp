// collect.toml: the sample, and what is refused with which words.
#include "daemon/collect/collect_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/toml_reader.h"
#include "tests/fresh_folder.h"
#include "tests/sample_file.h"

namespace datum {
namespace {

using ::testing::HasSubstr;

const std::string broker = "[broker]\nurl = \"amqps://b\"\nentries = \"e\"\n";
const std::string database = "[database]\nhost = \"/run/postgresql\"\nname = \"plant\"\nuser = \"c\"\n";

struct CollectSettingsFile : ::testing::Test {
  std::string refusal(const std::string& text) {
    try {
      load_collect_settings(folder.write("collect.toml", text));
    } catch (const config::ConfigError& error) {
      return error.what();
    }
    return "";
  }
  testing::FreshFolder folder;
};

TEST_F(CollectSettingsFile, TheSampleIsRead) {
  const CollectSettings s = load_collect_settings(DATUM_SOURCE_DIR "/config/collect.toml");
  EXPECT_EQ(s.measurement_days, 60);
  EXPECT_EQ(s.broker.window, 500);
  EXPECT_EQ(s.largest_message, 16u << 20);
}

TEST_F(CollectSettingsFile, TheSampleNamesEachKey) {
  const std::string sample = testing::slurp(DATUM_SOURCE_DIR "/config/collect.toml");
  for (const char* header : {"", "broker", "database"}) {
    const auto known =
        testing::known_keys(folder, sample, header, [](const auto& file, config::Problems& problems) {
          problems.attempt([&] { load_collect_settings(file); });
        });
    EXPECT_FALSE(known.empty());
    EXPECT_EQ(testing::shown_keys(sample, header), known) << header;
  }
}

TEST_F(CollectSettingsFile, RefusesWhatWouldCrossANetworkInClear) {
  EXPECT_EQ(refusal(broker + database), "");
  EXPECT_THAT(refusal("[broker]\nurl = \"amqp://10.0.0.1\"\nentries = \"e\"\n" + database),
              HasSubstr("in clear"));
  EXPECT_THAT(refusal(broker + "[database]\nhost = \"db.plant\"\nname = \"p\"\nuser = \"c\"\n"),
              HasSubstr("verify-full"));
  EXPECT_THAT(
      refusal("[broker]\nurl = \"amqp://localhost\"\nentries = \"e\"\nauthority_file = \"x\"\n" + database),
      HasSubstr("without encryption"));
}

TEST_F(CollectSettingsFile, RefusesHalvesUnknownKeysAndValuesOutOfRange) {
  EXPECT_THAT(refusal(broker + "user = \"u\"\n" + database), HasSubstr("password_file"));
  EXPECT_THAT(refusal(broker + "key_file = \"u\"\n" + database), HasSubstr("certificate_file"));
  EXPECT_THAT(refusal(broker + "window = 0\n" + database), HasSubstr("10000"));
  EXPECT_THAT(refusal(broker + database + "password = \"x\"\n"), HasSubstr("password"));
  EXPECT_THAT(refusal("measurement_days = 0\n" + broker + database), HasSubstr("36500"));
  EXPECT_THAT(refusal("board_days = 7\n" + broker + database), HasSubstr("below measurement_days"));
  EXPECT_THAT(refusal(broker), HasSubstr("database"));
  EXPECT_THAT(refusal("[broker]\nurl = \"http://b\"\nentries = \"e\"\n" + database),
              HasSubstr("no broker's URL"));
  EXPECT_THAT(refusal(broker + "[database]\nhost = \"a b\"\nname = \"p\"\nuser = \"c\"\n"),
              HasSubstr("no host"));
}

TEST_F(CollectSettingsFile, AConnectionStringKeepsHostileValuesApart) {
  DatabaseSettings d;
  d.host = "db.plant";
  d.name = "p' sslmode='disable";
  d.user = "c\\";
  d.password_file = folder.write("password", "a' host='evil\nsecond line\n");
  std::filesystem::permissions(d.password_file, std::filesystem::perms(0644));
  EXPECT_THROW(connection_string(d), std::runtime_error) << "others can read it";
  std::filesystem::permissions(d.password_file, std::filesystem::perms(0600));
  d.authority_file = "/ca.pem";
  const std::string text = connection_string(d);
  EXPECT_THAT(text, HasSubstr("dbname='p\\' sslmode=\\'disable'"));
  EXPECT_THAT(text, HasSubstr("user='c\\\\'"));
  EXPECT_THAT(text, HasSubstr("password='a\\' host=\\'evil'"));
  EXPECT_THAT(text, HasSubstr("sslmode=verify-full"));
  d.password_file = folder / "none";
  EXPECT_THROW(connection_string(d), std::runtime_error);
}

}  // namespace
}  // namespace datum

// The schedule of signatures by an injected time; and the manual's commands for the key, executed.
#include "daemon/cell/signing_schedule.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "daemon/sign/ed25519.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace signing_schedule_test {
namespace {

constexpr MonotonicNs second = 1'000'000'000;

TEST(SigningSchedule, IsDueAtTheStartByResultsAndByTime) {
  SigningSchedule schedule({"", 3, 60, false});
  EXPECT_TRUE(schedule.due(second)) << "the process before may have been killed in between";
  schedule.asked();
  schedule.stored();
  EXPECT_FALSE(schedule.due(900 * second)) << "one at a time";
  schedule.got(false, 2 * second);
  EXPECT_FALSE(schedule.due(61 * second));
  EXPECT_TRUE(schedule.due(62 * second));
  schedule.stored();
  EXPECT_FALSE(schedule.due(3 * second));
  schedule.stored();
  EXPECT_TRUE(schedule.due(3 * second)) << "three are new: one came while the first was signed";
}

TEST(SigningSchedule, AsksAgainAfterAFailureAndGoesOnWhereMoreIsLeft) {
  SigningSchedule schedule({"", 1, 60, false});
  schedule.asked();
  schedule.failed(second);
  schedule.stored();
  EXPECT_FALSE(schedule.due(10 * second));
  EXPECT_TRUE(schedule.due(11 * second));
  schedule.asked();
  schedule.got(true, 11 * second);
  EXPECT_TRUE(schedule.due(11 * second));
}

TEST(Manual, ItsCommandsMakeAKey) {
  const testing::FreshFolder folder;
  std::ifstream page(DATUM_SOURCE_DIR "/systemd/datumd.8.in");
  std::string commands = "set -e; umask 077;";
  int seen = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("openssl ", 0) != 0 && line.rfind("chmod 0644 ", 0) != 0) continue;
    line = std::regex_replace(line, std::regex(R"(\\-)"), "-");
    commands +=
        std::regex_replace(line, std::regex(" (/run|/etc/datumd)/"), " " + folder.path().string() + "/") +
        ";";
    ++seen;
  }
  EXPECT_EQ(seen, 3);
  ASSERT_EQ(std::system(commands.c_str()), 0) << commands;
  EXPECT_EQ(public_key_of(folder / "signing-key.pub"),
            SigningKey::from_file(folder / "signing-key.pem").public_key());
}

}  // namespace
}  // namespace signing_schedule_test
}  // namespace datum

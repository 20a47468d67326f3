// Batches in a real PostgreSQL.
#include "daemon/collect/batch_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "daemon/collect/database.h"
#include "daemon/collect/plant_report.h"
#include "tests/daemon/collect/test_database.h"
#include "tests/daemon/collect/virtual_chain.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestDatabase;
using testing::VirtualChain;

constexpr std::int64_t us_per_day = 86'400'000'000;

struct CollectDatabaseTest : ::testing::Test {
  static void SetUpTestSuite() {
    if (TestDatabase::is_installed()) database = std::make_unique<TestDatabase>();
  }
  static void TearDownTestSuite() { database.reset(); }
  void SetUp() override {
    if (!database) GTEST_SKIP() << "no PostgreSQL server: apt-get install postgresql";
    database->ask("DROP SCHEMA IF EXISTS datum CASCADE");
    connect();
  }
  void connect() {
    writer.reset();
    with_database_errors([] { database->wait_for_no_writer(); });
    writer = std::make_unique<BatchWriter>(connection_string(database->settings()), settings,
                                           [this] { return now_us; });
  }
  BatchReport write(const std::vector<std::string>& messages) {
    std::vector<Delivered> batch;
    for (const std::string& message : messages) batch.push_back(delivered(message, 1 << 20, now_us));
    return writer->write(batch);
  }
  std::string ask(const std::string& sql) const { return database->ask(sql); }

  static inline std::unique_ptr<TestDatabase> database;
  CollectSettings settings;
  std::int64_t now_us = 1'795'300'000'000'000;  // 2026-11-21T22:26:40Z
  std::unique_ptr<BatchWriter> writer;
};

BoardVerdict board(int n, Decision decision = Decision::pass) {
  BoardVerdict v = testing::board(n);
  v.decision = decision;
  v.reason = Reason::none;
  v.components.resize(1);
  CheckVerdict& check = v.components[0].checks[0];
  v.components[0].decision = check.decision = check.decision_simple = decision;
  check.value = 1160 + n;
  if (decision == Decision::invalid) check.reason = v.reason = Reason::floor_tilt;
  v.unit_id = "SN-" + std::to_string(n);
  v.measured_at = fmt::format("2026-11-21T07:{:02}:00Z", n % 60);
  return v;
}

std::vector<std::string> boards(VirtualChain& chain, int from, int to) {
  std::vector<std::string> messages;
  for (int n = from; n <= to; ++n) messages.push_back(chain.board(board(n)));
  return messages;
}

TEST_F(CollectDatabaseTest, EachResultIsHereOnceThroughRepetitionsCrashesAndRestarts) {
  VirtualChain chain("V.M.1");
  const auto m = boards(chain, 1, 20);
  EXPECT_EQ(write({m.begin(), m.begin() + 8}).results, 8u);
  database->crash();
  EXPECT_THROW(write({m.begin() + 8, m.end()}), DatabaseAway);
  EXPECT_THROW(connect(), DatabaseAway);
  database->start();
  connect();
  const BatchReport rest = write(m);
  EXPECT_EQ(rest.results, 12u);
  EXPECT_EQ(rest.repeated, 8u);
  EXPECT_THAT(rest.alarms, IsEmpty());
  EXPECT_EQ(ask("SELECT count(*) FROM inbox"), "20");
  EXPECT_EQ(ask("SELECT count(*) FROM boards"), "20");
  EXPECT_EQ(ask("SELECT newest_entry || ' ' || missing || ' ' || behind FROM lag"), "20 0 0");
  EXPECT_EQ(ask("SELECT newest_sha256 FROM store"), chain.head_sha256());
  // Whole sums of integers: 20 values from 1161 to 1180 um.
  EXPECT_EQ(ask("SELECT n || ' ' || total || ' ' || squares FROM sums"),
            "20 23410000000 27402070000000000000");
}

TEST_F(CollectDatabaseTest, DoubtIsNeverAPass) {
  VirtualChain chain("V.M.1");
  BoardVerdict retest = board(4);
  retest.measured_at = "2026-11-21T09:00:00Z";
  BoardVerdict artefact = board(9);
  artefact.reference.emplace();
  artefact.reference->artefact = "step";
  write({chain.board(board(1)), chain.board(board(2, Decision::inconclusive)),
         chain.board(board(3, Decision::fail)), chain.board(board(4, Decision::invalid)), chain.board(retest),
         chain.board(artefact)});
  EXPECT_EQ(ask("SELECT boards || ' ' || pass || ' ' || inconclusive || ' ' || fail || ' ' || invalid || ' ' "
                "|| repeats || ' ' || "
                "yield_low || ' ' || yield_high FROM yield"),
            "4 1 1 1 1 1 0.25 0.5");
  EXPECT_EQ(ask("SELECT entered || ' ' || first_pass || ' ' || first_inconclusive || ' ' || first_fail || ' "
                "' || not_inspected || ' ' || "
                "final_yield FROM first_pass_yield"),
            "4 2 1 1 0 0.5")
      << "the retest of an INVALID board is its first attempt";
  EXPECT_EQ(ask("SELECT n || ' ' || invalid || ' ' || (cp IS NULL) FROM spc"), "3 1 true")
      << "a quarter is INVALID: no index; the retest is no first measurement";
}

TEST_F(CollectDatabaseTest, IndicesAreThoseOfTheValues) {
  VirtualChain chain("V.M.1");
  write(boards(chain, 1, 20));
  // s of 1161 ... 1180: sqrt(35) = 5.91608; limits 1140 and 1180.5, mean 1170.5
  EXPECT_EQ(ask("SELECT mean || ' ' || round(s::numeric, 5) || ' ' || round(pp::numeric, 6) || ' ' || "
                "round(ppk::numeric, 6) || ' ' || "
                "round(cpk::numeric, 6) FROM spc_plant"),
            "1170.5 5.91608 1.140958 0.563436 0.563436");
}

TEST_F(CollectDatabaseTest, RowsGoByDaysAndSumsStay) {
  VirtualChain chain("V.M.1");
  settings.measurement_days = 10;
  settings.board_days = 40;
  now_us = 1'583'100'000'000'000;  // 2020-03-01: the server's own clock is later
  connect();
  std::vector<std::string> messages;
  for (int n = 1; n <= 5; ++n) {
    BoardVerdict old = board(n);
    old.measured_at = "2020-03-01T00:00:00Z";
    messages.push_back(chain.board(old));
  }
  write(messages);
  EXPECT_EQ(ask("SELECT count(*) FROM measurement_20200301"), "5");
  EXPECT_EQ(ask("SELECT count(*) FROM board_20200301"), "5");
  const auto sums = [&] {
    return ask("SELECT string_agg(s::text, ';') FROM sums s") +
           ask("SELECT string_agg(s::text, ';') FROM board_sums s") +
           ask("SELECT string_agg(s::text, ';') FROM first_pass_yield s") +
           ask("SELECT string_agg(s::text, ';') FROM spc s");
  };
  const std::string before = sums();
  now_us += 9 * us_per_day;
  writer->remove_old();
  EXPECT_EQ(ask("SELECT count(*) FROM measurement"), "5") << "ten days are not over";
  now_us += 2 * us_per_day;
  writer->remove_old();
  EXPECT_EQ(ask("SELECT to_regclass('measurement_20200301') IS NULL"), "t");
  EXPECT_EQ(ask("SELECT count(*) FROM board"), "5");
  now_us += 60 * us_per_day;
  writer->remove_old();
  EXPECT_EQ(ask("SELECT count(*) FROM board"), "0");
  EXPECT_EQ(sums(), before);
  EXPECT_EQ(write(messages).repeated, 5u) << "what is removed does not come again";
}

TEST_F(CollectDatabaseTest, OneClockAloneRemovesNothing) {
  VirtualChain chain("V.M.1");
  BoardVerdict later = board(1);
  later.measured_at = "2150-01-01T00:00:00Z";
  now_us = 5'680'281'600'000'000;  // 2150-01-01: the server's clock is behind
  connect();
  write({chain.board(later)});
  EXPECT_EQ(ask("SELECT count(*) FROM measurement_21500101"), "1");
  now_us += 400 * us_per_day;
  writer->remove_old();
  EXPECT_EQ(ask("SELECT count(*) FROM measurement"), "1");
}

TEST_F(CollectDatabaseTest, AClockOfAnotherCenturyMakesNoPartitions) {
  VirtualChain chain("V.M.1");
  BoardVerdict future = board(1);
  future.measured_at = "2107-01-01T00:00:00Z";
  write({chain.board(future)});
  EXPECT_EQ(ask("SELECT count(*) FROM measurement_default"), "1");
  EXPECT_EQ(ask("SELECT count(*) FROM pg_inherits WHERE inhparent = 'measurement'::regclass"), "1");
}

TEST_F(CollectDatabaseTest, HostileMessagesBlockNothing) {
  VirtualChain chain("V.M.1");
  BoardVerdict hostile = board(1);
  hostile.unit_id = "'; DROP TABLE datum.inbox; --\t\\N\n\xff";
  hostile.recipe = "\\.";
  const BatchReport report = write({"hello", std::string("\0\xff", 2), chain.board(hostile),
                                    "{\"cell\":\"V.M.1\"}", std::string(2 << 20, '[')});
  EXPECT_EQ(report.results, 1u);
  EXPECT_EQ(report.alarms.size(), 4u);
  EXPECT_EQ(ask("SELECT unit FROM boards"), "'; DROP TABLE datum.inbox; --%09\\N%0A%FF");
  EXPECT_EQ(ask("SELECT recipe FROM boards"), "\\.");
  EXPECT_EQ(ask("SELECT encode(raw, 'hex') FROM alarm WHERE bytes = 2"), "00ff");
  EXPECT_THAT(write({"hello"}).alarms, IsEmpty()) << "one alarm, however often";
  EXPECT_EQ(ask("SELECT times FROM alarm WHERE bytes = 5"), "2");
}

TEST_F(CollectDatabaseTest, WhatTheDatabaseRefusesIsSetAsideAndTheRestIsWritten) {
  VirtualChain chain("V.M.1");
  const auto m = boards(chain, 1, 9);
  ask("ALTER TABLE board ADD CONSTRAINT surprise CHECK (unit <> 'SN-5')");
  const BatchReport report = write(m);
  EXPECT_EQ(report.results, 8u);
  ASSERT_EQ(report.alarms.size(), 1u);
  EXPECT_THAT(report.alarms[0], HasSubstr("surprise"));
  EXPECT_EQ(ask("SELECT first || '-' || last FROM gaps"), "5-5");
}

TEST_F(CollectDatabaseTest, ConflictsOutlastARestart) {
  VirtualChain chain("V.M.1"), twin("V.M.1");
  write(boards(chain, 1, 3));
  boards(twin, 1, 2);
  const std::string other = twin.board(board(50)), next = twin.board(board(51));
  EXPECT_EQ(write({other}).alarms.size(), 1u);
  connect();
  EXPECT_THAT(write({next}).alarms, ElementsAre(HasSubstr("FOLLOWS")));
  EXPECT_EQ(ask("SELECT count(*) FROM inbox"), "3");
}

TEST_F(CollectDatabaseTest, OneWriterAtATime) {
  try {
    BatchWriter second(connection_string(database->settings()), settings, [this] { return now_us; });
    FAIL() << "two collectors write";
  } catch (const DatabaseAway& away) {
    EXPECT_THAT(away.what(), HasSubstr("another collector"));
  }
}

TEST_F(CollectDatabaseTest, AnotherVersionIsRefused) {
  ask("UPDATE version SET version = 99");
  EXPECT_THROW(connect(), DatabaseUnfit);
}

TEST_F(CollectDatabaseTest, ReportsWhatIsMissingAndHowToGetIt) {
  VirtualChain chain("V.M.1");
  const auto m = boards(chain, 1, 6);
  write(m);
  EXPECT_TRUE(plant_report(connection_string(database->settings())).is_whole);
  VirtualChain second("V.M.2");
  const auto s = boards(second, 1, 6);
  write({s[0], s[3]});
  const PlantReport report = plant_report(connection_string(database->settings()));
  EXPECT_FALSE(report.is_whole);
  EXPECT_THAT(report.text, HasSubstr("datumd-plant --resend-from 2"));
  EXPECT_EQ(ask("SELECT from_entry FROM resend WHERE handle = 'V.M.2'"), "2");
  EXPECT_EQ(ask("SELECT from_entry FROM resend WHERE handle = 'V.M.1'"), "7");
  write({s[1], s[2], s[4], s[5]});
  EXPECT_TRUE(plant_report(connection_string(database->settings())).is_whole);
}

TEST_F(CollectDatabaseTest, AGapRemembersSinceWhen) {
  VirtualChain chain("V.M.1");
  const auto m = boards(chain, 1, 9);
  write({m[0], m[5]});
  const std::string since = ask("SELECT since FROM gap");
  write({m[2], m[8]});
  EXPECT_EQ(ask("SELECT count(*) FROM gap WHERE since = '" + since + "'"), "2");
  EXPECT_EQ(ask("SELECT count(*) FROM gap"), "3");
}

}  // namespace
}  // namespace datum

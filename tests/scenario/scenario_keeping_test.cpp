// Retention with the real programs: removals are reported, the remaining results are unaltered and measured the same
// again, and without free space no board is accepted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <csignal>
#include <fstream>
#include <regex>

#include "config/toml_reader.h"
#include "tests/scenario/pushed_cell.h"

namespace datum::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

CellOptions keeping(const std::string& table) {
  CellOptions o;
  o.more = "[retention]\n" + table;
  return o;
}

struct Keeping : PushedCell {
  explicit Keeping(const CellOptions& options) : PushedCell(options) { cell.start(); }
  /// Boards 1 to n; every third is bad.
  void measure(int n) const {
    const auto host = cell.connect();
    host->command("DATA:PUSH ON");
    for (int k = 1; k <= n; ++k) {
      cell.deliver("f" + std::to_string(k),
                   frame_of_box(k % 3 == 0 ? bad_height_um : good_height_um, static_cast<std::uint32_t>(k)));
      host->result();
    }
  }
  void restart() {
    cell.daemon().signal(SIGTERM);
    cell.daemon().wait();
    cell.start();
  }
};

TEST(ScenarioKeeping, WhatIsTakenIsToldAndTheRestIsMeasuredTheSame) {
  Keeping k(keeping("results_count = 4\nframes = \"failures\"\n"));
  k.measure(7);
  k.restart();  // searches for old results at its start
  const auto after = k.cell.connect();
  const Program& daemon = k.cell.daemon();
  while (after->ask("DATA:COUNt?") != "4") ASSERT_FALSE(daemon.has_ended()) << daemon.output();

  const Outcome whole = k.ctl({"verify", "results", "--frames"});
  EXPECT_EQ(whole.status, 10) << whole.output;
  EXPECT_THAT(whole.output, HasSubstr("4 results, 4 to 7"));
  // A slice of the removal ends by the clock: several lines may state it.
  static const std::regex removed("results, (\\d+) to (\\d+), removed: more than 4 results");
  int next = 1;
  for (std::sregex_iterator i(whole.output.begin(), whole.output.end(), removed), end; i != end; ++i) {
    EXPECT_EQ(std::stoi((*i)[1]), next) << whole.output;
    next = std::stoi((*i)[2]) + 1;
  }
  EXPECT_EQ(next, 4) << whole.output;
  EXPECT_THAT(whole.output, HasSubstr("the chain is whole"));
  EXPECT_THAT(whole.output, HasSubstr("frames: 1 measured the same, 0 not the same, 3 not checked"));
  EXPECT_THAT(whole.output, HasSubstr("3 not checked: the frame is no longer kept"));
  EXPECT_THAT(k.cell.list("drop/done"), ElementsAre("f3", "f6"));

  EXPECT_EQ(after->ask("DATA:FIRSt?"), "4");
}

TEST(ScenarioKeeping, AnAlteredResultIsNamed) {
  Keeping k(keeping(""));
  k.measure(3);
  const Outcome before = k.ctl({"verify", "results"});
  EXPECT_EQ(before.status, 0) << before.output;
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open((k.cell.path() / "results.db").c_str(), &db), SQLITE_OK);
  const char* const other_height =
      "UPDATE result SET decision = 0, json = replace(json, '\"value_um\":7', '\"value_um\":6') WHERE "
      "sequence = 3";
  EXPECT_EQ(sqlite3_exec(db, other_height, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  const Outcome altered = k.ctl({"verify", "results"});
  EXPECT_EQ(altered.status, 1);
  EXPECT_THAT(altered.output, HasSubstr("NOT AS WRITTEN: result 3 was altered"));
  const Outcome again = k.ctl({"verify", "results", "--frames"});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.output, HasSubstr("NOT THE SAME: result 3 "));
  EXPECT_THAT(again.output, HasSubstr("frames: 2 measured the same, 1 not the same"));
  EXPECT_THAT(k.ctl({"verify", "results", "--held", "9:12"}).output, HasSubstr("is not LINK:SHA256"));
}

TEST(ScenarioKeeping, AResultIsMeasuredAgainByTheRecipeOfThen) {
  Keeping k(keeping(""));
  k.measure(2);
  k.cell.write("recipes/box.toml", Cell::recipe_text(300));  // board 3 would pass
  k.restart();
  const auto host = k.cell.connect();
  host->command("DATA:PUSH ON");
  k.cell.deliver("f3", frame_of_box(bad_height_um, 3));
  host->result();
  std::filesystem::remove(k.cell.path() / "recipes/box.toml");
  const Outcome again = k.ctl({"verify", "results", "--frames"});
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("frames: 3 measured the same, 0 not the same, 0 not checked"));

  k.sql("UPDATE recipe SET text = replace(text, '40', '90') WHERE rowid = 1");
  const Outcome altered = k.ctl({"verify", "results", "--frames"});
  EXPECT_EQ(altered.status, 1) << altered.output;
  EXPECT_THAT(altered.output, HasSubstr("NOT AS WRITTEN: the kept text of the recipe with SHA-256 "));
  EXPECT_THAT(altered.output, HasSubstr("frames: 1 measured the same, 0 not the same, 2 not checked"));
  host->command("DATA:PUSH OFF");
  EXPECT_THAT(host->command("ABOR;:DATA:REPL 1"), StartsWith("-230")) << "not measured by another text";

  k.sql("DELETE FROM recipe WHERE rowid = 1");
  const Outcome gone = k.ctl({"verify", "results", "--frames"});
  EXPECT_EQ(gone.status, 10) << gone.output;
  EXPECT_THAT(gone.output, HasSubstr("2 not checked: "));
  EXPECT_THAT(gone.output, HasSubstr("no recipe 'box' any more"));
}

TEST(ScenarioKeeping, AnEditedRecipeIsTriedOnKeptFrames) {
  Keeping k(keeping(""));
  k.measure(3);
  k.cell.write("edited.toml", Cell::recipe_text(300));
  const Outcome tried = k.ctl({"recipe", "what-if", "edited.toml"});
  EXPECT_EQ(tried.status, 1) << tried.output;
  EXPECT_THAT(tried.output, HasSubstr("result 3: FAIL -> PASS\n  B1 FAIL -> PASS (median 70"));
  EXPECT_THAT(tried.output, HasSubstr("boards: 3 measured, 2 as before, 1 with another verdict"));
  const Outcome same = k.ctl({"recipe", "what-if", "recipes/box.toml"});
  EXPECT_EQ(same.status, 0) << same.output;
  EXPECT_THAT(same.output, HasSubstr("boards: 3 measured, 3 as before, 0 with another verdict"));

  const Outcome good = k.ctl({"recipe", "check", "edited.toml"});
  EXPECT_EQ(good.status, 0) << good.output;
  EXPECT_THAT(good.output, HasSubstr("recipe box: 1 components"));
  EXPECT_THAT(good.output, HasSubstr("floors: 3 of 3 good (100.0 %)"));
  EXPECT_THAT(good.output, HasSubstr("time of a board: "));
  EXPECT_THAT(good.output, HasSubstr("heights: 1 confirmed, 0 not"));
  const Outcome json = k.ctl({"recipe", "check", "edited.toml", "--json"});
  EXPECT_THAT(json.output, HasSubstr("\"floors\":{\"measured\":3,\"good\":3,\"good_share\":1.0"));
  std::string wrong = Cell::recipe_text();
  wrong.replace(wrong.find("sensor_serial"), 13, "sensor_serail");
  k.cell.write("wrong.toml", wrong);
  const Outcome refused = k.ctl({"recipe", "check", "wrong.toml"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output,
              StartsWith("wrong.toml:3:1: sensor_serail: unknown key (did you mean 'sensor_serial'?)"));

  std::filesystem::remove_all(k.cell.drop() / "done" / "f2");
  const Outcome fewer = k.ctl({"recipe", "what-if", "recipes/box.toml"});
  EXPECT_EQ(fewer.status, 10) << fewer.output;
  EXPECT_THAT(fewer.output, HasSubstr("1 not measured: frame f2 with sha256 "));
}

TEST(ScenarioKeeping, AKeptRecipeIsComparedAndPrinted) {
  Keeping k(keeping(""));
  k.measure(1);
  const std::string then = Cell::recipe_text(), hash = config::sha256_hex(then);
  k.cell.write("recipes/box.toml", Cell::recipe_text(41));
  EXPECT_THAT(k.ctl({"recipe", "kept"}).output, HasSubstr(hash + "  box"));
  EXPECT_EQ(k.ctl({"recipe", "text", hash.substr(0, 8)}).output, then);
  const Outcome diff = k.ctl({"recipe", "diff", hash.substr(0, 8), "recipes/box.toml"});
  EXPECT_EQ(diff.status, 1) << diff.output;
  EXPECT_THAT(diff.output, HasSubstr("package.BOX.tolerance_um: 40 -> 41\n"));
  EXPECT_EQ(k.ctl({"recipe", "diff", hash, hash}).status, 0);
  EXPECT_EQ(k.ctl({"recipe", "diff", "0123456789", hash}).status, 4);
}

TEST(ScenarioKeeping, ExportsBesideTheDaemon) {
  Keeping k(keeping(""));
  k.measure(3);
  const Outcome rows = k.ctl({"export"});
  EXPECT_EQ(rows.status, 0);
  EXPECT_THAT(rows.output, HasSubstr("sequence,store_id,measured_at,"));
  EXPECT_THAT(rows.output, HasSubstr("3 results, 1 to 3"));
  EXPECT_EQ(k.ctl({"export", "--decision", "FAIL", "--format", "jsonl", "--output", "fail.jsonl"}).status, 0);
  std::ifstream in(k.cell.path() / "fail.jsonl");
  std::string line, more;
  std::getline(in, line);
  EXPECT_THAT(line, StartsWith("{\"chain_sha256\":\""));
  EXPECT_THAT(line, HasSubstr("\"sequence\":3,"));
  EXPECT_FALSE(std::getline(in, more));
  const Outcome dfq = k.ctl({"export", "--format", "aqdef"});
  EXPECT_EQ(dfq.status, 0) << dfq.output;
  EXPECT_THAT(dfq.output, HasSubstr("\r\nK0004/1 "));
  EXPECT_EQ(k.ctl({"export", "--format", "aqdef", "--recipe-sha256", "none"}).status, 4);
  const Outcome qif = k.ctl({"export", "--format", "qif"});
  EXPECT_EQ(qif.status, 0) << qif.output;
  EXPECT_THAT(qif.output, HasSubstr("<MeasurementResultsSet n=\"3\">"));
  EXPECT_THAT(qif.output, HasSubstr("</QIFDocument>"));
  EXPECT_EQ(k.ctl({"export", "--format", "qif", "--recipe-sha256", "none"}).status, 4);
  EXPECT_EQ(k.ctl({"export", "--output", "no/such/folder.csv"}).status, 9);
  EXPECT_EQ(k.ctl({"export", "--from", "yesterday"}).status, 4);
  EXPECT_FALSE(std::filesystem::exists(k.cell.path() / "fail.jsonl.part"));
}

/// The reserve exceeds every disk.
TEST(ScenarioKeeping, WithoutRoomNoBoardIsTaken) {
  CellOptions o = keeping("reserve_mib = 16777216\n");
  o.arm_at_start = false;
  Keeping k(o);
  const auto host = k.cell.connect();
  EXPECT_THAT(host->command("INIT"), StartsWith("-254,"));
  while (host->ask("SYST:ERR?").rfind("0,", 0) != 0) {
  }
  EXPECT_THAT(host->ask("SYST:STAT?"), HasSubstr("IDLE"));
  k.cell.deliver("f1", frame_of_box(good_height_um, 1));
  EXPECT_EQ(host->ask("DATA:COUNt?"), "0");
}

}  // namespace
}  // namespace datum::scenario

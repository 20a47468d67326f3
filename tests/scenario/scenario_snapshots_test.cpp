// A board that is larger than the field of view, by the real programs: the demonstration in twelve snapshots, and faults between
// two of them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/scenario/scenario_cell.h"
#include "tests/scenario/snapshot_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The demonstration's recipe, as one frame has it.
std::string recipe_of_one() {
  std::string text = slurp(sources / "config/recipes/demo-snapshots.toml");
  text = without(text, "[snapshots]", "[floor]");
  return without(text, "[warp] ", "[package.TQFP44]");
}

json stored(const fs::path& folder, int sequence) {
  const Outcome shown = run(
      {"datumctl", "show", std::to_string(sequence), "--json", "--store", "snapshots/results.db"}, folder);
  return json::parse(shown.output);
}

/// Each snapshot alone gives the same heights.
void expect_heights_of_single_snapshots(const json& verdict, const fs::path& cell) {
  fs::create_directory(cell / "alone");
  std::ofstream(cell / "alone/recipe.toml") << recipe_of_one();
  const fs::path calibration = cell / "calibrations" / (verdict["calibration"].get<std::string>() + ".toml");
  int compared = 0;
  for (const json& snapshot : verdict["snapshots"]) {
    const std::string stem = fs::path(snapshot["frame_source"].get<std::string>()).stem();
    fs::path sidecar;
    for (const auto& entry : fs::recursive_directory_iterator(cell / "drop/done"))
      if (entry.path().extension() == ".json" && stem.starts_with(entry.path().stem().string()))
        sidecar = entry.path();
    const auto& q = snapshot["pose"]["q_mm"];
    const Outcome outcome =
        run({"datumd", "--once", sidecar.string(), "--recipe", "alone/recipe.toml", "--sensor",
             "sensors/virtual.toml", "--calibration", calibration.string(), "--position",
             fmt::format("{},{},{}", q[0].get<double>(), q[1].get<double>(), q[2].get<double>()),
             "--temperature", "20.5", "--json"},
            cell);
    const auto at = outcome.output.find('{');
    ASSERT_NE(at, std::string::npos) << outcome.output;
    const json alone = json::parse(outcome.output.substr(at));
    for (const json& c : alone["components"]) {
      const json& joined = row(verdict, c["reference"]);
      const json &here = c["checks"][0], &there = joined["checks"][0];
      if (here["decision"] == "INVALID") continue;  // not in this frame
      EXPECT_LE(std::abs(here["value_um"].get<double>() - there["value_um"].get<double>()),
                2 * std::hypot(here["u_um"].get<double>(), there["u_um"].get<double>()))
          << c["reference"];
      compared += joined["shown"]["snapshot"] == snapshot["name"];
    }
  }
  EXPECT_EQ(compared, 90) << "each component where it was measured";
}

TEST(ScenarioSnapshots, ABoardInTwelveSnapshotsOnAMachineThatIsNotSquare) {
  const datum::testing::FreshFolder folder;
  const fs::path cell = folder.path() / "snapshots";
  Program demo({(sources / "tests/scenario/demo_snapshots.sh").string(), DATUM_BIN, cell.string()},
               folder.path(), "demo.log");
  for (int longer = 0; longer < 4 && !demo.has_ended(); ++longer) readable({demo.ended()}, timeout());
  ASSERT_EQ(demo.wait(), 0) << demo.output();
  const json good = stored(folder.path(), 1), bad = stored(folder.path(), 2),
             reversed = stored(folder.path(), 3), incomplete = stored(folder.path(), 4);
  EXPECT_EQ(good["decision"], "PASS") << good["detail"];
  ASSERT_EQ(good["snapshots"].size(), 12u);
  expect_true_heights(good, truth_of(cell, 2));
  expect_heights_of_single_snapshots(good, cell);
  int compared = 0;
  for (const json& c : good["components"])
    for (const json& check : c["checks"]) compared += check.contains("overlap_um");
  EXPECT_GE(compared, 30) << "components that two snapshots show";

  EXPECT_EQ(bad["decision"], "FAIL");
  for (const json& c : bad["components"]) {
    const bool defect = c["reference"] == "C3" || c["reference"] == "L1" || c["reference"] == "U2";
    EXPECT_EQ(c["decision"], defect ? "FAIL" : "PASS") << c["reference"];
  }
  EXPECT_EQ(reversed["reason"], "SNAPSHOTS");
  EXPECT_NE(reversed["detail"].get<std::string>().find("X_REVERSED: the stage's X counts the other way"),
            std::string::npos)
      << reversed["detail"];

  EXPECT_EQ(incomplete["reason"], "NONE") << "not the board as a whole";
  EXPECT_EQ(incomplete["snapshots"][5]["missing"], "it did not come");
  int missing = 0;
  for (const json& c : incomplete["components"]) {
    if (c["decision"] == "PASS") continue;
    ++missing;
    EXPECT_EQ(c["checks"][0]["reason"], "SNAPSHOTS") << c["reference"];
    EXPECT_EQ(row(good, c["reference"])["shown"]["snapshot"], "B3") << c["reference"];
    EXPECT_EQ(row(good, c["reference"])["shown"]["second"], "") << c["reference"];
  }
  EXPECT_GE(missing, 1);
}

// ---- faults between two snapshots ----

const std::string place_a1 = "19 11 35.1", place_a2 = "85.5 11.5 35.1";

/// The demonstration's recipe with two of its poses and what they show.
std::string recipe_of_two(int timeout_ms, const std::string& one_board) {
  std::istringstream lines(recipe_of_one());
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    double x = 0, y = 0;
    const auto at = line.find("centre_mm = [");
    if (line.starts_with("  { reference") &&
        std::sscanf(line.c_str() + at, "centre_mm = [%lf, %lf]", &x, &y) == 2 && (x > 160 || y > 95))
      continue;
    text += line + "\n";
  }
  text += fmt::format("[snapshots]\ntimeout_ms = {}\none_board = \"{}\"\n", timeout_ms, one_board);
  text += "[[snapshots.pose]]\nname = \"A1\"\nposition_mm = [19.0, 11.0, 35.1]\ntolerance_mm = 0.5\n";
  text += "[[snapshots.pose]]\nname = \"A2\"\nposition_mm = [85.5, 11.5, 35.1]\ntolerance_mm = 0.5\n";
  return text;
}

class ScenarioSnapshotFaults : public SnapshotCell {
 protected:
  /// The sensor sees each board `snapshots` times.
  void start(int timeout_ms, std::vector<std::string> boards = {"good", "good", "good"},
             const std::string& one_board = "time", int snapshots = 2) {
    prepare(recipe_of_two(timeout_ms, one_board), slurp(sources / "config/twins/snapshots.toml"), place_a1);
    start_sensor(boards, snapshots);
    begin();
  }
  void await_second(int times) {
    EXPECT_TRUE(cell.daemon().says("snapshot 2 of 2 (A2) is next", times)) << cell.daemon().output();
    EXPECT_EQ(host->ask("*OPC?"), "1") << "nothing is pending while the stage moves";
  }
  /// INVALID are what only this snapshot shows, and nothing else.
  void expect_only(const json& verdict, const std::string& missing, const std::string& why) {
    EXPECT_EQ(verdict["decision"], "INVALID");
    EXPECT_EQ(verdict["reason"], "NONE") << verdict["detail"];
    int passed = 0, invalid = 0;
    for (const json& c : verdict["components"]) {
      passed += c["decision"] == "PASS";
      invalid += c["decision"] == "INVALID";
      if (c["decision"] != "INVALID") continue;
      EXPECT_EQ(c["checks"][0]["reason"], "SNAPSHOTS") << c["reference"];
      EXPECT_NE(c["checks"][0]["detail"].get<std::string>().find(why), std::string::npos)
          << c["checks"][0]["detail"];
    }
    EXPECT_GE(passed, 4);
    EXPECT_GE(invalid, 4);
    for (const json& s : verdict["snapshots"])
      EXPECT_EQ(s.contains("missing"), s["name"] == missing) << s.dump();
  }
};

TEST_F(ScenarioSnapshotFaults, TwoSnapshotsAreOneBoardAndReplayed) {
  start(60'000, {"good"}, "overlap");
  snapshot_at(place_a1);
  await_second(1);
  EXPECT_NE(host->ask("SYST:STAT?").find("snapshot 2 of 2 (A2)"), std::string::npos);
  snapshot_at(place_a2);
  const auto line = host->result();
  EXPECT_EQ(line.decision, "PASS");
  ASSERT_EQ(host->command("ABOR"), "0,\"No error\"");
  EXPECT_EQ(cell.list("drop/done").size(), 2u);
  expect_same_replay(*host, line.sequence);
}

TEST_F(ScenarioSnapshotFaults, WhatDoesNotComeInTimeIsMissing) {
  start(500);
  snapshot_at(place_a1);
  EXPECT_EQ(host->result().decision, "INVALID");
  expect_only(cell.results().back(), "A2", "snapshot 2 of 2 (A2): was not triggered within 500 ms");
}

TEST_F(ScenarioSnapshotFaults, OneThatWasPassedOverIsMissingAndAnEarlierPoseEndsTheBoard) {
  start(60'000);
  snapshot_at(place_a2);
  EXPECT_EQ(host->result().decision, "INVALID");
  expect_only(cell.results().back(), "A1", "snapshot 1 of 2 (A1): it did not come");

  snapshot_at(place_a1);  // the wire's board is the same: its second snapshot
  await_second(1);
  snapshot_at(place_a1);  // perhaps the next board's first one
  EXPECT_EQ(host->result().decision, "INVALID");
  const json verdict = cell.results().back();
  EXPECT_EQ(verdict["reason"], "SNAPSHOTS");
  EXPECT_NE(verdict["detail"].get<std::string>().find("which is pose A1, its pose is A2"), std::string::npos)
      << verdict["detail"];
  for (const json& c : verdict["components"]) EXPECT_EQ(c["decision"], "INVALID");
}

/// The host skips the end of one board and the start of the next one.
TEST_F(ScenarioSnapshotFaults, AnotherUnitEndsTheBoardBetweenItsSnapshots) {
  start(60'000, {"good", "good", "good"}, "time", 1);
  ASSERT_EQ(host->command("CONF:UNIT 'one'"), "0,\"No error\"");
  snapshot_at(place_a1);
  await_second(1);
  ASSERT_EQ(host->command("CONF:UNIT 'two'"), "0,\"No error\"");
  EXPECT_EQ(host->result().decision, "INVALID");
  expect_only(cell.results().back(), "A2",
              "unit two was stated before it was triggered, those before are of unit one");
  EXPECT_EQ(cell.results().back()["unit_id"], "one");
  snapshot_at(place_a2);
  EXPECT_EQ(host->result().decision, "INVALID");
  expect_only(cell.results().back(), "A1", "it did not come");
  EXPECT_EQ(cell.results().back()["unit_id"], "two");
  // The same number for each snapshot is one board's.
  ASSERT_EQ(host->command("CONF:UNIT 'three'"), "0,\"No error\"");
  snapshot_at(place_a1);
  await_second(2);
  ASSERT_EQ(host->command("CONF:UNIT 'three'"), "0,\"No error\"");
  EXPECT_EQ(cell.results().size(), 2u) << "it goes on";
}

TEST_F(ScenarioSnapshotFaults, ASnapshotWithoutANumberIsNobodys) {
  start(60'000, {"good", "good", "good"}, "unit");
  ASSERT_EQ(host->command("CONF:UNIT 'one'"), "0,\"No error\"");
  snapshot_at(place_a1);
  await_second(1);
  ASSERT_EQ(host->command("CONF:UNIT 'one'"), "0,\"No error\"");
  snapshot_at(place_a2);
  EXPECT_EQ(host->result().decision, "PASS");
  ASSERT_EQ(host->command("CONF:UNIT 'two'"), "0,\"No error\"");
  snapshot_at(place_a1);
  await_second(2);
  snapshot_at(place_a2);
  EXPECT_EQ(host->result().decision, "INVALID");
  expect_only(cell.results().back(), "A2", "no unit was stated for it");
}

TEST_F(ScenarioSnapshotFaults, FloorsOfTwoBoardsDoNotMakeOne) {
  start(60'000, {"good", "good"}, "overlap", 1);
  snapshot_at(place_a1);
  await_second(1);
  snapshot_at(place_a2);
  EXPECT_EQ(host->result().decision, "INVALID");
  const json verdict = cell.results().back();
  EXPECT_EQ(verdict["reason"], "SNAPSHOTS");
  EXPECT_NE(verdict["detail"].get<std::string>().find("did the board move between them?"), std::string::npos)
      << verdict["detail"];
}

TEST_F(ScenarioSnapshotFaults, AnUnreadableOneIsMissing) {
  start(60'000, {"truncated", "good"}, "time", 1);
  snapshot_at(place_a1);
  await_second(1);
  snapshot_at(place_a2);
  EXPECT_EQ(host->result().decision, "INVALID");
  expect_only(cell.results().back(), "A1", "snapshot 1 of 2 (A1): FRAME: ");
  EXPECT_EQ(cell.list("drop/done").size(), 1u);
  EXPECT_EQ(cell.list("drop/failed").size(), 1u);
}

TEST_F(ScenarioSnapshotFaults, AnAbortEndsTheBoardWithoutAResult) {
  start(60'000);
  snapshot_at(place_a1);
  await_second(1);
  ASSERT_EQ(host->command("ABOR"), "0,\"No error\"");
  EXPECT_EQ(cell.list("drop/failed").size(), 1u);
  EXPECT_TRUE(cell.results().empty());
  ASSERT_EQ(host->command("INIT"), "0,\"No error\"");
  snapshot_at(place_a1);
  await_second(2);
  snapshot_at(place_a2);
  EXPECT_EQ(host->result().decision, "PASS");
  EXPECT_EQ(cell.results().size(), 1u);
}

TEST_F(ScenarioSnapshotFaults, AKillBetweenTwoSnapshotsMixesNoBoards) {
  start(60'000);
  snapshot_at(place_a1);
  await_second(1);
  cell.daemon().signal(SIGKILL);
  EXPECT_EQ(cell.daemon().wait(), -SIGKILL);
  begin();
  snapshot_at(place_a2);
  EXPECT_EQ(host->result().decision, "INVALID");
  expect_only(cell.results().back(), "A1", "snapshot 1 of 2 (A1): it did not come");
  EXPECT_EQ(cell.list("drop/failed").size(), 1u) << "the first board's";
}

}  // namespace
}  // namespace datum::scenario

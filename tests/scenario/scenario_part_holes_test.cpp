// Holes as rows of a part's recipe, with the real daemon: scanned in snapshots, then touched by a machine that it moves itself;
// and what breaks in between.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <nlohmann/json.hpp>

#include <Eigen/Core>
#include <cmath>
#include <fstream>

#include "tests/scenario/scenario_part_holes.h"

namespace datum::scenario {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct TrueHole {
  const char* name;
  double x_um, y_um, diameter_um;  // as made less as drawn (config/twins/holes.toml); diameter as made
};
// Table 2.1 of the thesis.
constexpr TrueHole holes[] = {{"H1", -130, 458, 9914},
                              {"H2", -209, 301, 9920},
                              {"H3", -169, 272, 9900},
                              {"H4", -191, 345, 21926},
                              {"H5", 79, 360, 9942}};

class ScenarioPartHoles : public PartHoles {
 protected:
  nlohmann::json result_of(const std::string& decision) {
    const auto line = host->result();
    EXPECT_EQ(line.decision, decision) << cell.daemon().output();
    return cell.results().back();
  }
  void expect_true(const nlohmann::json& verdict, const TrueHole& hole) {
    const auto off = [&](const char* what, double truth) {
      const auto c = check(verdict, hole.name, what);
      // U (k = 2) covers 95 %: four times u is missed once in 16,000.
      EXPECT_NEAR(c["value_um"].get<double>(), truth, 4 * c["u_um"].get<double>())
          << hole.name << " " << what;
      EXPECT_GT(c["u_um"].get<double>(), 0.3) << "the probe's own";
      EXPECT_LT(c["u_um"].get<double>(), 12) << hole.name << " " << what;
    };
    off("position_x", hole.x_um);
    off("position_y", hole.y_um);
    off("true_position", 2 * std::hypot(hole.x_um, hole.y_um));
    off("diameter", hole.diameter_um);
  }
  void touches_all(const std::string& preset);
};

void ScenarioPartHoles::touches_all(const std::string& preset) {
  Setting setting;
  setting.preset = preset;
  start(setting);
  take_snapshots();
  EXPECT_EQ(host->ask("*OPC?"), "1") << "nothing is pending, and nothing moves, before the host's trigger";
  EXPECT_THAT(host->ask("SYST:STAT?"), HasSubstr("the touching of 5 holes"));
  EXPECT_EQ(std::stoi(host->ask("STAT:OPER:COND?")) & 8, 0) << "no exposure is wanted";
  trigger_touching();
  const auto verdict = result_of("FAIL");  // H1: 2 x 476 um off
  ASSERT_EQ(verdict["components"].size(), 8u) << verdict;
  for (const TrueHole& hole : holes) {
    EXPECT_EQ(row(verdict, hole.name)["hole"]["state"], "DONE") << row(verdict, hole.name)["hole"];
    expect_true(verdict, hole);
  }
  EXPECT_EQ(check(verdict, "H1", "true_position")["decision"], "FAIL");
  EXPECT_EQ(row(verdict, "H2")["decision"], "PASS");
  EXPECT_EQ(verdict["calibration"], "demo-holes-2026-01");
  EXPECT_GT(std::stod(fields(host->ask("DIAG:POS?")).at(3)), 40) << "the tip is above all holes again";
}

TEST_F(ScenarioPartHoles, AreTouchedOneAfterTheOtherAndReplayed) {
  ASSERT_NO_FATAL_FAILURE(touches_all("ipp_dme"));
  const auto verdict = cell.results().back();
  ASSERT_EQ(host->command("ABOR"), "0,\"No error\"");
  ASSERT_EQ(host->command(fmt::format("DATA:REPL {}", verdict["sequence"].get<int>())), "0,\"No error\"");
  const Deadline deadline = timeout();
  std::string replayed;
  while ((replayed = host->ask("DATA:REPL?")).find("RUNN") != std::string::npos &&
         std::chrono::steady_clock::now() < deadline)
    continue;
  EXPECT_NE(replayed.find("SAME"), std::string::npos) << replayed;
  const std::string log = row(verdict, "H5")["hole"]["log"];
  const Outcome again = run({"datumctl", "hole", "replay", log}, cell.path());
  EXPECT_EQ(again.status, 0) << again.output;
}

TEST_F(ScenarioPartHoles, OneThatIsNotThereIsInvalidAndTheOthersAreTouched) {
  Setting setting;
  setting.part = setting.machined = "made,plugged=3";
  start(setting);
  take_snapshots();
  trigger_touching();
  const auto verdict = result_of("INVALID");
  EXPECT_EQ(row(verdict, "H3")["hole"]["state"], "NOT FOUND");
  EXPECT_EQ(check(verdict, "H3", "diameter")["reason"], "HOLE_SCAN");
  EXPECT_THAT(check(verdict, "H3", "diameter")["detail"].get<std::string>(), HasSubstr("no gap"));
  for (const char* other : {"H1", "H2", "H4", "H5"})
    EXPECT_EQ(row(verdict, other)["hole"]["state"], "DONE") << other;
}

// Between scan and touch the part was exchanged for one whose holes lie as drawn: half a millimetre off.
TEST_F(ScenarioPartHoles, TouchesThatContradictTheScanEndTheList) {
  Setting setting;
  setting.machined = "good";
  start(setting);
  take_snapshots();
  trigger_touching();
  const auto verdict = result_of("INVALID");
  const std::string reason = check(verdict, "H1", "diameter")["reason"];
  EXPECT_TRUE(reason == "HOLE_MISMATCH" || reason == "HOLE_TOUCH") << verdict;
  EXPECT_THAT(check(verdict, "H1", "diameter")["detail"].get<std::string>(), HasSubstr("the tip stands at"));
  EXPECT_EQ(row(verdict, "H2")["hole"]["state"], "NOT TOUCHED");
  EXPECT_THAT(check(verdict, "H5", "diameter")["detail"].get<std::string>(),
              HasSubstr("the list ended at H1"));
  EXPECT_EQ(verdict["components"][0]["decision"], "PASS") << "its surface was measured";
}

TEST_F(ScenarioPartHoles, AnAbortStopsTheMachineAndLeavesNoResult) {
  Setting setting;
  setting.speed_mm_per_s = 1;  // half a minute to the first hole
  start(setting);
  take_snapshots();
  trigger_touching();
  ASSERT_TRUE(cell.daemon().says("moves: GoTo(")) << cell.daemon().output();
  EXPECT_THAT(host->ask("SYST:STAT?"), HasSubstr("hole 1 of 5 (H1): APPROACH"));
  host->command("ABOR");
  EXPECT_TRUE(cell.daemon().says("the move ended: aborted")) << cell.daemon().output();
  await_position("OK");
  EXPECT_EQ(cell.results().size(), 0u);
  EXPECT_EQ(cell.list("drop/failed").size(), 2u) << "its snapshots";
  EXPECT_EQ(host->command("INIT"), "0,\"No error\"");
}

TEST_F(ScenarioPartHoles, ALostMachineEndsThePartInvalid) {
  Setting setting;
  setting.speed_mm_per_s = 1;
  start(setting);
  take_snapshots();
  trigger_touching();
  ASSERT_TRUE(cell.daemon().says("moves: GoTo(")) << cell.daemon().output();
  order("reset");
  const auto verdict = result_of("INVALID");
  EXPECT_EQ(check(verdict, "H1", "diameter")["reason"], "HOLE_TOUCH");
  EXPECT_THAT(check(verdict, "H1", "diameter")["detail"].get<std::string>(), HasSubstr("the move failed"));
  EXPECT_EQ(row(verdict, "H5")["hole"]["state"], "NOT TOUCHED");
}

// After kill -9 in the middle of the list: the machine is stopped first, and the part has no PASS.
TEST_F(ScenarioPartHoles, AKilledDaemonsMachineIsStoppedAndItsPartHasNoVerdictOfTheRest) {
  Setting setting;
  setting.speed_mm_per_s = 1;
  start(setting);
  take_snapshots();
  trigger_touching();
  ASSERT_TRUE(cell.daemon().says("moves: GoTo(")) << cell.daemon().output();
  host.reset();
  cell.daemon().signal(SIGKILL);
  cell.daemon().wait();
  const std::size_t mark = machine->output().size();
  cell.start();
  host = cell.connect();
  await_position("OK");
  EXPECT_NE(machine->output().find("AbortE()", mark), std::string::npos);
  EXPECT_EQ(machine->output().find("GoTo(", mark), std::string::npos)
      << "nothing moves by itself after a restart";
  for (const auto& verdict : cell.results()) EXPECT_EQ(verdict["decision"], "INVALID");
  EXPECT_EQ(host->command("CONF:REC \"demo-holes\";:INIT"), "0,\"No error\"");
}

TEST_F(ScenarioPartHoles, ATriggerThatDoesNotComeIsTold) {
  Setting setting;
  setting.changes = {{"timeout_ms = 60000\n\n[[hole]]", "timeout_ms = 300\n\n[[hole]]"}};
  start(setting);
  take_snapshots();
  const auto verdict = result_of("INVALID");
  EXPECT_EQ(verdict["reason"], "HOLE_TOUCH");
  EXPECT_THAT(verdict["detail"].get<std::string>(),
              HasSubstr("the touching of 5 holes was not triggered within 300 ms"));
}

TEST_F(ScenarioPartHoles, WithoutHolesInTheConfigurationThePartIsNotArmed) {
  Setting setting;
  start(setting);
  std::string config = slurp(cell.path() / "datumd.toml");
  config.erase(config.find("[holes]"), config.find("[host.tcp]") - config.find("[holes]"));
  cell.write("datumd.toml", config);
  host.reset();
  cell.daemon().signal(SIGTERM);
  cell.daemon().wait();
  cell.start();
  host = cell.connect();
  ASSERT_EQ(host->command("CONF:REC \"demo-holes\""), "0,\"No error\"");
  const std::string refused = host->command("INIT");
  EXPECT_THAT(refused, StartsWith("-241,"));
  EXPECT_THAT(refused, HasSubstr("[holes]"));
}

// The first way must begin where the tip is free: above travel_z_mm.
TEST_F(ScenarioPartHoles, ATipBelowTheWayBetweenHolesIsNotMoved) {
  Setting setting;
  setting.changes = {{"travel_z_mm = 40.0", "travel_z_mm = 70.0"}};
  start(setting);
  take_snapshots();
  trigger_touching();
  const auto verdict = result_of("INVALID");
  EXPECT_THAT(check(verdict, "H1", "diameter")["detail"].get<std::string>(),
              HasSubstr("the tip is not surely free"));
  EXPECT_EQ(machine->output().find("GoTo("), std::string::npos);
}

// ---- GRBL ----

TEST_F(ScenarioPartHoles, AreTouchedByGrbl) { touches_all("grbl_1_1"); }

TEST_F(ScenarioPartHoles, AnAlarmOfGrblEndsTheList) {
  Setting setting;
  setting.preset = "grbl_1_1";
  setting.speed_mm_per_s = 1;
  start(setting);
  take_snapshots();
  trigger_touching();
  ASSERT_TRUE(cell.daemon().says("moves: G21 G91 G94 G38.3")) << cell.daemon().output();
  order("alarm");
  const auto verdict = result_of("INVALID");
  EXPECT_EQ(check(verdict, "H1", "diameter")["reason"], "HOLE_TOUCH");
  EXPECT_THAT(check(verdict, "H1", "diameter")["detail"].get<std::string>(), HasSubstr("ALARM:1 was raised"));
  EXPECT_EQ(row(verdict, "H5")["hole"]["state"], "NOT TOUCHED");
}

TEST_F(ScenarioPartHoles, AnAbortHoldsGrbl) {
  Setting setting;
  setting.preset = "grbl_1_1";
  setting.speed_mm_per_s = 1;
  start(setting);
  take_snapshots();
  trigger_touching();
  ASSERT_TRUE(cell.daemon().says("moves: G21 G91 G94 G38.3")) << cell.daemon().output();
  host->command("ABOR");
  EXPECT_TRUE(cell.daemon().says("stops: feed hold"));
  EXPECT_TRUE(cell.daemon().says("the move ended: aborted")) << cell.daemon().output();
  EXPECT_EQ(cell.results().size(), 0u);
  await_position("NOT_REFERENCED");  // until an operator has looked
  host->command("DIAG:POS:REF");
  await_position("OK");
}

// A controller that answers a move later than allowed was stopped before.
TEST_F(ScenarioPartHoles, ALateGrblIsStoppedAndEndsTheList) {
  Setting setting;
  setting.preset = "grbl_1_1";
  setting.motion_more = "timeout_ms = 1000\n";
  start(setting);
  take_snapshots();
  order("late 600000");
  trigger_touching();
  const auto verdict = result_of("INVALID");
  EXPECT_THAT(check(verdict, "H1", "diameter")["detail"].get<std::string>(),
              HasSubstr("it lasts longer than 1000 ms"));
  EXPECT_TRUE(cell.daemon().says("stops: feed hold"));
}

// A killed datumd leaves GRBL in the one move that it sent; the next one holds it before anything else.
TEST_F(ScenarioPartHoles, WhatAKilledDaemonLeftGrblMovingIsStopped) {
  Setting setting;
  setting.preset = "grbl_1_1";
  setting.speed_mm_per_s = 1;
  start(setting);
  take_snapshots();
  trigger_touching();
  ASSERT_TRUE(cell.daemon().says("moves: G21 G91 G94 G38.3")) << cell.daemon().output();
  host.reset();
  cell.daemon().signal(SIGKILL);
  cell.daemon().wait();
  cell.start();
  host = cell.connect();
  EXPECT_TRUE(cell.daemon().says("the machine moves and no move was asked for (Run): it is stopped"))
      << cell.daemon().output();
  await_position("NOT_REFERENCED");
  for (const auto& verdict : cell.results()) EXPECT_EQ(verdict["decision"], "INVALID");
}

TEST_F(ScenarioPartHoles, AnEndOfDatumdStopsGrblFirst) {
  Setting setting;
  setting.preset = "grbl_1_1";
  setting.speed_mm_per_s = 1;
  start(setting);
  take_snapshots();
  trigger_touching();
  ASSERT_TRUE(cell.daemon().says("moves: G21 G91 G94 G38.3")) << cell.daemon().output();
  host.reset();
  cell.daemon().signal(SIGTERM);
  EXPECT_EQ(cell.daemon().wait(), 0);
  EXPECT_NE(cell.daemon().output().find("the move ended: datumd ends"), std::string::npos)
      << cell.daemon().output();
}

// Without leave to move, an operator leads the probe by the commands of a single hole.
TEST_F(ScenarioPartHoles, AreLedByHandWhereTheMachineMayNotMove) {
  Setting setting;
  setting.preset = "grbl_1_1";
  setting.allow_motion = false;
  setting.only_hole = "H5";
  start(setting);
  take_snapshots();
  trigger_touching();
  const auto state = [&] { return fields(host->ask("PROB:HOLE:STAT?")).at(0); };
  const auto by_hand = [&](const std::string& word, const Eigen::Vector3d& q) {
    std::ofstream(cell.path() / "control")
        << fmt::format("{} {:.4f} {:.4f} {:.4f}", word, q.x(), q.y(), q.z()) << std::endl;
  };
  const auto next = [&](std::size_t k) {
    const auto words = fields(host->ask("PROB:HOLE:NEXT?"));
    return Eigen::Vector3d(std::stod(words.at(4 * k + 1)), std::stod(words.at(4 * k + 2)),
                           std::stod(words.at(4 * k + 3)));
  };
  const Deadline deadline = timeout();
  while (state() != "APPROACH")
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << host->ask("PROB:HOLE:STAT?");
  by_hand("move", next(1));
  EXPECT_EQ(host->command("PROB:HOLE:ENT"), "0,\"No error\"");
  while (state() == "APPROACH")
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << host->ask("PROB:HOLE:STAT?");
  const Eigen::Vector2d middle(
      79.702055, 54.431941);  // virtual-part --bores; the scales are square here to 0.1 um over 5 mm
  for (int touches = 0; state() == "TOUCHING" && touches < 50; ++touches) {
    const Eigen::Vector3d to = next(0), from = next(1);
    const Eigen::Vector2d way = (to - from).head<2>().normalized(), at = from.head<2>() - middle;
    const double along = at.dot(way), r = 4.971 - 1.5;
    const double s = -along + std::sqrt(along * along - at.squaredNorm() + r * r);
    ASSERT_EQ(host->command("PROB:HOLE:TOUC"), "0,\"No error\"");
    by_hand("touch", from + s * (to - from).normalized());
    while (state() == "TOUCHING" &&
           host->ask("PROB:HOLE:STAT?").find("waiting for the probe") != std::string::npos)
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << to.transpose();
  }
  const auto verdict = result_of("PASS");
  EXPECT_EQ(row(verdict, "H5")["hole"]["state"], "DONE");
  EXPECT_NEAR(check(verdict, "H5", "diameter")["value_um"].get<double>(), 9942, 3);
}

// `./datum demo --holes`, one machine after the other; the script compares with the truth.
Outcome demo(const datum::testing::FreshFolder& folder, const char* machine) {
  return run({DATUM_SOURCE_DIR "/tests/scenario/demo_holes.sh", DATUM_BIN, folder.path() / "holes", machine},
             folder.path());
}

TEST(ScenarioDemoHoles, FiveHolesAreMeasuredOnIpp) {
  const datum::testing::FreshFolder folder;
  const Outcome outcome = demo(folder, "ipp");
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("15 values of five holes, at most"));
}

TEST(ScenarioDemoHoles, AMissingHoleIsNamedOnGrbl) {
  const datum::testing::FreshFolder folder;
  const Outcome outcome = demo(folder, "grbl");
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("HOLE_SCAN"));
}

}  // namespace
}  // namespace datum::scenario

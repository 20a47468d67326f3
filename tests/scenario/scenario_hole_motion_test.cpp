// A hole that is scanned, then touched by an I++ DME controller that datumd may move, with the real daemon.
#include <gmock/gmock.h>
#include <signal.h>
#include <string.h>

#include <fstream>

#include "tests/fresh_folder.h"
#include "tests/scenario/scenario_bore.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

using ::testing::ElementsAre;

class ScenarioHoleMotion : public ::testing::Test {
 protected:
  /// `motion`: table [cmm.ipp]; empty: the machine may not move.
  void start(const std::string& motion) {
    controller = std::make_unique<Program>(
        std::vector<std::string>{"virtual-ipp", "--listen", "0", "--position", "100.2,80.4,30.1", "--control",
                                 "control", "--trace"},
        folder.path(), "ipp.log");
    ASSERT_TRUE(controller->says("127.0.0.1:"));
    const std::string said = controller->output();
    const int port = std::atoi(said.c_str() + said.find("127.0.0.1:") + 10);
    CellOptions options;
    options.trigger = "bus";
    options.arm_at_start = false;
    options.more =
        "[cmm]\npreset = \"ipp_dme\"\n[cmm.tcp]\nhost = \"127.0.0.1\"\nport = " + std::to_string(port) +
        "\n[cmm.ipp]\ntool = \"Probe1\"\ncoordinate_system = \"MachineCsy\"\n" + motion +
        "[calibration]\nartefacts_folder = \"artefacts\"\nprobe_radius_mm = 0.5\nprobe_u_radius_um = 0.5\n"
        "probe_u_touch_um = 1.0\nsquareness_rad = [0.001, 0.0, 0.0]\n"
        "[holes]\nlog_folder = \"holes\"\nu_edge_um = 50.0\nspare_mm = 0.2\n";
    cell = std::make_unique<Cell>(options);
    std::string config = slurp(cell->path() / "datumd.toml");
    config.replace(config.find("trigger ="), 0,
                   "calibrations_folder = \"calibrations\"\ncalibration = \"x\"\n");
    cell->write("datumd.toml", config);
    std::filesystem::create_directories(cell->path() / "artefacts");
    cell->write("calibrations/x.toml", to_toml(made));
    cell->start();
    host = cell->connect();
    bore_mm = made.at(stage_mm) * Eigen::Vector3d(bore_x_mm, bore_y_mm, top_mm);
    const Eigen::Vector3d scales = made.stage.a.inverse() * bore_mm;
    order("hole " + words(scales.head<2>()) + " 1 " + std::to_string(scales.z()));
    await_position("OK");
  }
  static std::string words(const Eigen::Vector2d& v) {
    return std::to_string(v.x()) + " " + std::to_string(v.y());
  }
  static std::string motion(const std::string& speed, const std::string& box_max) {
    return "allow_motion = true\n[cmm.ipp.motion]\nspeed_mm_per_s = " + speed +
           "\nprobing_speed_mm_per_s = 20\nbox_min_mm = [90, 60, 10]\nbox_max_mm = " + box_max + "\n";
  }
  void order(const std::string& line) {
    std::ofstream(folder.path() / "control") << line << std::endl;
    ASSERT_TRUE(controller->says("done: " + line));
  }
  void await_position(const std::string& state) {
    const Deadline deadline = timeout();
    std::string said;
    while ((said = host->ask("DIAG:POS?")).rfind(state, 0) != 0)
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << said << "\n" << cell->daemon().output();
  }
  void expect_good(const std::string& command) {
    EXPECT_EQ(host->command(command), "0,\"No error\"") << command << "\n" << cell->daemon().output();
  }
  std::string state() { return fields(host->ask("PROB:HOLE:STAT?")).at(0); }
  void scan(const std::string& frame = "bored") {
    char line[120];
    std::snprintf(line, sizeof line, "PROB:HOLE:STAR %.3f,%.3f,%.3f,1.45,0.5,0.2", bore_mm.x() + 0.2,
                  bore_mm.y() - 0.1, bore_mm.z());
    expect_good(line);
    expect_good("PROB:HOLE:SCAN");
    const Deadline deadline = timeout();
    while ((std::stoi(host->ask("STAT:OPER:COND?")) & 8) == 0)  // sweeping
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << host->ask("PROB:HOLE:STAT?");
    cell->deliver(frame, plate(true, 1 + static_cast<float>(delivered++)));
    EXPECT_EQ(host->ask("*OPC?"), "1");
    ASSERT_EQ(state(), "APPROACH") << host->ask("PROB:HOLE:STAT?");
  }

  const Calibration made = calibration();
  testing::FreshFolder folder;
  std::unique_ptr<Program> controller;
  std::unique_ptr<Cell> cell;
  std::unique_ptr<Host> host;
  Eigen::Vector3d bore_mm;
  int delivered = 0;  // each frame is unique
};

// The machine's scales are 1 mrad out of square, so that a circle of 1 mm deviates by 1 um. Touches are read to 0.01 um.
constexpr double allowed_mm = 0.0015;

TEST_F(ScenarioHoleMotion, TheMachineEntersAndTouches) {
  start(motion("200", "[200, 120, 60]"));
  scan();
  expect_good("PROB:HOLE:ENT");
  EXPECT_EQ(host->ask("*OPC?"), "1");
  ASSERT_EQ(state(), "TOUCHING") << host->ask("PROB:HOLE:STAT?") << cell->daemon().output();
  for (int touches = 0; state() == "TOUCHING" && touches < 50; ++touches) {
    expect_good("PROB:HOLE:TOUC");
    ASSERT_EQ(host->ask("*OPC?"), "1");
  }
  ASSERT_EQ(state(), "DONE") << host->ask("PROB:HOLE:STAT?") << cell->daemon().output();
  const auto result = fields(host->ask("PROB:HOLE:RES?"));
  EXPECT_NEAR(std::stod(result.at(1)), bore_mm.x(), allowed_mm);
  EXPECT_NEAR(std::stod(result.at(2)), bore_mm.y(), allowed_mm);
  EXPECT_NEAR(std::stod(result.at(4)), bore_radius_mm, allowed_mm);
  EXPECT_TRUE(cell->daemon().says("hole: moves until contact, to"));
  EXPECT_TRUE(cell->daemon().says("touches: Approach ")) << "what was used is said";
  EXPECT_NEAR(std::stod(fields(host->ask("DIAG:POS?")).at(3)), bore_mm.z() + 0.9, 0.3)
      << "out of the hole again";
}

TEST_F(ScenarioHoleMotion, AnAbortStopsTheMachine) {
  start(motion("1", "[200, 120, 60]"));  // half a minute to the hole
  scan();
  expect_good("PROB:HOLE:ENT");
  ASSERT_TRUE(cell->daemon().says("moves: GoTo(")) << cell->daemon().output();
  host->command("ABOR");
  EXPECT_EQ(state(), "IDLE");
  EXPECT_TRUE(cell->daemon().says("hole: stops the machine: aborted"));
  EXPECT_TRUE(cell->daemon().says("the move ended: aborted"));
  await_position("OK");  // its errors are cleared, so that it can be asked again
  const std::string stands = host->ask("DIAG:POS?");
  EXPECT_LT(std::stod(fields(stands).at(1)), bore_mm.x() - 1) << "not there";
}

/// Lines that the controller received since `mark`, without those of the watchdog.
std::vector<std::string> heard_since(const std::string& output, std::size_t mark) {
  std::vector<std::string> lines;
  const std::string begin = "virtual-ipp: hears ";
  for (std::size_t at = mark; (at = output.find(begin, at)) != std::string::npos; ++at) {
    const std::string line =
        output.substr(at + begin.size() + 6, output.find('\n', at) - at - begin.size() - 6);
    if (line != "GetErrStatusE()") lines.push_back(line);
  }
  return lines;
}

// Any end of datumd during a move stops the machine, with a log line, before the process exits.
TEST_F(ScenarioHoleMotion, WhateverEndsTheDaemonStopsTheMachineFirst) {
  start(motion("1", "[200, 120, 60]"));
  for (const int signal : {SIGTERM, SIGINT, SIGABRT}) {
    if (cell->daemon().has_ended()) {
      cell->start();
      host = cell->connect();
      await_position("OK");
    }
    scan(std::to_string(signal));
    expect_good("PROB:HOLE:ENT");
    ASSERT_TRUE(cell->daemon().says("moves: GoTo(")) << cell->daemon().output();
    host.reset();
    cell->daemon().signal(signal);
    EXPECT_EQ(cell->daemon().wait(), signal == SIGABRT ? -SIGABRT : 0);
    const std::string heard = controller->output();
    EXPECT_THAT(heard_since(heard, heard.rfind("GoTo(")),  // datumd says its move before the machine hears it
                ElementsAre("AbortE()", "ClearAllErrors()", "EndSession()"))
        << strsignal(signal);
  }
}

// After kill -9 the machine moves on until the next datumd starts.
TEST_F(ScenarioHoleMotion, WhatAKilledDaemonLeftMovingIsStoppedBeforeAnythingElse) {
  start(motion("1", "[200, 120, 60]"));
  scan();
  expect_good("PROB:HOLE:ENT");
  ASSERT_TRUE(cell->daemon().says("moves: GoTo(")) << cell->daemon().output();
  host.reset();
  cell->daemon().signal(SIGKILL);
  cell->daemon().wait();
  const std::size_t mark = controller->output().size();
  cell->start();
  host = cell->connect();
  await_position("OK");
  const auto heard = heard_since(controller->output(), mark);
  ASSERT_GE(heard.size(), 3u);
  EXPECT_EQ(heard[0], "AbortE()");
  EXPECT_LT(cell->daemon().output().find("the machine stands: AbortE before anything else"),
            cell->daemon().output().find("backend: "));
  const std::string stands = host->ask("DIAG:POS?");
  EXPECT_LT(std::stod(fields(stands).at(1)), bore_mm.x() - 1) << "not there";
}

// Limits and defaults of a reference server, and a server with a smallest retract beyond the bore.
TEST_F(ScenarioHoleMotion, ARetractThroughTheOtherWallIsRefusedBeforeTheTouch) {
  start(motion("200", "[200, 120, 60]"));
  order("set Tool.PtMeasPar.Retract 10 10 100");
  scan();
  expect_good("PROB:HOLE:ENT");
  EXPECT_EQ(host->ask("*OPC?"), "1");
  ASSERT_EQ(state(), "TOUCHING") << host->ask("PROB:HOLE:STAT?") << cell->daemon().output();
  host->command("PROB:HOLE:TOUC");
  EXPECT_EQ(host->ask("*OPC?"), "1");
  EXPECT_EQ(state(), "GUARD");
  EXPECT_NE(host->ask("PROB:HOLE:STAT?").find("leads to the other side of the bore"), std::string::npos);
  EXPECT_EQ(controller->output().find(" PtMeas("), std::string::npos);
}

TEST_F(ScenarioHoleMotion, OutsideTheBoxNothingMoves) {
  start(motion("200", "[110, 120, 60]"));
  scan();
  host->command("PROB:HOLE:ENT");
  EXPECT_EQ(host->ask("*OPC?"), "1");
  EXPECT_EQ(state(), "GUARD");
  EXPECT_NE(host->ask("PROB:HOLE:STAT?").find("outside the box of motion"), std::string::npos);
  EXPECT_EQ(fields(host->ask("DIAG:POS?")).at(1).substr(0, 5), "100.2");
}

TEST_F(ScenarioHoleMotion, WithoutLeaveTheProbeIsLedByHand) {
  start("");
  scan();
  EXPECT_NE(host->ask("PROB:HOLE:STAT?").find("lead the tip above the hole"), std::string::npos);
}

}  // namespace
}  // namespace datum::scenario

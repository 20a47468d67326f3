// A board measured through an I++ DME controller, and faults of the controller: the verdict reports them, and the cell
// recovers without a restart. The recovery times are printed.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

using Clock = std::chrono::steady_clock;

class ScenarioIpp : public ::testing::Test {
 protected:
  void switch_on(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "virtual-ipp", "--listen", std::to_string(port), "--position", "10,20,30", "--control", "control"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    controller.reset();
    controller =
        std::make_unique<Program>(arguments, folder.path(), "ipp." + std::to_string(++switched_on) + ".log");
    const std::string before = "127.0.0.1:";
    ASSERT_TRUE(controller->says(before));
    const std::string said = controller->output();
    port = std::atoi(said.c_str() + said.find(before) + before.size());
  }
  void start() {
    switch_on();
    CellOptions options;
    options.trigger = "bus";
    options.arm_at_start = false;
    options.more =
        "[cmm]\npreset = \"ipp_dme\"\n[cmm.tcp]\nhost = \"127.0.0.1\"\nport = " + std::to_string(port) +
        "\n[cmm.ipp]\ntool = \"Probe1\"\ncoordinate_system = \"MachineCsy\"\n"
        "[[cmm.axis]]\nlabel = \"X\"\nmachine_axis = \"X\"\nmin_mm = 1\nmax_mm = 500\n"
        "[[cmm.axis]]\nlabel = \"Y\"\nmachine_axis = \"Y\"\nmin_mm = 1\nmax_mm = 500\n"
        "[[cmm.axis]]\nlabel = \"Z\"\nmachine_axis = \"Z\"\nmin_mm = 1\nmax_mm = 500\n";
    cell = std::make_unique<Cell>(options);
    cell->start();
    host = cell->connect();
    await_position("OK");
    ASSERT_EQ(host->command("INIT"), "0,\"No error\"");
  }
  /// Executes an operator's action at the machine.
  void order(const std::string& line) {
    std::ofstream(folder / "control") << line << std::endl;
    ASSERT_TRUE(controller->says("done: " + line));
  }
  /// Waits for this state of the machine's position.
  void await_position(const std::string& state) {
    const Deadline deadline = timeout();
    std::string said;
    while ((said = host->ask("DIAG:POS?")).rfind(state, 0) != 0)
      ASSERT_LT(Clock::now(), deadline) << said << "\n" << cell->daemon().output();
  }
  void expect_pass(const std::string& name) {
    cell->trigger_and_deliver(*host, name);
    EXPECT_EQ(host->result().decision, "PASS") << cell->results().back()["detail"];
    const auto pose = cell->results().back()["pose"];
    for (const char* when : {"before", "after"}) {
      EXPECT_EQ(pose[when]["position_mm"], nlohmann::json({10, 20, 30})) << pose;
      EXPECT_EQ(pose[when].value("reference", ""), "tool Probe1, MachineCsy") << pose;
    }
  }
  void expect_invalid(const std::string& reason, const std::string& detail) {
    EXPECT_EQ(host->result().decision, "INVALID");
    const auto verdict = cell->results().back();
    EXPECT_EQ(verdict["reason"], reason) << verdict["detail"];
    EXPECT_NE(verdict["detail"].get<std::string>().find(detail), std::string::npos) << verdict["detail"];
  }
  /// After `mend` the machine is trusted again, and measures.
  void expect_recovery(const std::string& trouble, const std::vector<std::string>& mend) {
    const auto from = Clock::now();
    for (const std::string& line : mend) order(line);
    await_position("OK");
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - from);
    std::printf("%-28s back after %5ld ms\n", trouble.c_str(), static_cast<long>(took.count()));
    host->send("*CLS");  // a lost link is in the error queue of every host
    expect_pass("after");
  }

  datum::testing::FreshFolder folder;
  std::unique_ptr<Program> controller;
  std::unique_ptr<Cell> cell;
  std::unique_ptr<Host> host;
  int port = 0, switched_on = 0;
};

TEST_F(ScenarioIpp, ABoardIsMeasuredAndTheVerdictNamesToolAndCoordinateSystem) {
  start();
  expect_pass("first");
  EXPECT_TRUE(cell->daemon().says("cmm: tool Probe1, MachineCsy"));
  EXPECT_NE(host->ask("DIAG:LINK?").find("READY, DME 1.4, CartCMM, tool Probe1, MachineCsy"),
            std::string::npos);
  const Outcome shown = run({"datumctl", "show", "1", "--store", "results.db"}, cell->path());
  EXPECT_NE(shown.output.find("by tool Probe1, MachineCsy"), std::string::npos) << shown.output;
}

TEST_F(ScenarioIpp, AnotherToolAroundTheFrameIsNoPose) {
  start();
  cell->trigger(*host);
  order("silent-tool Probe2");
  cell->deliver("other-tool", frame_of_box(good_height_um, 1));
  expect_invalid("POSE_ERROR", "tool 'Probe2' is active; the cell demands 'Probe1'");
  EXPECT_TRUE(cell->daemon().says("tool Probe1, MachineCsy -> tool Probe2, MachineCsy"));
  expect_recovery("other tool", {"tool Probe1"});
}

TEST_F(ScenarioIpp, InchesAreOutsideTheWorkingRange) {
  start();
  order("inches");
  await_position("OUT_OF_RANGE");
  ASSERT_EQ(host->command("TRIG"), "0,\"No error\"");
  expect_invalid("POSE_ERROR", "OUT_OF_RANGE X = 0.3937 mm; allowed: 1 to 500 mm");
  expect_recovery("inches", {"mm"});
}

TEST_F(ScenarioIpp, AnEmergencyStopHoldsUntilItIsMended) {
  start();
  cell->trigger(*host);
  order("hold-error 3 500");
  cell->deliver("stopped", frame_of_box(good_height_um, 1));
  expect_invalid("POSE_ERROR", "the error status stays set");
  expect_recovery("emergency stop", {"mend"});
}

// Half-open TCP: no answer, but the connection exists.
TEST_F(ScenarioIpp, ASilentControllerIsLeftAndFoundAgain) {
  start();
  cell->trigger(*host);
  order("fault stall");
  cell->deliver("silent", frame_of_box(good_height_um, 1));
  expect_invalid("POSE_STALE", "no answer to");
  EXPECT_TRUE(cell->daemon().says("no answer for 4000 ms"));
  expect_recovery("silent", {"fault none"});
}

TEST_F(ScenarioIpp, ARestartWithAnotherToolIsNoPoseUntilItIsPutRight) {
  start();
  expect_pass("first");
  controller->signal(SIGKILL);
  EXPECT_EQ(controller->wait(), -SIGKILL);
  await_position("LINK_DOWN");
  switch_on({"--tool", "Probe2"});
  await_position("NOT_REFERENCED");
  ASSERT_EQ(host->command("*CLS;TRIG"), "0,\"No error\"");
  expect_invalid("POSE_ERROR", "tool 'Probe2' is active");
  expect_recovery("restart with another tool", {"tool Probe1", "move 10 20 30"});
}

}  // namespace
}  // namespace datum::scenario

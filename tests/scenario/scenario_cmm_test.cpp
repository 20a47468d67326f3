// A machine that sends wrong positions, is silent, reports errors or is unplugged: never a PASS by its data, and the cell
// recovers.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

CellOptions with_cmm() {
  CellOptions options;
  options.trigger = "bus";
  options.arm_at_start = false;
  options.more = R"([cmm]
preset = "grbl_1_1"
unit = "mm"
[cmm.serial]
path = "FOLDER/cmm"
baud = 115200
)";
  return options;
}

class ScenarioCmm : public ::testing::Test {
 protected:
  void plug_in_cmm(const std::vector<std::string>& faults) {
    std::vector<std::string> arguments{"virtual-cmm", "--link", "cmm", "--position", "10,20,30"};
    arguments.insert(arguments.end(), faults.begin(), faults.end());
    cmm.reset();
    cmm = std::make_unique<Program>(arguments, cell.path(), "cmm." + std::to_string(++plugged) + ".log");
    ASSERT_TRUE(cmm->says("/dev/pts/"));
  }
  void start(const std::vector<std::string>& faults) {
    plug_in_cmm(faults);
    cell.start();
    host = cell.connect();
    ASSERT_EQ(host->command("INIT"), "0,\"No error\"");
  }
  /// The last board is INVALID for one of these reasons, in the store and on the line.
  void expect_invalid(const std::set<std::string>& reasons) {
    const auto line = host->result();
    EXPECT_EQ(line.decision, "INVALID");
    const auto board = fields(host->ask("FETC:BOAR?"));
    EXPECT_EQ(board.at(0), std::to_string(line.sequence));
    EXPECT_TRUE(reasons.count(board.at(2))) << board.at(2) << ": " << board.at(12);
    EXPECT_EQ(cell.results().back()["pose"]["reason"], board.at(2));
    constexpr int questionable_pose = 512;
    EXPECT_EQ(std::stoi(host->ask("STAT:QUES:COND?")), questionable_pose);
  }
  /// Unplugs the faulty machine and plugs in a good one.
  void exchange_machine() {
    cmm->signal(SIGTERM);
    EXPECT_EQ(cmm->wait(), 0);
    ASSERT_TRUE(cell.daemon().says("closed, to be reopened"));
    EXPECT_NE(host->ask("DIAG:LINK?").find("closed, to be reopened"), std::string::npos);
    EXPECT_EQ(std::stoi(host->ask("STAT:OPER:COND?")) & cmm_link, 0);
    EXPECT_EQ(std::stoi(host->command("ABOR")), -241) << "every host is told";
    EXPECT_EQ(std::stoi(host->command("INIT")), -241) << "no board without the machine";
    plug_in_cmm({});
    ASSERT_TRUE(cell.daemon().says(": open; ", 2));
    EXPECT_EQ(std::stoi(host->ask("STAT:OPER:COND?")) & cmm_link, cmm_link);
    EXPECT_EQ(host->command("INIT"), "0,\"No error\"");
  }
  void expect_pass() {
    cell.trigger_and_deliver(*host, "after");
    EXPECT_EQ(host->result().decision, "PASS");
    const auto pose = cell.results().back()["pose"];
    EXPECT_EQ(pose["before"]["position_mm"], nlohmann::json({10, 20, 30})) << pose;
    EXPECT_EQ(pose["after"]["position_mm"], nlohmann::json({10, 20, 30})) << pose;
  }

  void expect_recovery() {
    exchange_machine();
    expect_pass();
  }

  static constexpr int cmm_link = 512;
  Cell cell{with_cmm()};
  std::unique_ptr<Program> cmm;
  std::unique_ptr<Host> host;
  int plugged = 0;
};

TEST_F(ScenarioCmm, MovesAroundTheFrame) {
  start({"--drift-um", "50,0,0"});
  cell.trigger_and_deliver(*host, "moved");
  expect_invalid({"POSE_MOVED"});
  expect_recovery();
}

TEST_F(ScenarioCmm, IsSilentBeforeTheFrame) {
  start({"--stale"});
  ASSERT_EQ(host->command("TRIG"), "0,\"No error\"");
  expect_invalid({"POSE_MISSING", "POSE_STALE"});
  expect_recovery();
}

TEST_F(ScenarioCmm, FallsSilentAfterTheFrame) {
  start({});
  cell.trigger(*host);
  cmm->signal(SIGSTOP);
  cell.deliver("silent", frame_of_box(good_height_um, 1));
  expect_invalid({"POSE_MISSING", "POSE_STALE"});
  cmm->signal(SIGCONT);
  expect_recovery();
}

TEST_F(ScenarioCmm, TellsAnError) {
  start({"--error"});
  ASSERT_EQ(host->command("TRIG"), "0,\"No error\"");
  expect_invalid({"POSE_ERROR"});
  exchange_machine();
  // GRBL lost its position with the alarm: after reconnection the machine is not yet trusted.
  ASSERT_EQ(host->command("TRIG"), "0,\"No error\"");
  expect_invalid({"POSE_ERROR"});
  EXPECT_EQ(host->command("DIAG:POS:REF"), "0,\"No error\"");
  expect_pass();
}

TEST_F(ScenarioCmm, IsUnpluggedUnderABoard) {
  start({});
  cell.trigger(*host);
  cmm->signal(SIGTERM);
  ASSERT_TRUE(cell.daemon().says("closed, to be reopened"));
  cell.deliver("unplugged", frame_of_box(good_height_um, 1));
  expect_invalid({"POSE_MISSING", "POSE_ERROR"});
  expect_recovery();
}

TEST_F(ScenarioCmm, FrameDeliveredTwiceDoesNotTakeTheNextBoardsPlace) {
  start({});
  cell.trigger(*host);
  cell.deliver("first", frame_of_box(good_height_um, 1));
  EXPECT_EQ(host->result().decision, "PASS");
  EXPECT_EQ(host->command("CONF:UNIT 'SN-2'"), "0,\"No error\"");
  cell.trigger(*host);
  cell.deliver("first", frame_of_box(good_height_um, 1));
  ASSERT_TRUE(cell.daemon().says("first.ptr was delivered twice"));
  cell.deliver("second", frame_of_box(bad_height_um, 2));
  const auto line = host->result();
  EXPECT_EQ(line.frame, "second");
  EXPECT_EQ(line.decision, "FAIL");
  EXPECT_EQ(fields(host->ask("FETC:BOAR?")).at(6), "SN-2");
  EXPECT_EQ(cell.results().back()["pose"]["before"]["position_mm"], nlohmann::json({10, 20, 30}));
}

TEST_F(ScenarioCmm, ComesBackByItself) {
  start({"--unplug-after", "5", "--replug-ms", "100"});
  ASSERT_TRUE(cell.daemon().says("closed, to be reopened"));
  ASSERT_TRUE(cell.daemon().says(": open; ", 2));
  host->send("*CLS");
  cell.trigger_and_deliver(*host, "after");
  EXPECT_EQ(host->result().decision, "PASS");
}

}  // namespace
}  // namespace datum::scenario

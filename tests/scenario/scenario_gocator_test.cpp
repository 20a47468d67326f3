// The real daemon with virtual-gocator: boards are measured over the network, faults end in INVALID with their reason,
// and the cell recovers by itself.
#include <gmock/gmock.h>
#include <signal.h>
#include <nlohmann/json.hpp>

#include <chrono>

#include "tests/scenario/scenario_network_sensor.h"

namespace datum::scenario {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ScenarioGocator : public NetworkSensorTest {
 protected:
  ScenarioGocator() : NetworkSensorTest("gocator", "running, protocol 101.11, job") {}

  void plug_in(const std::vector<std::string>& more = {}) {
    const std::string before = "serves 127.0.0.1 ";
    plug_in_device({"--ports", ports}, more, before);
    const std::string said = device->output();
    const auto at = said.find(before) + before.size();
    ports = said.substr(at, said.find('\n', at) - at);
  }
  void start(const std::string& trigger, const std::string& sensor_trigger, const std::string& more = "",
             const std::string& job = "board.job") {
    const auto port = fields(ports);
    configure(trigger,
              "address = \"127.0.0.1\"\ncontrol_port = " + port.at(0) + "\nhealth_port = " + port.at(1) +
                  "\ndata_port = " + port.at(2) + "\njob = \"" + job + "\"\ntrigger = \"" + sensor_trigger +
                  "\"\nstall_ms = 300\narchive_folder = \"frames\"",
              more);
    start_cell();
  }
  void arm() { ASSERT_EQ(host->command("INIT"), "0,\"No error\""); }

  std::string ports = "0,0,0";
};

TEST_F(ScenarioGocator, MeasuresEachFrameThatTheSensorSends) {
  plug_in();
  start("on_frame", "external");
  arm();
  order("trigger");
  expect_decision("PASS");
  const auto board = last();
  EXPECT_EQ(board["sensor_serial"], "67890");
  EXPECT_THAT(board["frame_id"].get<std::string>(), StartsWith("1@"));
  EXPECT_THAT(board["frame_sha256"].get<std::string>(), StartsWith("sha256-tree-256KiB:"));
  EXPECT_EQ(board["stamp"]["frame_index"], 1);
  EXPECT_EQ(board["captured"]["clock"], "sensor");
  const auto& span = board["captured"]["host_monotonic"];
  EXPECT_LT(span["from_ns"].get<std::int64_t>(), span["to_ns"].get<std::int64_t>());
  order("board lifted=B1:200");
  order("trigger");
  expect_decision("FAIL");
  // The archived frame gives the same verdict again.
  const std::string name = board["frame_id"];
  const Outcome again = run({"datumd", "--once", "frames/done/" + name + "/" + name + ".gdp", "--recipe",
                             "recipes/box.toml", "--sensor", "sensor.toml", "--json"},
                            cell.path());
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr(board["frame_sha256"].get<std::string>()));
}

TEST_F(ScenarioGocator, TriggersTheSensorByCommand) {
  plug_in();
  start("bus", "software");
  arm();
  trigger();
  expect_decision("PASS");
  order("board missing=B1");
  trigger();
  expect_decision("FAIL");
}

TEST_F(ScenarioGocator, ExposesBetweenTwoPositionsOfTheMachine) {
  plug_in();
  Program cmm({"virtual-cmm", "--link", "cmm", "--position", "10,20,30"}, cell.path(), "cmm.log");
  ASSERT_TRUE(cmm.says("/dev/pts/"));
  start("bus", "software",
        "[cmm]\npreset = \"grbl_1_1\"\nunit = \"mm\"\n[cmm.serial]\npath = \"" +
            (cell.path() / "cmm").string() + "\"\nbaud = 115200\n");
  arm();
  trigger();
  expect_decision("PASS");
  const auto pose = last()["pose"], captured = last()["captured"];
  EXPECT_EQ(pose["after"]["position_mm"], nlohmann::json({10, 20, 30}));
  EXPECT_LE(pose["before"]["last_byte_ns"], captured["host_monotonic"]["from_ns"])
      << "then the sensor exposed";
  EXPECT_EQ(pose["pairing"]["class"], "STARE");
  EXPECT_EQ(pose["pairing"]["exposure_by"], "CLOCK");
  EXPECT_EQ(pose["pairing"]["u_um"], 0.0) << "it stood still";
  EXPECT_GT(pose["pairing"]["spread_ms"], 0.0);
  EXPECT_EQ(last()["frame_age"]["by"], "sensor");
  EXPECT_LT(last()["frame_age"]["at_most_ms"], 5000.0);
  EXPECT_LT(captured["offset"]["uncertainty_ns"], 1'000'000'000) << "a second: any machine answers sooner";
  const Outcome status = run(
      {"datumctl", "status", "--json", "--tcp", "127.0.0.1:" + std::to_string(cell.tcp_port())}, cell.path());
  ASSERT_EQ(status.status, 0) << status.output;
  const auto links = nlohmann::json::parse(status.output)["link_states"];
  ASSERT_GE(links.size(), 3u) << links;
  EXPECT_EQ(links[0]["name"], "sensor");
  EXPECT_EQ(links[0]["kind"], "gocator");
  EXPECT_EQ(links[0]["state"], "OPEN");
  EXPECT_GE(links[0]["delivered_age_s"], 0.0);
  EXPECT_TRUE(links[0]["clock_offset_s"].is_number());
  EXPECT_EQ(links[1]["kind"], "grbl_1_1");
  EXPECT_EQ(links[1]["trouble"], "");
}

TEST_F(ScenarioGocator, EachFaultIsInvalidWithItsReasonAndTheCellRecovers) {
  plug_in();
  start("bus", "software");
  arm();
  trigger();
  expect_decision("PASS");
  const std::pair<const char*, const char*> faults[] = {
      {"fault units", "its resolution is 0.05 x 0.05 x 0.001 um, this cell's 50 x 50 x 0.5 um"},
      {"fault old", "no frame came within 2000 ms"},
      {"fault back", "comes after"},
      {"fault corrupt", "pixels in"},
      {"fault stall", "a data set stopped in its middle for 300 ms"},
      {"fault reset", "the connection was lost"}};
  for (const auto& [fault, words] : faults) {
    order(fault);
    trigger();
    expect_invalid(words);
    if (std::string(fault) == "fault back") {  // and forward again
      trigger();
      expect_invalid("were lost");
    }
    expect_recovery(fault);
  }
  EXPECT_TRUE(cell.daemon().says("arrived before the trigger")) << "the old one";
}

TEST_F(ScenarioGocator, ALostFrameIsNoBoardAndMakesTheNextOneInvalid) {
  plug_in();
  start("bus", "software");
  arm();
  trigger();
  expect_decision("PASS");
  order("fault skip");
  trigger();
  expect_invalid("no frame came within 2000 ms");
  trigger();
  expect_invalid("1 frames before it were lost: index 3 after 1");
  expect_recovery("fault skip");
}

// Board A is good, its frame is late; B lacks its component. No board gets another board's verdict.
TEST_F(ScenarioGocator, ALateFrameIsNotTheNextBoardsVerdict) {
  plug_in();
  start("bus", "software");
  arm();
  trigger();
  expect_decision("PASS");
  order("fault late");
  trigger();
  expect_invalid("no frame came within 2000 ms");
  order("board missing=B1");
  trigger();  // A's frame comes first, then B's own
  expect_decision("FAIL");
  ASSERT_TRUE(cell.daemon().says("arrived before the trigger"));
  order("board good");
  order("fault late");
  trigger();
  expect_invalid("no frame came within 2000 ms");
  order("fault skip");
  trigger();  // only the late frame arrives
  expect_invalid("no frame came within 2000 ms");
  trigger();
  expect_invalid("were lost");
  expect_recovery("late frame");
}

// The sensor exposes on its own input: the frame for A arrives while B waits.
TEST_F(ScenarioGocator, ALateFrameOfAnExternalTriggerIsNotTheNextBoardsVerdict) {
  plug_in();
  start("bus", "external");
  arm();
  trigger();
  order("fault late");
  order("trigger");
  expect_invalid("no frame came within 2000 ms");
  trigger();
  order("late");
  expect_invalid("no frame came within 2000 ms");
  trigger();
  order("trigger");
  expect_decision("PASS");
}

TEST_F(ScenarioGocator, AFrameOfBeforeArmingIsNoBoardAndTakesNoSerialNumber) {
  plug_in();
  start("on_frame", "external");
  order("trigger");
  const Deadline deadline = timeout();
  while (host->ask("DIAG:LINK?").find("1 waiting") == std::string::npos)
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << host->ask("DIAG:LINK?");
  ASSERT_EQ(host->command("CONF:UNIT 'SN-7';:INIT"), "0,\"No error\"");
  ASSERT_TRUE(cell.daemon().says("1 frames came while none was wanted"));
  order("board missing=B1");
  order("trigger");
  expect_decision("FAIL");
  EXPECT_EQ(last()["unit_id"], "SN-7");
  EXPECT_EQ(cell.results().size(), 1u);
}

TEST_F(ScenarioGocator, AFrameSentTwiceIsMeasuredOnce) {
  plug_in();
  start("on_frame", "external");
  arm();
  order("fault twice");
  order("trigger");
  expect_decision("PASS");
  ASSERT_TRUE(cell.daemon().says("was delivered twice"));
  order("trigger");
  expect_decision("PASS");
  EXPECT_EQ(cell.results().size(), 2u);
}

TEST_F(ScenarioGocator, AMirroredFrameIsInvalid) {
  plug_in();
  start("bus", "software");
  arm();
  order("fault mirror");
  trigger();
  expect_invalid("good in its mirror image");
  expect_recovery("fault mirror");
}

TEST_F(ScenarioGocator, AnotherJobIsNotArmedAndMakesABoardInvalid) {
  plug_in({"--job", "other.job"});
  start("bus", "software");
  EXPECT_THAT(host->command("*CLS;INIT"), HasSubstr("job 'other.job' is loaded"));
  order("job board.job");
  ASSERT_TRUE(cell.daemon().says("running, protocol 101.11, job board.job"));
  ASSERT_EQ(host->command("*CLS;INIT"), "0,\"No error\"");
  order("modified on");
  trigger();
  expect_invalid("was modified since it was loaded");
  order("modified off");
  ASSERT_TRUE(cell.daemon().says("running, protocol 101.11, job board.job", 2));
  expect_recovery("modified job");
}

TEST_F(ScenarioGocator, LostDataFailTheBoardInProgress) {
  plug_in();
  start("bus", "external");
  arm();
  order("drops 21005 0");  // as before the fault
  trigger();
  order("drops 21005 3");
  expect_invalid("Ethernet drops rose by 3 to 3");
  trigger();
  order("trigger");
  expect_decision("PASS");
}

TEST_F(ScenarioGocator, ComesBackAfterAPowerCycleWithOtherSettingsToo) {
  plug_in();
  start("bus", "software");
  arm();
  trigger();
  expect_decision("PASS");
  device->signal(SIGKILL);
  device->wait();
  ASSERT_TRUE(cell.daemon().says("the connection was lost"));
  trigger();
  expect_invalid("not connected");
  plug_in();
  ASSERT_TRUE(is_up());
  expect_recovery("power cycle");
  order("restart coarse");
  ASSERT_TRUE(cell.daemon().says("the connection was lost", 2));
  ASSERT_TRUE(is_up());
  trigger();
  expect_invalid("its resolution is 100 x 100 x 0.5 um");
}

}  // namespace
}  // namespace datum::scenario

// The real daemon with virtual-genicam (Aravis' fake device): boards, faults that end in INVALID, and recovery by itself.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <random>

#include "tests/scenario/scenario_network_sensor.h"

namespace datum::scenario {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

/// The GigE Vision port is fixed, so each test's camera has an address of its own.
std::string own_address() {
  const int pid = ::getpid();
  return fmt::format("127.{}.{}.{}", 1 + (pid >> 16) % 254, (pid >> 8) & 255, 1 + (pid & 255) % 254);
}

class ScenarioGenicam : public NetworkSensorTest {
 protected:
  ScenarioGenicam() : NetworkSensorTest("genicam", "running, Aravis Fake 67890") {}

  void plug_in(const std::vector<std::string>& more = {}) {
    // A receive buffer of 200 KiB, the default of kernels, covers 8 ms of it.
    plug_in_device({"--address", address, "--mbit-per-s", "200"}, more, "stands at");
  }
  void configure(const std::string& trigger, const std::string& camera_keys, const std::string& more = "") {
    NetworkSensorTest::configure(
        trigger,
        "packet_size = 8192\nuser_set = \"UserSet1\"\npixel_format = \"Coord3D_C16\"\n" + camera_keys, more);
  }
  void start(const std::string& trigger, const std::string& camera_trigger, const std::string& more = "") {
    configure(trigger, "address = \"" + address + "\"\ntrigger = \"" + camera_trigger + "\"", more);
    start_cell();
  }
  void arm() { ASSERT_EQ(host->command("*CLS;INIT"), "0,\"No error\""); }

  std::string address = own_address();
};

TEST_F(ScenarioGenicam, MeasuresEachFrameThatTheCameraSends) {
  plug_in();
  start("on_frame", "external");
  arm();
  order("trigger");
  expect_decision("PASS");
  const auto board = last();
  EXPECT_EQ(board["sensor_serial"], "67890");
  EXPECT_THAT(board["frame_sha256"].get<std::string>(), ::testing::StartsWith("sha256-tree-256KiB:"));
  EXPECT_EQ(board["captured"]["clock"], "sensor");
  const auto& span = board["captured"]["host_monotonic"];
  EXPECT_LT(span["from_ns"].get<std::int64_t>(), span["to_ns"].get<std::int64_t>());
  order("board lifted=B1:200");
  order("trigger");
  expect_decision("FAIL");
}

TEST_F(ScenarioGenicam, TriggersTheCameraByCommand) {
  plug_in();
  start("bus", "software");
  arm();
  trigger();
  expect_decision("PASS");
  order("board missing=B1");
  trigger();
  expect_decision("FAIL");
}

TEST_F(ScenarioGenicam, ExposesBetweenTwoPositionsOfTheMachine) {
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
      << "then the camera exposed";
}

TEST_F(ScenarioGenicam, EachFaultIsInvalidWithItsReasonAndTheCellRecovers) {
  plug_in();
  start("bus", "software");
  arm();
  trigger();
  expect_decision("PASS");
  const std::pair<const char*, const char*> faults[] = {{"fault incomplete", "it is incomplete: "},
                                                        {"fault headless", "it is incomplete: "},
                                                        {"fault old", "no frame came within 2000 ms"},
                                                        {"fault future", "after it came"},
                                                        // Aravis discards decreasing numbers.
                                                        {"fault back", "no frame came within 2000 ms"},
                                                        {"fault twice", "no frame came within 2000 ms"},
                                                        {"fault skip", "no frame came within 2000 ms"}};
  for (const auto& [fault, words] : faults) {
    order(fault);
    trigger();
    expect_invalid(words);
    const std::string name = fault;
    if (name == "fault back" || name == "fault twice" || name == "fault skip") {  // the next frame reports it
      trigger();
      expect_invalid("were lost");
    }
    expect_recovery(fault);
  }
  EXPECT_TRUE(cell.daemon().says("arrived before the trigger")) << "the old one";
}

// The frame of a trigger that timed out, by its timestamp, arrives while the next board waits: it must not decide that
// board.
TEST_F(ScenarioGenicam, ALateFrameIsNotTheNextBoardsVerdict) {
  plug_in();
  start("bus", "external");
  arm();
  trigger();
  expect_invalid("no frame came within 2000 ms");
  trigger();
  order("fault old");
  order("trigger");
  expect_invalid("no frame came within 2000 ms");
  EXPECT_TRUE(cell.daemon().says("arrived before the trigger"));
  trigger();
  order("board missing=B1");
  order("trigger");
  expect_decision("FAIL");
}

TEST_F(ScenarioGenicam, AFrameSentTwiceIsNoSecondBoard) {
  plug_in();
  start("on_frame", "external");
  arm();
  order("trigger");
  expect_decision("PASS");
  order("fault twice");
  order("trigger");
  order("board missing=B1");
  // a busy machine may lose datagrams, and a block with them
  const Deadline deadline = timeout();
  while (cell.results().size() < 2 && std::chrono::steady_clock::now() < deadline) order("trigger");
  const auto results = cell.results();
  ASSERT_GE(results.size(), 2u);
  EXPECT_NE(results[1]["decision"], "PASS") << "one was lost, or it is the next one's own";
}

TEST_F(ScenarioGenicam, AFrameOfBeforeArmingIsNoBoardAndTakesNoSerialNumber) {
  plug_in();
  start("on_frame", "external");
  order("trigger");
  ASSERT_TRUE(links_say("1 waiting")) << host->ask("DIAG:LINK?");
  ASSERT_EQ(host->command("*CLS;CONF:UNIT 'SN-7';:INIT"), "0,\"No error\"");
  order("board missing=B1");
  order("trigger");
  expect_decision("FAIL");
  EXPECT_EQ(last()["unit_id"], "SN-7");
  EXPECT_EQ(cell.results().size(), 1u);
}

// Each frame gives its true verdict, or INVALID.
TEST_F(ScenarioGenicam, ACameraThatDoesItsWorstMakesNoWrongVerdict) {
  plug_in();
  start("bus", "software");
  arm();
  std::mt19937 random(1);
  const char* const faults[] = {"", "", "fault incomplete", "fault headless", "fault future"};
  for (int i = 0; i < 12; ++i) {
    const bool good = random() % 2 == 0;
    const std::string fault = faults[random() % std::size(faults)];
    order(good ? "board good" : "board missing=B1");
    if (!fault.empty()) order(fault);
    trigger();
    EXPECT_EQ(host->result().decision, !fault.empty() ? "INVALID" : good ? "PASS" : "FAIL") << fault;
  }
  order("board good");
  for (const char* size : {"rows 30000", "rows 1"}) {
    order(size);
    trigger();
    EXPECT_EQ(host->result().decision, "INVALID") << size;
  }
  order("rows 200");
  ASSERT_TRUE(is_up());
  const Deadline deadline = timeout();
  do {  // the setup is read again before the measurement
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << last()["detail"];
    trigger();
  } while (host->result().decision == "INVALID");
  EXPECT_EQ(last()["decision"], "PASS");
}

TEST_F(ScenarioGenicam, ASetupThatChangesUnderWayIsInvalidAndMeasuredOnceItIsRight) {
  plug_in();
  start("bus", "software");
  arm();
  const std::tuple<const char*, const char*, const char*, const char*> changes[] = {
      {"unit Inch", "unit Millimeter", "Scan3dDistanceUnit was Millimeter, is Inch",
       "its resolution is 1270 x 1270 x 12.7 um, this cell's 50 x 50 x 0.5 um"},
      {"unit Pixel", "unit Millimeter", "Scan3dDistanceUnit was Millimeter, is Pixel",
       "Scan3dDistanceUnit is 'Pixel'"},
      {"scale 5", "scale 0.5", "Scan3dCoordinateScale was 0.0005, is 0.005",
       "its resolution is 50 x 50 x 5 um, this cell's 50 x 50 x 0.5 um"},
      {"mode CalibratedC", "mode RectifiedC", "Scan3dOutputMode was RectifiedC, is CalibratedC",
       "Scan3dOutputMode is 'CalibratedC'"}};
  for (const auto& [change, back, words, still] : changes) {
    order(change);
    ASSERT_TRUE(cell.daemon().says(words)) << "seen without a board";
    ASSERT_TRUE(is_up());
    trigger();
    expect_invalid(still);
    order(back);
    links_say("setup changed");
    expect_recovery(change);
  }
}

TEST_F(ScenarioGenicam, TheDoctorExaminesTheCellThatMeasures) {
  plug_in();
  start("bus", "software");
  const auto examined = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"datumctl", "doctor", "--config", "datumd.toml", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments, cell.path());
    const auto findings = nlohmann::json::parse(outcome.output);
    bool bad = false;
    for (const auto& f : findings) bad = bad || f["state"] == "BAD";
    EXPECT_EQ(outcome.status, bad ? 1 : 0) << outcome.output;
    return findings;
  };
  const auto found = [](const nlohmann::json& findings, const std::string& check) {
    for (const auto& f : findings)
      if (f["check"] == check) return f["state"].get<std::string>() + ": " + f["found"].get<std::string>();
    return std::string("not examined");
  };
  const auto own = examined({});
  EXPECT_THAT(found(own, "configuration"), HasSubstr("doubtful: "));
  EXPECT_THAT(found(own, "configuration"), HasSubstr("host.tcp.port: 0")) << "a test's port";
  EXPECT_EQ(found(own, "network"), "good: lo leads to " + address);
  EXPECT_THAT(found(own, "packet size"), HasSubstr("good: lo takes packets of"));
  EXPECT_THAT(found(own, "socket buffer"), HasSubstr("8388608 are wanted"));
  EXPECT_THAT(found(own, "folder"), HasSubstr("can be written to"));
  EXPECT_THAT(found(examined({"--service"}), "folder"), HasSubstr("BAD: ")) << "not below /var/lib/datumd";
  cell.write("datumd.toml", "schema = 1\n");
  EXPECT_THAT(found(examined({}), "configuration"), HasSubstr("BAD: "));
}

TEST_F(ScenarioGenicam, AMirroredFrameIsNoPass) {
  plug_in();
  start("bus", "software");
  arm();
  order("fault mirror");
  trigger();
  EXPECT_NE(host->result().decision, "PASS");
  expect_recovery("fault mirror");
}

TEST_F(ScenarioGenicam, AnotherFirmwareIsNotArmed) {
  plug_in({"--firmware", "2.0"});
  configure("bus", "address = \"" + address + "\"\ntrigger = \"software\"\nfirmware = \"1.0\"");
  cell.start();
  host = cell.connect();
  ASSERT_TRUE(cell.daemon().says("its firmware is '2.0', this cell measures with '1.0'"));
  EXPECT_THAT(host->command("*CLS;INIT"), HasSubstr("its firmware is '2.0'"));
  plug_in();
  ASSERT_TRUE(is_up());
  arm();
  trigger();
  expect_decision("PASS");
}

/// Whether the camera loses the trigger that finds it stopped, or answers it when it is started again.
TEST_F(ScenarioGenicam, AnAcquisitionThatEndedIsStartedAgain) {
  plug_in();
  configure("bus", "address = \"" + address + "\"\ntrigger = \"software\"\nmax_age_ms = 1000");
  cell.start();
  host = cell.connect();
  ASSERT_TRUE(is_up());
  arm();
  for (const bool keeps_triggers : {false, true}) {
    if (keeps_triggers) order("keep triggers");
    order("stop");
    trigger();
    expect_invalid("no frame came within 1000 ms of TriggerSoftware");
    expect_recovery("acquisition ended");
  }
}

TEST_F(ScenarioGenicam, ACameraThatHangsIsLostInTimeAndComesBack) {
  plug_in();
  start("bus", "software");
  arm();
  device->signal(SIGSTOP);
  trigger();
  expect_invalid("no answer to");
  device->signal(SIGCONT);
  expect_recovery("camera hangs");
}

TEST_F(ScenarioGenicam, ComesBackAfterAPowerCycleWithOtherSettingsToo) {
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
  expect_recovery("power cycle");
  order("restart coarse");
  ASSERT_TRUE(cell.daemon().says("the connection was lost", 2));
  ASSERT_TRUE(is_up());
  trigger();
  expect_invalid("its resolution is 100 x 100 x 0.5 um");
}

}  // namespace
}  // namespace datum::scenario

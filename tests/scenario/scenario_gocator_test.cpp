// The real daemon with virtual-gocator: boards are measured over the network, faults end in INVALID with their reason,
// and the cell recovers by itself.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"
#include "tests/scenario/scenario_network_sensor.h"

namespace datum::scenario {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no '" + from + "'");
  return text.replace(at, from.size(), to);
}

class ScenarioGocator : public ::testing::Test {
 protected:
  ScenarioGocator() : cell(CellOptions{}) {
    cell.write("sensor.toml", network_sensor::profile);
    cell.write("twin.toml", network_sensor::twin);
    // Off centre: a mirrored frame shows bare board there.
    cell.write("recipes/box.toml", replaced(replaced(Cell::recipe_text(), "\"S-1\"", "\"67890\""),
                                            "centre_mm = [5.0, 5.0]", "centre_mm = [3.5, 5.0]"));
  }

  void plug_in(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"virtual-gocator", "--recipe",  "recipes/box.toml",
                                       "--twin",          "twin.toml", "--control",
                                       "orders",          "--ports",   ports};
    arguments.insert(arguments.end(), more.begin(), more.end());
    gocator.reset();
    gocator =
        std::make_unique<Program>(arguments, cell.path(), "gocator." + std::to_string(++plugged) + ".log");
    ASSERT_TRUE(gocator->says("serves 127.0.0.1")) << gocator->output();
    const std::string said = gocator->output(), before = "serves 127.0.0.1 ";
    const auto at = said.find(before) + before.size();
    ports = said.substr(at, said.find('\n', at) - at);
    orders = 0;
  }
  void start(const std::string& trigger, const std::string& sensor_trigger, const std::string& more = "",
             const std::string& job = "board.job") {
    const auto port = fields(ports);
    cell.write(
        "datumd.toml",
        "schema = 1\ncell = \"scenario\"\n[sensor]\nprofile = \"sensor.toml\"\nkind = \"gocator\"\n"
        "[sensor.gocator]\naddress = \"127.0.0.1\"\ncontrol_port = " +
            port.at(0) + "\nhealth_port = " + port.at(1) + "\ndata_port = " + port.at(2) + "\njob = \"" +
            job + "\"\nresolution_um = [50.0, 50.0, 0.5]\ntrigger = \"" + sensor_trigger +
            "\"\nwatch_ms = 200\nstall_ms = 300\nanswer_ms = 1000\narchive_folder = \"frames\"\n"
            "[inspection]\nrecipes_folder = \"recipes\"\nrecipe = \"box\"\nframe_timeout_ms = 2000\ntrigger "
            "= \"" +
            trigger +
            "\"\n[results]\nstore_file = \"results.db\"\n[backend]\nthreads = 1\n[host.tcp]\nport = "
            "0\npush_results = true\n" +
            more);
    cell.start();
    host = cell.connect();
    ASSERT_TRUE(sensor_is_up()) << cell.daemon().output();
  }
  void arm() { ASSERT_EQ(host->command("INIT"), "0,\"No error\""); }

  bool sensor_is_up() {
    const Deadline deadline = timeout();
    while (host->ask("DIAG:LINK?").find("running, protocol 101.11, job") == std::string::npos)
      if (std::chrono::steady_clock::now() > deadline) return false;
    return true;
  }
  void order(const std::string& line) {
    std::ofstream(cell.path() / "orders") << line << std::endl;
    ASSERT_TRUE(gocator->says("done: ", ++orders)) << line << ": " << gocator->output();
  }
  nlohmann::json last() { return cell.results().back(); }

  void expect_decision(const char* decision) {
    const auto line = host->result();
    EXPECT_EQ(line.decision, decision) << last()["detail"];
  }
  void expect_invalid(const std::string& words) {
    const auto line = host->result();
    EXPECT_EQ(line.decision, "INVALID");
    const auto board = last();
    EXPECT_EQ(board["sequence"], line.sequence);
    EXPECT_EQ(board["reason"], "FRAME");
    EXPECT_THAT(board["detail"].get<std::string>(), HasSubstr(words));
  }
  void trigger() { ASSERT_EQ(host->command("*CLS;TRIG"), "0,\"No error\""); }
  /// A good board is measured again without intervention; prints the recovery time.
  void expect_recovery(const std::string& fault) {
    using namespace std::chrono;
    const auto from = steady_clock::now();
    ASSERT_TRUE(sensor_is_up());
    trigger();
    expect_decision("PASS");
    std::printf("gocator, %-28s a good board is measured %5lld ms after the result before\n", fault.c_str(),
                static_cast<long long>(duration_cast<milliseconds>(steady_clock::now() - from).count()));
  }

  Cell cell;
  std::string ports = "0,0,0";
  std::unique_ptr<Program> gocator;
  std::unique_ptr<Host> host;
  int plugged = 0, orders = 0;
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
  gocator->signal(SIGKILL);
  gocator->wait();
  ASSERT_TRUE(cell.daemon().says("the connection was lost"));
  trigger();
  expect_invalid("not connected");
  plug_in();
  ASSERT_TRUE(sensor_is_up());
  expect_recovery("power cycle");
  order("restart coarse");
  ASSERT_TRUE(cell.daemon().says("the connection was lost", 2));
  ASSERT_TRUE(sensor_is_up());
  trigger();
  expect_invalid("its resolution is 100 x 100 x 0.5 um");
}

}  // namespace
}  // namespace datum::scenario

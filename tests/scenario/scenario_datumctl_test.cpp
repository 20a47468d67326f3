// datumctl with the real daemon: commands of an operator, their output and exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

CellOptions on_the_bus() {
  CellOptions o;
  o.trigger = "bus";
  o.arm_at_start = o.push_results = false;
  return o;
}

struct ScenarioDatumctl : ::testing::Test {
  explicit ScenarioDatumctl(const CellOptions& options = on_the_bus()) : cell(options) { cell.start(); }

  std::vector<std::string> to_cell(std::vector<std::string> words) const {
    words.insert(words.begin(), "datumctl");
    words.insert(words.end(), {"--tcp", "127.0.0.1:" + std::to_string(cell.tcp_port())});
    return words;
  }
  Outcome ctl(std::vector<std::string> words) const { return run(to_cell(std::move(words)), cell.path()); }
  Json json(std::vector<std::string> words) const {
    words.push_back("--json");
    return Json::parse(ctl(std::move(words)).output);
  }
  void await_state(const std::string& state, const Program& meanwhile) const {
    const auto host = cell.connect();
    while (host->ask("SYST:STAT?").rfind(state, 0) != 0)
      ASSERT_FALSE(meanwhile.has_ended()) << meanwhile.output();
  }
  /// Measures a board by `trigger --wait`.
  Outcome measure(const std::string& name, double height_um) {
    Program trigger(to_cell({"trigger", "--wait", "--unit", "SN 1"}), cell.path(), name + ".log");
    await_state("WAITING", trigger);
    cell.deliver(name, frame_of_box(height_um, ++seed));
    const int status = trigger.wait();
    return {status, trigger.output()};
  }

  Cell cell;
  std::uint32_t seed = 100;
};

TEST_F(ScenarioDatumctl, TakesABoardFromTheRecipeToItsVerdict) {
  EXPECT_EQ(json({"recipes"}), Json::parse(R"([{"name": "box", "chosen": true}])"));
  const Outcome unknown = ctl({"choose", "no-such"});
  EXPECT_EQ(unknown.status, 8);
  EXPECT_THAT(unknown.output, HasSubstr("refused: -256"));
  EXPECT_EQ(json({"arm"})["state"], "ARMED") << "what was chosen before stays";
  EXPECT_EQ(ctl({"choose", "no-such"}).status, 8);
  EXPECT_EQ(ctl({"choose", "box", "--sha256", "0123"}).status, 8);
  EXPECT_EQ(json({"status"})["state"], "ARMED") << "a refused command changes nothing";
  EXPECT_EQ(json({"choose", "box"})["recipe"]["name"], "box");
  EXPECT_EQ(json({"arm"})["state"], "ARMED");

  const Outcome good = measure("good", good_height_um);
  EXPECT_EQ(good.status, 0) << good.output;
  EXPECT_THAT(good.output, HasSubstr("SN 1"));
  EXPECT_THAT(good.output, HasSubstr("B1"));
  EXPECT_EQ(measure("bad", bad_height_um).status, 1);

  const Json status = json({"status"});
  EXPECT_EQ(status["state"], "ARMED");
  EXPECT_EQ(status["recipe"]["name"], "box");
  EXPECT_EQ(status["results"]["count"], 2);
  EXPECT_EQ(status["results"]["newest"]["decision"], "FAIL");
  EXPECT_EQ(status["self_test"]["passed"], true);
  EXPECT_EQ(status["control"], "NONE");
  const Outcome table = ctl({"status"});
  EXPECT_EQ(table.status, 0);
  EXPECT_THAT(table.output, HasSubstr("2 stored; newest 2: FAIL"));
  EXPECT_EQ(json({"abort"})["state"], "IDLE");
}

TEST_F(ScenarioDatumctl, NeverTakesAnEarlierResultForAnAbortedOne) {
  ctl({"arm"});
  const Outcome good = measure("good", good_height_um);
  ASSERT_EQ(good.status, 0) << good.output;
  Program trigger(to_cell({"trigger", "--wait"}), cell.path(), "aborted.log");
  await_state("WAITING", trigger);
  EXPECT_EQ(ctl({"abort"}).status, 0);
  EXPECT_EQ(trigger.wait(), 8) << trigger.output();
  EXPECT_THAT(trigger.output(), HasSubstr("no result was stored"));
}

TEST_F(ScenarioDatumctl, GivesResultsOverTheLinkAsFromTheStore) {
  ctl({"arm"});
  measure("good", good_height_um);
  measure("bad", bad_height_um);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"results"},
                                                {"results", "--json", "--decision", "FAIL"},
                                                {"show", "2"},
                                                {"show", "1", "--json"}}) {
    std::vector<std::string> local = words;
    local.insert(local.begin(), "datumctl");
    local.insert(local.end(), {"--store", "results.db"});
    const Outcome from_store = run(local, cell.path()), over_link = ctl(words);
    EXPECT_EQ(over_link.output, from_store.output) << words[0];
    EXPECT_EQ(over_link.status, from_store.status) << words[0];
  }
  EXPECT_EQ(ctl({"show", "3"}).status, 6);
  EXPECT_EQ(ctl({"show", "1", "--store", "results.db"}).status, 4) << "which of the two?";
}

TEST_F(ScenarioDatumctl, ShowsWhereABoardsTimeWent) {
  ctl({"arm"});
  measure("first", good_height_um);
  measure("second", good_height_um + 1);  // behind it the times of the first are kept
  const std::vector<std::string> show{"datumctl", "show", "1", "--times", "--store", "results.db"};
  const Outcome shown = run(show, cell.path());
  EXPECT_EQ(shown.status, 0) << shown.output;
  for (const char* step : {"notice", "read", "plan", "heights", "decide", "store", "announce", "total"})
    EXPECT_THAT(shown.output, HasSubstr(step));
  EXPECT_EQ(run({"datumctl", "show", "9", "--times", "--store", "results.db"}, cell.path()).status, 6);
  EXPECT_EQ(ctl({"show", "1", "--times"}).status, 4) << "the line to the daemon has no times";
}

TEST_F(ScenarioDatumctl, SaysWhatItsDevicesSay) {
  EXPECT_EQ(ctl({"temperature"}).status, 8) << "nobody told it";
  EXPECT_EQ(json({"temperature", "20.5"})["temperature_degc"], 20.5);
  EXPECT_THAT(ctl({"position"}).output, HasSubstr("-241")) << "no CMM is configured";
  EXPECT_GE(json({"links"}).size(), 2u);
  EXPECT_EQ(ctl({"selftest"}).output, "passed\n");
  EXPECT_EQ(json({"unit", "SN7"})["unit"], "SN7");
}

TEST_F(ScenarioDatumctl, HoldsControlUntilItEnds) {
  Program holder(to_cell({"control", "take", "--hold"}), cell.path(), "holder.log");
  ASSERT_TRUE(holder.says("until Ctrl-C")) << holder.output();
  EXPECT_THAT(ctl({"arm"}).output, HasSubstr("-203"));
  EXPECT_EQ(ctl({"control", "take"}).status, 8);
  EXPECT_EQ(ctl({"abort"}).status, 0) << "a stop is never refused";
  holder.signal(SIGINT);
  EXPECT_EQ(holder.wait(), 0);
  const auto host = cell.connect();
  while (host->ask("SYST:LOCK:OWN?") != "\"NONE\"") ASSERT_FALSE(cell.daemon().has_ended());
  EXPECT_EQ(json({"control", "owner"})["owner"], "NONE");
  EXPECT_EQ(ctl({"arm"}).status, 0);
}

TEST_F(ScenarioDatumctl, ShowsTheProtocolAndCompletesIt) {
  const Json headers = json({"help"});
  EXPECT_GT(headers.size(), 40u);
  EXPECT_THAT(ctl({"help", "conf:rec"}).output, HasSubstr("choose a recipe"));
  EXPECT_EQ(ctl({"help", "BREW"}).status, 8);
  EXPECT_EQ(json({"send", "DIAG:ECHO? 'a'"})["answers"][0], "\"a\"");
  const std::string here = "--tcp 127.0.0.1:" + std::to_string(cell.tcp_port());
  const auto words = [&](const std::string& typed) {
    return run({"datumctl", "completion", "words", typed}, cell.path()).output;
  };
  EXPECT_EQ(words("datumctl choose " + here + " b"), "box\n");
  EXPECT_THAT(words("datumctl help " + here + " CONFigure:REC"), HasSubstr("CONFigure:RECipe\n"));
  EXPECT_EQ(words("datumctl choose --tcp 127.0.0.1:1 b"), "") << "nobody there";
}

/// The events of one kind that `watch --json` has written.
std::vector<Json> events_of(const Program& watch, const std::string& kind) {
  std::vector<Json> found;
  std::istringstream lines(watch.output());
  for (std::string line; std::getline(lines, line);) {
    const Json event = Json::parse(line);
    if (event["event"] == kind) found.push_back(event);
  }
  return found;
}

// A power cut between two boards on a persistent serial line: the second board is measured before watch reconnects.
TEST(ScenarioDatumctlWatch, MissesNoResultWhenTheDaemonIsKilled) {
  CellOptions o;
  o.more = "[host.serial]\npath = \"FOLDER/host\"\nbaud = 115200\n";
  Cell cell(o);
  Program wire({"/usr/bin/socat", "-d", "-d", "PTY,raw,echo=0,link=host", "PTY,raw,echo=0,link=watch"},
               cell.path(), "wire.log");
  ASSERT_TRUE(wire.says("PTY is /dev/pts/", 2));
  ASSERT_TRUE(cell.start().says("8N1: open"));
  Program watch({"datumctl", "watch", "--json", "--after", "0", "--serial", (cell.path() / "watch").string()},
                cell.path(), "watch.log");
  ASSERT_TRUE(watch.says("\"event\":\"store\"")) << watch.output();
  cell.deliver("f1", frame_of_box(good_height_um, 1));
  ASSERT_TRUE(watch.says("\"sequence\":1,")) << watch.output();
  cell.daemon().signal(SIGKILL);
  cell.daemon().wait();
  cell.deliver("f2", frame_of_box(bad_height_um, 2));
  cell.start();
  ASSERT_TRUE(watch.says("\"sequence\":2,")) << watch.output();
  watch.signal(SIGINT);
  EXPECT_EQ(watch.wait(), 0);
  const auto results = events_of(watch, "result");
  ASSERT_EQ(results.size(), 2u) << watch.output();
  EXPECT_EQ(results[0]["decision"], "PASS");
  EXPECT_EQ(results[1]["decision"], "FAIL");
  EXPECT_EQ(results[1]["components"]["fail"], 1);
}

TEST(ScenarioDatumctlWatch, TakesATerminalOverAndGivesItBack) {
  Cell cell;
  cell.start();
  const std::string call =
      std::string(DATUM_BIN) + "/datumctl watch --count 1 --tcp 127.0.0.1:" + std::to_string(cell.tcp_port());
  Program terminal({"/usr/bin/script", "-q", "-e", "-c", call, "typescript"}, cell.path(), "terminal.log");
  ASSERT_TRUE(terminal.says("ARMED")) << terminal.output();
  cell.deliver("f1", frame_of_box(good_height_um, 1));
  EXPECT_EQ(terminal.wait(), 0);
  const std::string shown = terminal.output();
  EXPECT_THAT(shown, HasSubstr("\x1b[?1049h\x1b[?25l"));
  EXPECT_THAT(shown, HasSubstr("PASS"));
  EXPECT_THAT(shown, HasSubstr("\x1b[?25h\x1b[?1049l1 results seen")) << "what was on the screen is back";
}

}  // namespace
}  // namespace datum::scenario

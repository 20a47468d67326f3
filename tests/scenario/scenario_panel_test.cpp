// A panel of 4 x 6 boards through the real daemon: bad boards, a missing part, a turned board, and who is told what.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const fs::path sources = DATUM_SOURCE_DIR;

constexpr const char* panel_cell = R"(schema = 1
cell = "panel"
[sensor]
profile = "virtual.toml"
drop_folder = "drop"
[inspection]
recipes_folder = "recipes"
recipe = "demo-panel"
trigger = "on_frame"
arm_at_start = true
[results]
store_file = "results.db"
pictures_folder = "pictures"
[backend]
threads = 1
[host.tcp]
port = 0
push_results = true
)";

class ScenarioPanel : public ::testing::Test {
 protected:
  void SetUp() override {
    cell.write("datumd.toml", panel_cell);
    cell.write("virtual.toml", slurp(sources / "config/sensors/virtual.toml"));
    fs::remove(cell.path() / "recipes/box.toml");
    cell.write("recipes/demo-panel.toml", slurp(sources / "config/recipes/demo-panel.toml"));
    fs::create_directories(cell.path() / "pictures");
  }

  /// Renders a panel with these defects and delivers it with what `panel` states of its boards.
  void deliver(const std::string& defects, const json& panel = nullptr) {
    const fs::path staged = cell.path() / fmt::format("staged{}", ++frames_);
    fs::create_directories(staged);
    const Outcome rendered =
        run({"virtual-sensor", "--recipe", cell.path() / "recipes/demo-panel.toml", "--twin",
             sources / "config/twins/demo.toml", "--drop", staged, "--seed", std::to_string(100 + frames_),
             "--frame-id", std::to_string(frames_), "--board", defects},
            cell.path());
    ASSERT_EQ(rendered.status, 0) << rendered.output;
    std::vector<fs::path> sidecars;
    for (const auto& entry : fs::directory_iterator(staged)) {
      if (entry.path().extension() == ".json")
        sidecars.push_back(entry.path());
      else
        fs::rename(entry.path(), cell.drop() / entry.path().filename());
    }
    ASSERT_EQ(sidecars.size(), 1u);
    json sidecar = json::parse(slurp(sidecars[0]));
    if (!panel.is_null()) sidecar["panel"] = panel;
    std::ofstream(staged / "sidecar") << sidecar.dump(2);
    fs::rename(staged / "sidecar", cell.drop() / sidecars[0].filename());  // last: it announces the frame
  }

  json stored(int sequence) {
    return json::parse(datumctl({"show", std::to_string(sequence), "--json"}).output);
  }
  Outcome datumctl(std::vector<std::string> words) {
    words.insert(words.begin(), "datumctl");
    words.insert(words.end(), {"--store", cell.path() / "results.db"});
    return run(words, cell.path());
  }

  Cell cell;

 private:
  int frames_ = 0;
};

std::map<std::string, std::string> verdicts_of(const json& verdict) {
  std::map<std::string, std::string> words;
  for (const json& board : verdict["boards"]) words[board["name"]] = board.value("decision", "SKIPPED");
  return words;
}

constexpr const char* two_bad_marks = "marked=2-3,bare=2-3,marked=6-1,missing=C1@6-1,missing=C2@3-2";

TEST_F(ScenarioPanel, TellsOfEachBoard) {
  cell.start();
  const auto host = cell.connect();
  ASSERT_EQ(host->ask("DATA:PUSH?"), "1");
  json serials = json::array();
  for (int i = 1; i <= 24; ++i) serials.push_back(fmt::format("SN-{:02}", i));
  deliver(two_bad_marks, {{"serials", serials}});
  EXPECT_EQ(host->result().decision, "FAIL");

  const json verdict = stored(1);
  ASSERT_EQ(verdict["boards"].size(), 24u);
  for (const auto& [name, word] : verdicts_of(verdict))
    EXPECT_EQ(word, name == "3-2" ? "FAIL" : name == "2-3" || name == "6-1" ? "SKIPPED" : "PASS") << name;
  EXPECT_EQ(verdict["boards"][8]["name"], "3-2");
  EXPECT_EQ(verdict["boards"][8]["unit_id"], "SN-09");
  EXPECT_EQ(verdict["boards"][8]["stages"][0]["name"], "registration");
  EXPECT_EQ(verdict["components"].size(), 24u * 6);

  EXPECT_THAT(host->ask("FETC:PAN?"),
              StartsWith("1,FAIL,24,21,0,1,0,2,\"1-1\",\"SN-01\",PASS,\"2-1\",\"SN-02\",PASS"));
  EXPECT_THAT(host->ask("FETC:PAN:BOAR? \"3-2\""),
              StartsWith("1,\"3-2\",\"SN-09\",FAIL,NONE,5,0,1,0,\"C2@3-2 missing: 0 % of its place"));
  EXPECT_THAT(host->ask("FETC:PAN:BOAR? \"6-1\",1"),
              StartsWith("1,\"6-1\",\"SN-06\",SKIPPED,SKIPPED,0,0,0,0,\"its bad"));
  EXPECT_THAT(host->command("FETC:PAN:BOAR? \"7-1\""), HasSubstr("no board '7-1'; 1-1 to 6-4"));
  EXPECT_THAT(host->ask("FETC:BOAR?"), HasSubstr(",131,0,1,0,\""))
      << "components without those of bad boards";

  const std::string shown = datumctl({"show", "1"}).output;
  EXPECT_THAT(shown, HasSubstr("24 boards: 21 PASS, 1 FAIL (3-2), 2 SKIPPED (6-1 2-3); 3-2: C2@3-2 missing"));
  EXPECT_THAT(shown, HasSubstr("SN-09"));
  const std::string rows = datumctl({"export", "--rows", "components"}).output;
  EXPECT_THAT(rows, HasSubstr(",3-2,SN-09,FAIL,missing,"));
  EXPECT_THAT(rows, HasSubstr(",2-3,SN-14,SKIPPED,,\r\n"));
  EXPECT_THAT(datumctl({"export", "--rows", "boards"}).output, HasSubstr(",21,0,1,0,2\r\n"));

  EXPECT_THAT(datumctl({"results", "--board", "SN-09"}).output, HasSubstr("demo-panel"));
  EXPECT_THAT(datumctl({"results", "--board", "SN-0"}).output, HasSubstr("no stored result matches"));

  const Outcome again =
      run({"datumctl", "verify", "results", "--frames", "--config", "datumd.toml"}, cell.path());
  EXPECT_THAT(again.output, HasSubstr("1 measured the same")) << again.output;
}

std::string numbered(int count, const std::string& prefix = "SN") {
  std::string list;
  for (int i = 1; i <= count; ++i) list += fmt::format("{}\"{}-{:02}\"", i == 1 ? "" : ",", prefix, i);
  return list;
}

TEST_F(ScenarioPanel, AHostsSerialNumbersAreTheNextPanels) {
  cell.start();
  const auto host = cell.connect();
  EXPECT_THAT(
      host->command("CONF:UNIT:BOAR " + numbered(23)),
      HasSubstr("-224,\"Illegal parameter value;23 serial numbers are stated of a panel of 24 boards"));
  EXPECT_THAT(host->command("CONF:UNIT:BOAR " + numbered(23) + ",\"SN-01\""),
              HasSubstr("the boards 1-1 and 6-4 have the same serial number SN-01"));
  EXPECT_EQ(host->ask("CONF:UNIT:BOAR?"), "\"\"") << "nothing of a refused list stays";
  std::vector<std::string> words{"datumctl", "boards"};
  for (int i = 1; i <= 24; ++i) words.push_back(fmt::format("SN-{:02}", i));
  words.insert(words.end(), {"--tcp", fmt::format("127.0.0.1:{}", cell.tcp_port())});
  const Outcome stated = run(words, cell.path());
  EXPECT_EQ(stated.status, 0) << stated.output;
  EXPECT_EQ(host->ask("CONF:UNIT:BOAR?"), numbered(24));
  deliver("missing=C2@3-2");
  EXPECT_EQ(host->result().decision, "FAIL");
  EXPECT_THAT(host->ask("FETC:PAN?"), StartsWith("1,FAIL,24,23,0,1,0,0,\"1-1\",\"SN-01\",PASS,"));
  EXPECT_THAT(datumctl({"export", "--rows", "components"}).output, HasSubstr(",3-2,SN-09,FAIL,missing,"));
  EXPECT_THAT(datumctl({"results", "--board", "SN-09"}).output, HasSubstr("demo-panel"));
  EXPECT_EQ(host->ask("CONF:UNIT:BOAR?"), "\"\"") << "that panel's alone";

  EXPECT_THAT(host->command("CONF:UNIT:BOAR " + numbered(24)), HasSubstr("0,"));
  json other = json::array();
  for (int i = 1; i <= 24; ++i) other.push_back(fmt::format("SN-{:02}", i == 9 ? 90 : i));
  deliver("good", {{"serials", other}});
  EXPECT_EQ(host->result().decision, "INVALID");
  EXPECT_EQ(stored(2)["reason"], "SERIAL");
  EXPECT_THAT(stored(2)["detail"],
              HasSubstr("board 9 of the panel is 'SN-09' by the host and 'SN-90' by the"));

  const Outcome again =
      run({"datumctl", "verify", "results", "--frames", "--config", "datumd.toml"}, cell.path());
  EXPECT_THAT(again.output, HasSubstr("1 measured the same")) << again.output;
}

TEST_F(ScenarioPanel, ABoardWithoutItsNumberIsInvalidAloneAndMeasuredTheSameAgain) {
  cell.write("recipes/demo-panel.toml",
             slurp(sources / "config/recipes/demo-panel.toml") + "\n[panel.serial]\nmissing = \"invalid\"\n");
  cell.start();
  const auto host = cell.connect();
  json serials = json::array();
  for (int i = 1; i <= 24; ++i) serials.push_back(i == 9 ? "" : fmt::format("SN-{:02}", i));
  deliver(two_bad_marks, {{"serials", serials}});
  EXPECT_EQ(host->result().decision, "INVALID");
  for (const auto& [name, word] : verdicts_of(stored(1)))
    EXPECT_EQ(word, name == "3-2" ? "INVALID" : name == "2-3" || name == "6-1" ? "SKIPPED" : "PASS") << name;
  EXPECT_EQ(stored(1)["boards"][8]["reason"], "SERIAL");
  const Outcome again =
      run({"datumctl", "verify", "results", "--frames", "--config", "datumd.toml"}, cell.path());
  EXPECT_THAT(again.output, HasSubstr("1 measured the same")) << again.output;
}

TEST_F(ScenarioPanel, ATurnedBoardAndATurnedPanelAreNamed) {
  cell.start();
  const auto host = cell.connect();
  deliver("turned=5-4");
  EXPECT_EQ(host->result().decision, "INVALID");
  for (const auto& [name, word] : verdicts_of(stored(1)))
    EXPECT_EQ(word, name == "5-4" ? "INVALID" : "PASS") << name;
  EXPECT_THAT(stored(1)["boards"][22]["detail"], HasSubstr("the board lies turned by 180 degrees"));
  std::string all;
  for (int row = 1; row <= 4; ++row)
    for (int column = 1; column <= 6; ++column)
      all += fmt::format("{}turned={}-{}", all.empty() ? "" : ",", column, row);
  deliver(all);
  EXPECT_EQ(host->result().decision, "INVALID");
  EXPECT_EQ(stored(2)["reason"], "ALIGNMENT");
  EXPECT_THAT(stored(2)["detail"], HasSubstr("every board of the panel lies turned by 180 degrees"));
}

TEST_F(ScenarioPanel, AMissingBoardIsNotTakenForItsNeighbour) {
  cell.start();
  const auto host = cell.connect();
  deliver("bare=3-2,moved=2-2:800");  // its neighbour lies towards it, within max_shift_mm
  EXPECT_EQ(host->result().decision, "INVALID");
  const json verdict = stored(1);
  EXPECT_EQ(verdicts_of(verdict)["3-2"], "INVALID");
  EXPECT_EQ(verdicts_of(verdict)["2-2"], "PASS");
  EXPECT_EQ(verdict["boards"][8]["reason"], "ALIGNMENT");
  EXPECT_NEAR(verdict["boards"][7]["stages"][0]["health"]["shift_x_um"].get<double>(), 800, 60);
}

TEST_F(ScenarioPanel, StatementsThatCannotBeRightMakeThePanelInvalid) {
  cell.start();
  const auto host = cell.connect();
  deliver("good", {{"bad", {"1-1", "9-9"}}});
  EXPECT_EQ(host->result().decision, "INVALID");
  EXPECT_EQ(stored(1)["reason"], "PANEL");
  EXPECT_THAT(stored(1)["detail"], HasSubstr("board '9-9' is stated as bad"));
  deliver("good", {{"bad", {"1-1"}}});
  EXPECT_EQ(host->result().decision, "PASS");
  EXPECT_EQ(verdicts_of(stored(2))["1-1"], "SKIPPED");
}

}  // namespace
}  // namespace datum::scenario

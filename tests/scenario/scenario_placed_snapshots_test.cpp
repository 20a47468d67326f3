// A board of 300 x 250 mm in twelve snapshots that lies beside its place, by the real programs: turned and shifted, the other way round,
// in hostile noise, with a snapshot missing, after a kill, and with snapshots of the next board among its own.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <sstream>

#include "tests/scenario/scenario_cell.h"
#include "tests/scenario/snapshot_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

const std::string good = "placed=1.5:-1.5:0.5";

std::string recipe() {
  std::string text = slurp(sources / "config/recipes/demo-snapshots.toml");
  const std::string unit = "one_board = \"unit\"";
  text.replace(text.find(unit), unit.size(), "one_board = \"time\"");
  return text + "\n[alignment]\nmax_shift_mm = 2.5\nmax_rotation_deg = 2.0\n";
}

std::vector<std::string> poses() {
  std::istringstream lines(recipe());
  std::vector<std::string> places;
  for (std::string line; std::getline(lines, line);) {
    double x = 0, y = 0, z = 0;
    if (std::sscanf(line.c_str(), "position_mm = [%lf, %lf, %lf]", &x, &y, &z) == 3)
      places.push_back(fmt::format("{:g} {:g} {:g}", x, y, z));
  }
  return places;
}

/// The demonstration's twin with a field of view of 112 mm: a board that lies 3 mm off has its corners in it.
std::string wide_twin() {
  std::string text = slurp(sources / "config/twins/snapshots.toml");
  for (const auto& [from, to] : {std::pair{"rows = 1300", "rows = 1400"},
                                 {"cols = 1300", "cols = 1400"},
                                 {"origin_mm = [-52.0, -52.0]", "origin_mm = [-56.0, -56.0]"}})
    text.replace(text.find(from), std::string(from).size(), to);
  return text;
}

/// The same with everything that its file lists as hostile.
std::string hostile_twin() {
  std::istringstream lines(wide_twin());
  std::string text;
  bool world = false;
  for (std::string line; std::getline(lines, line);) {
    world = (world || line == "#[noise.world]") && line.starts_with("#");
    text += (world ? line.substr(1) : line) + "\n";
  }
  return text;
}

class ScenarioPlacedSnapshots : public SnapshotCell {
 protected:
  void start(const std::vector<std::string>& boards, int snapshots, const std::string& twin,
             const std::string& text = recipe()) {
    ASSERT_EQ(places.size(), 12u);
    prepare(text, twin, places.front());
    start_sensor(boards, snapshots);
    begin();
  }
  /// Takes the snapshots from `first` on, less one (from 0), until the last or so many were triggered.
  void take(std::size_t first = 0, std::size_t left_out = 99, std::size_t last = 12) {
    for (std::size_t k = first; k < last; ++k) {
      if (k == left_out) continue;
      snapshot_at(places[k]);
      if (k + 1 < 12) {
        EXPECT_EQ(host->ask("*OPC?"), "1") << "nothing is pending while the stage moves";
      }
    }
  }
  double number(const json& verdict, const std::string& name) const {
    for (const json& stage : verdict["stages"])
      if (stage["name"] == "registration") return stage["health"].at(name).get<double>();
    throw std::runtime_error("no registration");
  }
  void expect_place(const json& verdict, double x_um, double y_um, double turn_mdeg) const {
    EXPECT_NEAR(number(verdict, "shift_x_um"), x_um, 3 * number(verdict, "u_shift_x_um"));
    EXPECT_NEAR(number(verdict, "shift_y_um"), y_um, 3 * number(verdict, "u_shift_y_um"));
    EXPECT_NEAR(number(verdict, "rotation_mdeg"), turn_mdeg, 3 * number(verdict, "u_rotation_mdeg"));
    EXPECT_EQ(number(verdict, "snapshots_tested"), 12);
  }
  /// Every stored result, measured again from its frames.
  void expect_verified(int results) {
    const Outcome again =
        run({"datumctl", "verify", "results", "--frames", "--config", "datumd.toml"}, cell.path());
    EXPECT_THAT(again.output, HasSubstr(fmt::format("{} measured the same", results)));
  }

  const std::vector<std::string> places = poses();
  const std::string calm = wide_twin();
};

TEST_F(ScenarioPlacedSnapshots, ABoardThatLiesTurnedIsMeasuredAndOneTheOtherWayRoundIsNot) {
  start({good, "placed=0:0:180"}, 12, calm);
  take();
  EXPECT_EQ(host->result().decision, "PASS");
  const json placed = cell.results().at(0);
  expect_true_heights(placed, truth_of(cell.path(), 1));
  expect_place(placed, 1500, -1500, 500);
  take();
  EXPECT_EQ(host->result().decision, "INVALID");
  const json turned = cell.results().at(1);
  EXPECT_EQ(turned["reason"], "ALIGNMENT");
  EXPECT_THAT(turned["detail"].get<std::string>(), HasSubstr("the board lies turned by 180 degrees"));
  for (const json& c : turned["components"]) EXPECT_EQ(c["decision"], "INVALID") << c["reference"];
  expect_verified(2);
}

TEST_F(ScenarioPlacedSnapshots, InHostileNoiseNothingIsMeasuredWrongly) {
  start({good}, 12, hostile_twin());
  take();
  EXPECT_NE(host->result().decision, "FAIL");
  const json verdict = cell.results().at(0);
  EXPECT_EQ(verdict["reason"], "NONE") << verdict["detail"];
  expect_place(verdict, 1500, -1500, 500);
  EXPECT_GE(expect_true_heights(verdict, truth_of(cell.path(), 1), true), 45) << "the rest is INVALID";
  expect_verified(1);
}

TEST_F(ScenarioPlacedSnapshots, AMissingSnapshotLeavesTheRestInItsPlaceAndAKillJoinsNothing) {
  start({good, good}, 11, calm);
  take(0, 5);
  EXPECT_EQ(host->result().decision, "INVALID");
  const json verdict = cell.results().at(0);
  EXPECT_EQ(verdict["reason"], "NONE") << verdict["detail"];
  EXPECT_NEAR(number(verdict, "rotation_mdeg"), 500, 3 * number(verdict, "u_rotation_mdeg"));
  int missing = 0;
  for (const json& c : verdict["components"]) {
    if (c["decision"] == "PASS" || c["reference"] == "BOARD") continue;
    ++missing;
    EXPECT_EQ(c["checks"][0]["reason"], "SNAPSHOTS") << c["reference"];
  }
  EXPECT_GE(missing, 1);
  EXPECT_LE(missing, 12);
  // Killed behind the fourth snapshot of the next board: those are nobody's.
  take(0, 99, 4);
  cell.daemon().signal(SIGKILL);
  EXPECT_EQ(cell.daemon().wait(), -SIGKILL);
  begin();
  take(5);
  EXPECT_EQ(host->result().decision, "INVALID");
  const json rest = cell.results().at(1);
  EXPECT_EQ(rest["reason"], "NONE") << rest["detail"];
  for (std::size_t k = 0; k < 12; ++k) EXPECT_EQ(rest["snapshots"][k].contains("missing"), k < 5) << k;
  expect_verified(2);
}

/// The host skips the last triggers of one board and the first ones of the next, within timeout_ms: the order of poses is kept, and
/// one_board = "time" proves nothing then. The next board lies elsewhere in its fixture.
TEST_F(ScenarioPlacedSnapshots, SnapshotsOfTheNextBoardAreNamed) {
  start({"placed=0.3:-0.2:0.1", "placed=0.15:-0.1:0.05"}, 7, calm);
  take();
  EXPECT_EQ(host->result().decision, "INVALID");
  const json verdict = cell.results().at(0);
  EXPECT_EQ(verdict["reason"], "SNAPSHOTS") << verdict["detail"];
  EXPECT_THAT(verdict["detail"].get<std::string>(), HasSubstr("it shows another board"));
  for (const json& c : verdict["components"]) EXPECT_EQ(c["decision"], "INVALID") << c["reference"];
  expect_verified(1);
}

}  // namespace
}  // namespace datum::scenario

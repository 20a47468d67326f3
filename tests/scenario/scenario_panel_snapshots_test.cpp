// A panel of 150 x 80 mm that is larger than the field of view, by the real programs: 36 boards in two snapshots of a moved stage, in
// machine coordinates, with bad boards, a missing part, numbers by the host, and a snapshot left out.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/scenario/scenario_cell.h"
#include "tests/scenario/snapshot_cell.h"

namespace datum::scenario::panel_snapshots_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::filesystem::path tree = DATUM_SOURCE_DIR;
constexpr int boards = 36;
const std::vector<std::string> places{"19 11 35.1", "85.5 11.5 35.1"};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("the recipe has no " + from);
  return text.replace(at, from.size(), to);
}

/// The demonstration's panel with nine columns, where the demonstration's large board lies.
std::string recipe() {
  std::string text = slurp(tree / "config/recipes/demo-panel.toml");
  text = replaced(std::move(text), "name = \"demo-panel\"", "name = \"demo-snapshots\"");
  text =
      replaced(std::move(text), "coordinates = \"sensor\"", "coordinates = \"machine\"\nrotation_deg = 0.7");
  text = replaced(std::move(text), "origin_mm = [-50.0, -40.0, 0.0]", "origin_mm = [162.0, 89.0, 94.95]");
  text = replaced(std::move(text), "size_mm = [100.0, 80.0]", "size_mm = [150.0, 80.0]");
  text = replaced(std::move(text), "columns = 6", "columns = 9");
  text = replaced(std::move(text), "erode_px = 3", "erode_px = 2");
  text += "[snapshots]\ntimeout_ms = 60000\none_board = \"time\"\n";
  for (std::size_t k = 0; k < places.size(); ++k) {
    double x = 0, y = 0, z = 0;
    std::sscanf(places[k].c_str(), "%lf %lf %lf", &x, &y, &z);
    text += fmt::format(
        "[[snapshots.pose]]\nname = \"A{}\"\nposition_mm = [{:.1f}, {:.1f}, {:.1f}]\ntolerance_mm = 0.5\n",
        k + 1, x, y, z);
  }
  return text;
}

/// The twin of the large board without gross outliers: 64 pixels of a mark that has one are doubtful, and its board is INVALID.
std::string calm_twin() {
  std::string text = slurp(tree / "config/twins/snapshots.toml");
  text = replaced(std::move(text), "speckle_ratio = 0.004", "speckle_ratio = 0.0");
  return replaced(std::move(text), "outlier_ratio = 0.002", "outlier_ratio = 0.0");
}

std::string numbered() {
  std::string list;
  for (int i = 1; i <= boards; ++i) list += fmt::format("{}\"SN-{:02}\"", i > 1 ? "," : "", i);
  return list;
}

std::map<std::string, std::string> verdicts_of(const json& verdict) {
  std::map<std::string, std::string> words;
  for (const json& board : verdict["boards"]) words[board["name"]] = board.value("decision", "SKIPPED");
  return words;
}

class ScenarioPanelSnapshots : public SnapshotCell {
 protected:
  /// The snapshots of a panel, less one (from 0).
  void take(std::size_t left_out = places.size()) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (k == left_out) continue;
      snapshot_at(places[k]);
      if (k + 1 < places.size()) {
        EXPECT_EQ(host->ask("*OPC?"), "1") << "nothing is pending while the stage moves";
      }
    }
  }
};

TEST_F(ScenarioPanelSnapshots, APanelInTwoSnapshotsHasAVerdictForEachBoard) {
  prepare(recipe(), calm_twin(), places.front());
  start_sensor({"marked=2-3,bare=2-3,marked=8-3,missing=C1@8-3,missing=C2@3-2", "good"}, 2);
  begin();
  EXPECT_THAT(host->command("CONF:UNIT:BOAR " + numbered()), HasSubstr("0,"));
  take();
  EXPECT_EQ(host->result().decision, "FAIL");
  const json verdict = cell.results().at(0);
  ASSERT_EQ(verdict["snapshots"].size(), places.size());
  ASSERT_EQ(verdict["boards"].size(), std::size_t(boards)) << verdict["detail"];
  for (const auto& [name, word] : verdicts_of(verdict))
    EXPECT_EQ(word, name == "3-2"                    ? "FAIL"
                    : name == "2-3" || name == "8-3" ? "SKIPPED"
                                                     : "PASS")
        << name << verdict["boards"];
  EXPECT_EQ(verdict["boards"][11]["name"], "3-2");
  EXPECT_EQ(verdict["boards"][11]["unit_id"], "SN-12");
  EXPECT_EQ(verdict["boards"][11]["stages"][0]["name"], "registration");
  std::map<std::string, int> seen_in;
  for (const json& c : verdict["components"])
    if (c.contains("shown")) ++seen_in[c["shown"]["snapshot"]];
  EXPECT_EQ(seen_in.size(), places.size()) << "each snapshot shows some parts best";
  EXPECT_THAT(host->ask("FETC:PAN?"), StartsWith("1,FAIL,36,33,0,1,0,2,\"1-1\",\"SN-01\",PASS,"));

  // The second panel: its first snapshot is left out.
  take(0);
  EXPECT_EQ(host->result().decision, "INVALID");
  const json rest = cell.results().at(1);
  const auto words = verdicts_of(rest);
  EXPECT_EQ(words.at("1-1"), "INVALID");
  EXPECT_EQ(words.at("9-4"), "PASS");
  for (const json& c : rest["components"])
    if (c["decision"] == "INVALID" && c["checks"][0]["reason"] == "SNAPSHOTS") {
      EXPECT_THAT(c["checks"][0]["detail"].get<std::string>(), HasSubstr("(A1)")) << c["reference"];
    }
  const Outcome again =
      run({"datumctl", "verify", "results", "--frames", "--config", "datumd.toml"}, cell.path());
  EXPECT_THAT(again.output, HasSubstr("2 measured the same")) << again.output;
}

}  // namespace
}  // namespace datum::scenario::panel_snapshots_test

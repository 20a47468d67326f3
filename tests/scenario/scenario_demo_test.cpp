// The demonstration as run by a newcomer: three boards, three verdicts, three pictures.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;

nlohmann::json stored(const fs::path& folder, int sequence) {
  const Outcome shown =
      run({"datumctl", "show", std::to_string(sequence), "--json", "--store", "demo/results.db"}, folder);
  return nlohmann::json::parse(shown.output);
}

/// Decision of each component that did not pass.
std::map<std::string, std::string> not_passed(const nlohmann::json& verdict) {
  std::map<std::string, std::string> found;
  for (const auto& component : verdict["components"])
    if (component["decision"] != "PASS") found[component["reference"]] = component["decision"];
  return found;
}

const nlohmann::json& check_of(const nlohmann::json& verdict, const std::string& reference,
                               const std::string& what) {
  for (const auto& component : verdict["components"])
    for (const auto& check : component["checks"])
      if (component["reference"] == reference && check["characteristic"] == what) return check;
  throw std::runtime_error(reference + " has no " + what);
}

/// "U3 tilt FAIL" of a row of the PLC's table, without numbers, which vary with the CMM's noise.
std::string gist(const std::string& row) {
  std::istringstream in(row);
  std::string reference, what, word, verdict;
  in >> reference >> what;
  while (in >> word)
    if (word == "PASS" || word == "FAIL" || word == "INVALID" || word == "INCONCLUSIVE") verdict = word;
  return reference + " " + what + " " + verdict;
}

/// Rows of the demo's tables in the README.
std::vector<std::string> rows_in_readme() {
  std::ifstream in(DATUM_SOURCE_DIR "/README.md");
  std::vector<std::string> rows;
  bool in_demo = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("board demo-", 0) == 0) in_demo = true;
    if (line.rfind("```", 0) == 0) in_demo = false;
    const bool is_row = line.size() > 1 && std::isdigit(static_cast<unsigned char>(line[1]));
    if (in_demo && is_row) rows.push_back(gist(line));
  }
  return rows;
}

/// The demonstration's recipe with the board's form, patches of bare board at its edges, and fallback to its surface.
void write_warped_recipe(const fs::path& file) {
  std::string text = slurp(DATUM_SOURCE_DIR "/config/recipes/demo-board.toml");
  const std::string package = "[package.TQFP44]\n";
  text.insert(text.find(package) + package.size(), "fallback = \"warp\"\n");
  // U1 is 15 mm from the nearest floor; the twin's curvature is at most 0.2 um/mm^2
  text += R"(
[warp]
max_gap_mm = 16
max_curvature_um_per_mm2 = 0.2
[[warp.check]]
characteristic = "bow"
upper_percent = 0.75
[[warp.check]]
characteristic = "twist"
upper_percent = 0.75
[[warp.bare]]
centre_mm = [50, 1.5]
size_mm = [100, 3]
columns = 7
[[warp.bare]]
centre_mm = [50, 78.5]
size_mm = [100, 3]
columns = 7
[[warp.bare]]
centre_mm = [1.5, 40]
size_mm = [3, 50]
rows = 4
[[warp.bare]]
centre_mm = [98.5, 40]
size_mm = [3, 50]
rows = 4
)";
  std::ofstream(file) << text;
}

/// The third board's frame: a wire over U1's ring hides its floor, so the board's surface is the datum.
void expect_the_surface_to_stand_in(const fs::path& demo) {
  write_warped_recipe(demo / "recipes/warped.toml");
  fs::path frame;
  for (const auto& entry : fs::directory_iterator(demo / "drop/done"))
    for (const auto& file : fs::directory_iterator(entry.path()))
      if (entry.path().string().find("_000003_") != std::string::npos && file.path().extension() == ".json")
        frame = file.path();
  const std::vector<std::string> once{"datumd",
                                      "--once",
                                      frame,
                                      "--recipe",
                                      "recipes/warped.toml",
                                      "--sensor",
                                      "sensors/virtual.toml",
                                      "--calibration",
                                      "calibrations/demo.toml",
                                      "--position",
                                      "120.8,79.4,35.1",
                                      "--picture",
                                      "again.png",
                                      "--json"};
  const Outcome again = run(once, demo);
  ASSERT_EQ(again.status, 0) << again.output;
  const auto verdict = nlohmann::json::parse(again.output);
  const auto& height = check_of(verdict, "U1", "median");
  EXPECT_NE(height["detail"].get<std::string>().find("floor: warp model"), std::string::npos) << height;
  EXPECT_GT(height["budget_um"]["floor_warp_model"], 1);
  std::ifstream truths(demo / "truth.jsonl");
  std::string line;
  for (int board = 1; board <= 3; ++board) std::getline(truths, line);
  const double truth = nlohmann::json::parse(line)["components"][0]["height_um"];
  EXPECT_LE(std::abs(height["value_um"].get<double>() - truth), 2 * height["u_um"].get<double>());
  EXPECT_EQ(check_of(verdict, "BOARD", "bow")["decision"], "PASS");
  EXPECT_EQ(slurp(demo / "again-warp.png").substr(0, 8), "\x89PNG\r\n\x1a\n");
}

TEST(ScenarioDemo, ThreeBoardsThreeVerdicts) {
  if (::access("/usr/bin/socat", X_OK) != 0) GTEST_SKIP() << "the demo needs socat";
  const datum::testing::FreshFolder folder;
  const fs::path demo = folder.path() / "demo";
  const Outcome outcome = run({DATUM_SOURCE_DIR "/tests/scenario/demo.sh", DATUM_BIN, demo}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("board demo-good: PASS"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("board demo-defects: FAIL"), std::string::npos);
  EXPECT_NE(outcome.output.find("board demo-occluded: INVALID"), std::string::npos);

  std::set<std::string> printed;
  std::istringstream lines(outcome.output);
  for (std::string line; std::getline(lines, line);) printed.insert(gist(line));
  const auto shown = rows_in_readme();
  EXPECT_EQ(shown.size(), 4u);
  for (const std::string& row : shown) EXPECT_TRUE(printed.count(row)) << "the README shows: " << row;

  const auto good = stored(folder.path(), 1), defects = stored(folder.path(), 2),
             occluded = stored(folder.path(), 3);
  EXPECT_EQ(good["decision"], "PASS");
  EXPECT_LT(good["controller"]["age_ms"], 60'000) << "sampled beside the inspections";
  EXPECT_TRUE(good["controller"]["cpu"].contains("governor")) << good["controller"];
  EXPECT_TRUE(not_passed(good).empty());
  EXPECT_EQ(not_passed(defects),
            (std::map<std::string, std::string>{{"U3", "FAIL"}, {"L1", "FAIL"}, {"C3", "FAIL"}}));
  EXPECT_EQ(check_of(defects, "U3", "tilt")["decision"], "FAIL");
  EXPECT_EQ(check_of(defects, "L1", "median")["decision"], "FAIL");
  EXPECT_EQ(check_of(defects, "C3", "presence")["decision"], "FAIL");
  EXPECT_EQ(not_passed(occluded), (std::map<std::string, std::string>{{"U1", "INVALID"}}));
  EXPECT_EQ(check_of(occluded, "U1", "median")["reason"], "FLOOR_SIDES");

  int pictures = 0;
  for (const auto& entry : fs::directory_iterator(demo / "pictures")) {
    ++pictures;
    EXPECT_EQ(slurp(entry.path()).substr(0, 8), "\x89PNG\r\n\x1a\n") << entry.path();
    EXPECT_GT(entry.file_size(), 10'000u) << entry.path();
  }
  EXPECT_EQ(pictures, 6) << "heights and deviations of each";
  expect_the_surface_to_stand_in(demo);
}

TEST(ScenarioDemo, IsKeptOnRequestUntilItIsStopped) {
  if (::access("/usr/bin/socat", X_OK) != 0) GTEST_SKIP() << "the demo needs socat";
  const datum::testing::FreshFolder folder;
  const fs::path demo = folder.path() / "demo";
  const Outcome kept =
      run({DATUM_SOURCE_DIR "/tests/scenario/demo.sh", DATUM_BIN, "--keep", demo}, folder.path());
  ASSERT_EQ(kept.status, 0) << kept.output;
  for (const char* line : {"datumctl status --tcp", "datumctl watch --tcp", "demo/board ", "demo/stop "})
    EXPECT_NE(kept.output.find(line), std::string::npos) << kept.output;
  const Outcome board = run({(demo / "board").string(), "missing=C3"}, folder.path());
  EXPECT_EQ(board.status, 1) << board.output;
  EXPECT_EQ(not_passed(stored(folder.path(), 4)), (std::map<std::string, std::string>{{"C3", "FAIL"}}));
  const std::string processes = slurp(demo / "pids");
  EXPECT_EQ(run({(demo / "stop").string()}, folder.path()).status, 0);
  std::istringstream ids(processes);
  for (int id = 0; ids >> id;) {
    for (int i = 0; i < 1000 && ::kill(id, 0) == 0; ++i) ::usleep(10'000);
    EXPECT_NE(::kill(id, 0), 0) << "process " << id << " goes on";
  }
}

TEST(ScenarioDemo, FirstHourOfANewcomerByTheReadme) {
  if (::access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "no python3";
  if (std::getenv("DATUM_SLOWER")) GTEST_SKIP() << "the README's pauses are those of a release build";
  const datum::testing::FreshFolder folder;
  const Outcome hour = run(
      {DATUM_SOURCE_DIR "/tests/scenario/first_hour.sh", folder.path() / "home", DATUM_BIN}, folder.path());
  EXPECT_EQ(hour.status, 0) << hour.output;
  EXPECT_NE(hour.output.find("every verdict right"), std::string::npos) << hour.output;
}

}  // namespace
}  // namespace datum::scenario

// `./datum demo --fringe`: from raw fringe images to verdicts that record how the heights were computed.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;

/// datumctl fringe calibrate with the demonstration's plates in this order at these heights.
Outcome calibrate(const fs::path& folder, const std::vector<std::pair<int, const char*>>& plates,
                  const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"datumctl", "fringe", "calibrate"};
  for (const auto& [number, height_mm] : plates)
    words.push_back("fringe/plate/plate_00000" + std::to_string(number) + ".json@" + height_mm);
  for (const char* word :
       {"--sensor", "fringe/sensors/fringe.toml", "--id", "again", "--operator", "test", "--u-step-um", "0.3",
        "--u-plate-um", "0.3", "--max-residual-um", "10", "--valid-days", "30"})
    words.emplace_back(word);
  words.insert(words.end(), more.begin(), more.end());
  return run(words, folder);
}

void expect_refused(const Outcome& outcome, int status, const std::string& why) {
  EXPECT_EQ(outcome.status, status) << outcome.output;
  EXPECT_NE(outcome.output.find(why), std::string::npos) << outcome.output;
}

void no_calibration_is_made_of_doubtful_plates(const fs::path& folder) {
  const std::string before = slurp(folder / "fringe/fringe/fp-0001.toml");
  expect_refused(calibrate(folder, {{1, "-0.75"}, {3, "0.75"}, {4, "1.5"}, {6, "3"}}), 3,
                 "4 steps; a model of degree 1 with bend needs 5 or more");
  expect_refused(calibrate(folder, {{2, "0"}, {6, "3"}}), 3,
                 "measure it beyond both ends, or narrow the range");
  expect_refused(calibrate(folder, {{1, "-0.75"}, {2, "0"}, {4, "0.75"}, {3, "1.5"}, {6, "3"}}), 3,
                 "a set belongs to another height");
  expect_refused(calibrate(folder, {{1, "high"}}), 4, "wanted: SET.json@HEIGHT in mm");
  expect_refused(calibrate(folder, {{9, "0"}}), 4, "plate_000009.json");
  EXPECT_EQ(slurp(folder / "fringe/fringe/fp-0001.toml"), before);
}

/// A daemon of the demonstration's cell with a modified configuration, and sets to be delivered.
class LateCell {
 public:
  LateCell(const fs::path& folder, const std::string& name,
           const std::vector<std::pair<std::string, std::string>>& words)
      : folder_(folder) {
    std::string config = slurp(folder / "fringe/datumd.toml");
    for (const auto& [from, to] : words) config.replace(config.find(from), from.size(), to);
    config.replace(config.find("results.db"), 10, name + ".db");
    store_ = "fringe/" + name + ".db";
    std::ofstream(folder / ("fringe/" + name + ".toml")) << config;
    daemon_ = std::make_unique<Program>(
        std::vector<std::string>{"datumd", "--config", "fringe/" + name + ".toml"}, folder, name + ".log");
    if (!daemon_->says("ready: ")) throw std::runtime_error(daemon_->output());
    const std::string said = "commands, tcp 127.0.0.1:", log = daemon_->output();
    const std::string port = log.substr(log.find(said) + said.size());
    address_ = "127.0.0.1:" + port.substr(0, port.find_first_not_of("0123456789"));
  }
  std::vector<std::string> ctl_words(std::vector<std::string> words) const {
    words.insert(words.begin(), "datumctl");
    words.insert(words.end(), {"--tcp", address_});
    return words;
  }
  Outcome ctl(std::vector<std::string> words) const { return run(ctl_words(std::move(words)), folder_); }
  void await(const std::vector<std::string>& words, const std::string& said) const {
    const Deadline deadline = timeout();
    while (ctl(words).output.find(said) == std::string::npos)
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("never: " + said);
  }
  /// Images first, as a camera's computer writes them.
  void deliver(int number) const {
    const std::string stem = "FP-0001_000" + std::to_string(number);
    for (const auto& file : fs::directory_iterator(folder_ / "fringe/outbox"))
      if (const std::string name = file.path().filename(); name.starts_with(stem) && !name.ends_with(".json"))
        fs::rename(file.path(), folder_ / "fringe/drop" / name);
    fs::rename(folder_ / "fringe/outbox" / (stem + ".json"), folder_ / "fringe/drop" / (stem + ".json"));
  }
  nlohmann::json stored(const std::string& sequence) const {
    return nlohmann::json::parse(
        run({"datumctl", "show", sequence, "--json", "--store", store_}, folder_).output);
  }

 private:
  fs::path folder_;
  std::string store_, address_;
  std::unique_ptr<Program> daemon_;
};

/// Set 901 belongs to a trigger that timed out, and arrives while the next board waits; set 902 precedes the arming.
void late_and_early_sets_are_no_boards(const fs::path& folder) {
  fs::create_directory(folder / "fringe/outbox");
  const Outcome made = run(
      {"virtual-fringe", "--recipe", "fringe/recipes/demo-fringe.toml", "--twin", "fringe/twins/fringe.toml",
       "--camera", "fringe/twins/fringe-camera.toml", "--sensor", "fringe/sensors/fringe.toml", "--drop",
       "fringe/outbox", "--seed", "901", "--frame-id", "901", "--board", "good", "--board", "good"},
      folder);
  ASSERT_EQ(made.status, 0) << made.output;
  {
    const LateCell cell(folder, "late",
                        {{"trigger = \"on_frame\"", "frame_timeout_ms = 2000\ntrigger = \"bus\""}});
    EXPECT_EQ(cell.ctl({"trigger", "--wait", "--unit", "SN-A"}).status, 3) << "no set came";
    Program next(cell.ctl_words({"trigger", "--wait", "--unit", "SN-B"}), folder, "next.log");
    cell.await({"status"}, "WAITING");
    cell.deliver(901);
    EXPECT_EQ(next.wait(), 3) << next.output();
    EXPECT_EQ(cell.stored("2")["reason"], "FRAME_UNPROVEN") << cell.stored("2")["detail"];
    EXPECT_EQ(cell.stored("2")["unit_id"], "SN-B");
  }
  const LateCell cell(folder, "early", {{"arm_at_start = true", "arm_at_start = false"}});
  cell.deliver(902);
  cell.await({"send", "DIAG:LINK?"}, "1 ready");
  ASSERT_EQ(cell.ctl({"arm"}).status, 0);
  cell.await({"send", "DATA:COUN?"}, "1");
  EXPECT_EQ(cell.stored("1")["reason"], "FRAME_EARLY") << cell.stored("1")["detail"];
}

/// A calibration at 20.5 degC is refused without a reported temperature, and at another one.
void the_cell_is_armed_at_the_calibrations_temperature_only(const fs::path& folder) {
  const Outcome made = calibrate(folder, {{1, "-0.75"}, {2, "0"}, {3, "0.75"}, {5, "2.25"}, {6, "3"}},
                                 {"--temperature", "20.5", "--temperature-window-k", "1"});
  ASSERT_EQ(made.status, 0) << made.output;
  const Program daemon({"datumd", "--config", "fringe/datumd.toml"}, folder, "warm.log");
  const std::string said = "commands, tcp 127.0.0.1:";
  ASSERT_TRUE(daemon.says("ready: ")) << daemon.output();
  const std::string log = daemon.output();
  const std::string port = log.substr(log.find(said) + said.size());
  const std::string address = "127.0.0.1:" + port.substr(0, port.find_first_not_of("0123456789"));
  const auto ctl = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "datumctl");
    words.insert(words.end(), {"--tcp", address});
    return run(words, folder);
  };
  expect_refused(ctl({"arm"}), 8, "no host reported the cell's temperature");
  EXPECT_EQ(ctl({"temperature", "23"}).status, 0);
  expect_refused(ctl({"arm"}), 8, "the cell has 23.00 degC");
  EXPECT_EQ(ctl({"temperature", "20"}).status, 0);
  EXPECT_EQ(ctl({"arm"}).status, 0);
}

TEST(ScenarioFringe, RawImagesBecomePassFailAndInvalidWithTheirEvidence) {
  const datum::testing::FreshFolder folder;
  const Outcome outcome =
      run({DATUM_SOURCE_DIR "/tests/scenario/demo_fringe.sh", DATUM_BIN, folder.path() / "fringe"},
          folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("measured again from its raw images: 2,SAME"), std::string::npos)
      << outcome.output;
  const auto stored = [&](const char* sequence) {
    return nlohmann::json::parse(
        run({"datumctl", "show", sequence, "--json", "--store", "fringe/results.db"}, folder.path()).output);
  };
  const auto good = stored("1"), bad = stored("2"), doubtful = stored("3"), incomplete = stored("4");
  EXPECT_EQ(good["decision"], "PASS");
  EXPECT_EQ(bad["decision"], "FAIL");
  EXPECT_EQ(doubtful["decision"], "INVALID");
  EXPECT_EQ(incomplete["decision"], "INVALID");
  EXPECT_EQ(incomplete["reason"], "FRAME");
  EXPECT_NE(
      incomplete["detail"].get<std::string>().find("FP-0001_000004_3_04.tif: is not beside its sidecar"),
      std::string::npos)
      << incomplete["detail"];
  EXPECT_TRUE(fs::exists(folder.path() / "fringe/drop/failed/FP-0001_000004/FP-0001_000004.json.reason.txt"));

  for (const auto& [verdict, reference, decision] : {std::tuple(&bad, "R1", "FAIL"),
                                                     {&bad, "C2", "FAIL"},
                                                     {&doubtful, "L1", "INVALID"},
                                                     {&doubtful, "U1", "PASS"}})
    for (const auto& component : (*verdict)["components"])
      if (component["reference"] == reference) {
        EXPECT_EQ(component["decision"], decision) << reference;
      }
  for (const auto* verdict : {&good, &bad, &doubtful}) {
    ASSERT_EQ((*verdict)["stages"].size(), 1u);
    const auto& stage = (*verdict)["stages"][0];
    EXPECT_EQ(stage["name"], "fringe demodulation");
    EXPECT_EQ(stage["parameters"]["phase_to_height"], "fp-0001-demo");
    EXPECT_EQ(stage["input_sha256"], (*verdict)["frame_sha256"]);
    EXPECT_GT(stage["health"]["OK_px"], 200'000);
    EXPECT_GT(stage["health"]["LOW_MODULATION_px"], 0) << "shadows";
  }
  EXPECT_GT(doubtful["stages"][0]["health"]["SATURATED_px"], 4000) << "80 x 80 pixels of L1 glare";

  // The stored raw set, measured without the cell, gives the same components.
  const fs::path kept = folder.path() / "fringe/drop/done/FP-0001_000001/FP-0001_000001.json";
  const Outcome once = run({"datumd", "--once", kept, "--recipe", "fringe/recipes/demo-fringe.toml",
                            "--sensor", "fringe/sensors/fringe.toml", "--json"},
                           folder.path());
  EXPECT_EQ(once.status, 0) << once.output;
  EXPECT_EQ(nlohmann::json::parse(once.output)["components"], good["components"]);

  // Every median of the good board against its component's truth: U has k = 2; 3 u is exceeded in one of 60 runs of 6
  // boards.
  std::ifstream truth(folder.path() / "fringe/truth.jsonl");
  std::string line;
  std::getline(truth, line);
  const auto true_board = nlohmann::json::parse(line);
  int compared = 0;
  for (const auto& component : good["components"])
    for (const auto& known : true_board["components"]) {
      if (component["reference"] != known["reference"]) continue;
      const auto& check = component["checks"][0];
      EXPECT_EQ(check["characteristic"], "median");
      EXPECT_LE(std::abs(check["value_um"].get<double>() - known["height_um"].get<double>()),
                3 * check["u_um"].get<double>())
          << component["reference"] << ": " << check["value_um"] << " of " << known["height_um"] << ", u "
          << check["u_um"];
      EXPECT_GT(check["budget_um"]["phase_model"], 0.5);
      ++compared;
    }
  EXPECT_EQ(compared, 6);

  late_and_early_sets_are_no_boards(folder.path());
  no_calibration_is_made_of_doubtful_plates(folder.path());
  the_cell_is_armed_at_the_calibrations_temperature_only(folder.path());
}

}  // namespace
}  // namespace datum::scenario

// A cell that takes several snapshots of a part or a board at positions of its CMM: its configuration, and a replay of its result.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {

/// FOLDER: of the cell; its serial line is linked there.
inline constexpr const char* snapshot_cell_config = R"(schema = 1
cell = "snapshots"
[sensor]
profile = "virtual.toml"
drop_folder = "drop"
[inspection]
recipes_folder = "recipes"
calibrations_folder = "calibrations"
calibration = "demo-cell-2026-01"
trigger = "bus"
[results]
store_file = "results.db"
[backend]
threads = 1
[cmm]
preset = "grbl_1_1"
unit = "mm"
[cmm.serial]
path = "FOLDER/cmm"
baud = 115200
[host.tcp]
port = 0
push_results = true
)";

/// The cell measures a result of its snapshots again, and finds the same.
inline void expect_same_replay(Host& host, std::uint64_t sequence) {
  ASSERT_EQ(host.command(fmt::format("DATA:REPL {}", sequence)), "0,\"No error\"");
  const Deadline deadline = timeout();
  std::string replayed;
  while ((replayed = host.ask("DATA:REPL?")).find("RUNN") != std::string::npos &&
         std::chrono::steady_clock::now() < deadline)
    continue;
  EXPECT_NE(replayed.find("SAME"), std::string::npos) << replayed;
}

inline const std::filesystem::path sources = DATUM_SOURCE_DIR;

inline std::string without(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  return text.erase(at, text.find(to, at) - at);
}

inline const nlohmann::json& row(const nlohmann::json& verdict, const std::string& reference) {
  for (const nlohmann::json& c : verdict["components"])
    if (c["reference"] == reference) return c;
  throw std::runtime_error("no row " + reference);
}

/// Line `line` (from 1) of the cell's truth.jsonl.
inline nlohmann::json truth_of(const std::filesystem::path& cell, int line) {
  std::ifstream in(cell / "truth.jsonl");
  std::string text;
  for (int i = 0; i < line; ++i) std::getline(in, text);
  return nlohmann::json::parse(text);
}

/// Heights of the demonstration's good board against what the twin made. 90 values of which 5 % may lie outside U (k = 2): 4.5 with a
/// standard deviation of 2.1, so ten and no more, none by more than twice U. Returns how many were measured.
inline int expect_true_heights(const nlohmann::json& verdict, const nlohmann::json& truth,
                               bool may_be_invalid = false) {
  int outside = 0, seen = 0;
  for (const nlohmann::json& t : truth["components"]) {
    const nlohmann::json& check = row(verdict, t["reference"])["checks"][0];
    if (may_be_invalid && check["decision"] == "INVALID") continue;
    const double off = std::abs(check["value_um"].get<double>() - t["height_um"].get<double>());
    const double u = check["u_um"].get<double>();
    EXPECT_LT(off, 4 * u) << t["reference"];
    outside += off > 2 * u;
    ++seen;
  }
  EXPECT_EQ(truth["components"].size(), 90u);
  if (!may_be_invalid) {
    EXPECT_EQ(seen, 90);
  }
  EXPECT_LE(outside, 10);
  return seen;
}

/// datumd, a virtual CMM whose stage the test moves, and a virtual sensor that renders a board at the stage's place.
class SnapshotCell : public ::testing::Test {
 protected:
  /// `place`: of the stage, "X Y Z".
  void prepare(const std::string& recipe, const std::string& twin, std::string place) {
    std::string text = snapshot_cell_config;
    text.replace(text.find("FOLDER"), 6, cell.path());
    cell.write("datumd.toml", text + fmt::format("[cmm.pairing]\nwindow_ms = {}\n", 5000 * slower()));
    cell.write("virtual.toml", slurp(sources / "config/sensors/virtual.toml"));
    cell.write("calibrations/demo.toml", slurp(sources / "config/calibrations/demo.toml"));
    cell.write("recipes/demo-snapshots.toml", recipe);
    cell.write("twin.toml", twin);
    std::filesystem::remove(cell.path() / "recipes/box.toml");
    std::replace(place.begin(), place.end(), ' ', ',');
    cmm = std::make_unique<Program>(
        std::vector<std::string>{"virtual-cmm", "--link", "cmm", "--position", place, "--control", "moves"},
        cell.path(), "cmm.log");
    ASSERT_TRUE(cmm->says("/dev/pts/"));
  }
  /// It sees each board `snapshots` times.
  void start_sensor(const std::vector<std::string>& boards, int snapshots) {
    std::vector<std::string> words{"virtual-sensor",
                                   "--recipe",
                                   "recipes/demo-snapshots.toml",
                                   "--twin",
                                   "twin.toml",
                                   "--calibration",
                                   (sources / "config/calibrations/demo.toml").string(),
                                   "--drop",
                                   "drop",
                                   "--truth",
                                   "truth.jsonl",
                                   "--on-trigger",
                                   "wire",
                                   "--snapshots",
                                   std::to_string(snapshots)};
    for (const std::string& board : boards) words.insert(words.end(), {"--board", board});
    sensor = std::make_unique<Program>(words, cell.path(), "sensor.log");
    const Deadline deadline = timeout();
    while (!std::filesystem::exists(cell.path() / "wire") && std::chrono::steady_clock::now() < deadline)
      readable({sensor->ended()}, std::chrono::steady_clock::now() + std::chrono::milliseconds(5));
  }
  /// A daemon, armed.
  void begin() {
    cell.start();
    host = cell.connect();
    ASSERT_EQ(host->command("CONF:REC \"demo-snapshots\""), "0,\"No error\"");
    ASSERT_EQ(host->command("INIT"), "0,\"No error\"");
  }
  void tell(const std::string& fifo, const std::string& line) const {
    const int fd = ::open((cell.path() / fifo).c_str(), O_WRONLY | O_CLOEXEC);
    const std::string text = line + "\n";
    if (fd < 0 || ::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error("nobody reads " + fifo);
    ::close(fd);
  }
  void snapshot_at(const std::string& place) {
    tell("moves", "move " + place);
    const auto there = [&] {
      const auto at = fields(host->ask("DIAG:POS?"));
      return at.at(0) == "OK" &&
             fmt::format("{:g} {:g} {:g}", std::stod(at[1]), std::stod(at[2]), std::stod(at[3])) == place;
    };
    const Deadline deadline = timeout();
    while (!there()) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    cell.trigger(*host);
    EXPECT_NE(host->command("TRIG"), "0,\"No error\"") << "one is pending";
    tell("wire", place);
  }

  Cell cell;
  std::unique_ptr<Program> cmm, sensor;
  std::unique_ptr<Host> host;
};

}  // namespace datum::scenario

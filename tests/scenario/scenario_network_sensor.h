// A cell with a virtual sensor on a network: its profile, its true scene, and the steps that every such sensor has.
#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {

namespace network_sensor {

inline constexpr const char* profile = R"(schema = 1
serial = "67890"
model = "virtual"
handedness = "left"
z_min_mm = -8.0
z_max_mm = 8.0
scale_uncertainty_ppm = 100.0
linearity_um = 0.3
[noise]
z_mm = [0.0]
sigma_um = [3.0]
)";

inline constexpr const char* twin = R"(schema = 1
[view]
rows = 200
cols = 200
pitch_mm = 0.05
origin_mm = [0.0, 0.0]
shadow_slope = 0.0
count_um = 0.5
z_offset_mm = 1.0
handedness = "left"
[noise]
white_um = 3.0
correlated_um = 0.0
correlation_px = 1
dropout_ratio = 0.001
speckle_ratio = 0.0
speckle_um = 0.0
outlier_ratio = 0.0
outlier_um = 0.0
linearity_um = 0.0
[spread]
bow_um = 0.0
twist_um = 0.0
height_um = 1.0
tilt_mdeg = 0.0
place_mm = 0.0
scale_ppm = 0.0
[pads]
height_um = 0.0
share = 0.1
)";

}  // namespace network_sensor

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no '" + from + "'");
  return text.replace(at, from.size(), to);
}

class NetworkSensorTest : public ::testing::Test {
 protected:
  /// `kind`: "gocator" or "genicam"; `running`: what DIAG:LINK? says once the sensor can be triggered.
  NetworkSensorTest(std::string of_kind, std::string running_words)
      : cell(CellOptions{}), kind(std::move(of_kind)), running(std::move(running_words)) {
    cell.write("sensor.toml", network_sensor::profile);
    cell.write("twin.toml", network_sensor::twin);
    // Off centre: a mirrored frame shows bare board there.
    cell.write("recipes/box.toml", replaced(replaced(Cell::recipe_text(), "\"S-1\"", "\"67890\""),
                                            "centre_mm = [5.0, 5.0]", "centre_mm = [3.5, 5.0]"));
  }

  void plug_in_device(const std::vector<std::string>& own, const std::vector<std::string>& more,
                      const std::string& ready) {
    std::vector<std::string> arguments{
        "virtual-" + kind, "--recipe", "recipes/box.toml", "--twin", "twin.toml", "--control", "orders"};
    arguments.insert(arguments.end(), own.begin(), own.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    device.reset();
    device =
        std::make_unique<Program>(arguments, cell.path(), kind + "." + std::to_string(++plugged) + ".log");
    ASSERT_TRUE(device->says(ready)) << device->output();
    orders = 0;
  }
  /// Writes datumd.toml; `keys`: those of [sensor.KIND].
  void configure(const std::string& trigger, const std::string& keys, const std::string& more) {
    cell.write("datumd.toml",
               "schema = 1\ncell = \"scenario\"\n[sensor]\nprofile = \"sensor.toml\"\nkind = \"" + kind +
                   "\"\n[sensor." + kind + "]\nresolution_um = [50.0, 50.0, 0.5]\nanswer_ms = 1000\n" +
                   "watch_ms = 200\n" + keys +
                   "\n[inspection]\nrecipes_folder = \"recipes\"\nrecipe = \"box\"\nframe_timeout_ms = "
                   "2000\ntrigger = \"" +
                   trigger +
                   "\"\n[results]\nstore_file = \"results.db\"\n[backend]\nthreads = 1\n[host.tcp]\nport = "
                   "0\npush_results = true\n" +
                   more);
  }
  void start_cell() {
    cell.start();
    host = cell.connect();
    ASSERT_TRUE(is_up()) << cell.daemon().output();
  }

  bool links_say(const std::string& words) {
    const Deadline deadline = timeout();
    while (host->ask("DIAG:LINK?").find(words) == std::string::npos)
      if (std::chrono::steady_clock::now() > deadline) return false;
    return true;
  }
  bool is_up() { return links_say(running); }
  void order(const std::string& line) {
    std::ofstream(cell.path() / "orders") << line << std::endl;
    ASSERT_TRUE(device->says("done: ", ++orders)) << line << ": " << device->output();
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
    EXPECT_THAT(board["detail"].get<std::string>(), ::testing::HasSubstr(words));
  }
  void trigger() { ASSERT_EQ(host->command("*CLS;TRIG"), "0,\"No error\""); }
  /// A good board is measured again without intervention; prints the recovery time.
  void expect_recovery(const std::string& fault) {
    using namespace std::chrono;
    const auto from = steady_clock::now();
    ASSERT_TRUE(is_up()) << host->ask("DIAG:LINK?");
    trigger();
    expect_decision("PASS");
    std::printf("%s, %-28s a good board is measured %5lld ms after the result before\n", kind.c_str(),
                fault.c_str(),
                static_cast<long long>(duration_cast<milliseconds>(steady_clock::now() - from).count()));
  }

  Cell cell;
  const std::string kind, running;
  std::unique_ptr<Program> device;
  std::unique_ptr<Host> host;
  int plugged = 0, orders = 0;
};

}  // namespace datum::scenario

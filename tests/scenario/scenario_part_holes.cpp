#include "tests/scenario/scenario_part_holes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;

const fs::path tree = DATUM_SOURCE_DIR;
constexpr double probe_radius_mm = 1.5;

std::string config(const std::string& cmm, const std::string& more) {
  return R"(schema = 1
cell = "part"
[sensor]
profile = "virtual.toml"
drop_folder = "drop"
[inspection]
recipes_folder = "recipes"
calibrations_folder = "calibrations"
calibration = "demo-holes-2026-01"
trigger = "bus"
[results]
store_file = "results.db"
[backend]
threads = 1
)" + cmm +
         R"([calibration]
artefacts_folder = "artefacts"
probe_radius_mm = 1.5
probe_u_radius_um = 0.5
probe_u_touch_um = 1.0
[holes]
log_folder = "holes"
u_edge_um = 100.0
spare_mm = 0.5
[host.tcp]
port = 0
push_results = true
)" + more;
}

std::string motion(const char* table, double speed) {
  return fmt::format(
      "allow_motion = true\n[{}.motion]\nspeed_mm_per_s = {}\nprobing_speed_mm_per_s = 20\n"
      "box_min_mm = [40, 20, 10]\nbox_max_mm = [200, 160, 80]\nmost_mm = 200\n",
      table, speed);
}

void tell(const fs::path& fifo, const std::string& line) {
  const int fd = ::open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
  const std::string text = line + "\n";
  if (fd < 0 || ::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("nobody reads " + fifo.string());
  ::close(fd);
}

}  // namespace

std::vector<std::array<double, 4>> PartHoles::bores(const std::string& part) const {
  const Outcome told =
      run({"virtual-part", "--twin", (tree / "config/twins/holes.toml").string(), "--calibration",
           (tree / "config/calibrations/demo-holes.toml").string(), "--bores", "--part", part},
          cell.path());
  std::vector<std::array<double, 4>> bores;
  std::istringstream in(told.output);
  for (std::array<double, 4> b{}; in >> b[0] >> b[1] >> b[2] >> b[3];) bores.push_back(b);
  return bores;
}

void PartHoles::start_machine() {
  std::vector<std::string> arguments;
  if (used.preset == "ipp_dme")
    arguments = {"virtual-ipp", "--listen", "0",       "--position",    "86,90,60",
                 "--control",   "control",  "--trace", "--tool-radius", "1.5"};
  else
    arguments = {"virtual-cmm", "--link", "cmm", "--position", "86,90,60", "--control", "control"};
  const auto met = bores(used.machined);
  if (used.preset != "ipp_dme" && used.allow_motion) {
    arguments.insert(arguments.end(), {"--tip-radius", fmt::format("{}", probe_radius_mm), "--plate-top",
                                       fmt::format("{}", met.at(0)[2])});
    for (const auto& b : met)
      arguments.insert(arguments.end(), {"--bore", fmt::format("{},{},{}", b[0], b[1], b[3])});
  }
  arguments.insert(arguments.end(), used.machine_options.begin(), used.machine_options.end());
  machine = std::make_unique<Program>(arguments, cell.path(), "machine.log");
  ASSERT_TRUE(machine->says(used.preset == "ipp_dme" ? "127.0.0.1:" : "/dev/pts/")) << machine->output();
  if (used.preset != "ipp_dme") return;
  for (const auto& b : met) order(fmt::format("hole {} {} {} {}", b[0], b[1], b[3] - probe_radius_mm, b[2]));
}

void PartHoles::start(const Setting& setting) {
  used = setting;
  ASSERT_NO_FATAL_FAILURE(start_machine());
  std::string cmm;
  if (used.preset == "ipp_dme") {
    const std::string said = machine->output();
    const int port = std::atoi(said.c_str() + said.find("127.0.0.1:") + 10);
    cmm = fmt::format(
              "[cmm]\npreset = \"ipp_dme\"\n[cmm.tcp]\nhost = \"127.0.0.1\"\nport = {}\n[cmm.ipp]\n"
              "tool = \"Probe1\"\ncoordinate_system = \"MachineCsy\"\n",
              port) +
          motion("cmm.ipp", used.speed_mm_per_s) + used.motion_more;
  } else {
    cmm =
        fmt::format(
            "[cmm]\npreset = \"grbl_1_1\"\nunit = \"mm\"\ntouch = \"latched\"\n[cmm.serial]\npath = \"{}\"\n"
            "baud = 115200\n[cmm.grbl]\n",
            (cell.path() / "cmm").string()) +
        motion("cmm.grbl", std::min(used.speed_mm_per_s, 150.0)) + used.motion_more;
  }
  if (!used.allow_motion) cmm.erase(cmm.find("[cmm.grbl]"));
  cell.write("datumd.toml", config(cmm, used.tables));
  cell.write("virtual.toml", slurp(tree / "config/sensors/virtual.toml"));
  cell.write("calibrations/demo-holes.toml", slurp(tree / "config/calibrations/demo-holes.toml"));
  fs::create_directories(cell.path() / "artefacts");
  fs::remove(cell.path() / "recipes/box.toml");
  std::string recipe = slurp(tree / "config/recipes/demo-holes.toml");
  for (const auto& [from, to] : used.changes) {
    ASSERT_NE(recipe.find(from), std::string::npos) << from;
    recipe.replace(recipe.find(from), from.size(), to);
  }
  if (!used.only_hole.empty())
    for (auto at = recipe.find("[[hole]]"); at != std::string::npos;) {
      const auto next = recipe.find("[[hole]]", at + 1), size = std::min(next, recipe.size()) - at;
      const bool keeps =
          recipe.substr(at, size).find("name = \"" + used.only_hole + "\"") != std::string::npos;
      if (!keeps) recipe.erase(at, size);
      at = recipe.find("[[hole]]", keeps ? at + 1 : at);
    }
  cell.write("recipes/demo-holes.toml", recipe);
  sensor = std::make_unique<Program>(
      std::vector<std::string>{"virtual-part", "--twin", (tree / "config/twins/holes.toml").string(),
                               "--calibration", (tree / "config/calibrations/demo-holes.toml").string(),
                               "--model", "recipes/demo-holes.stl", "--drop", "drop", "--on-trigger",
                               "expose", "--part", used.part, "--part", used.part},
      cell.path(), "sensor.log");
  const Deadline deadline = timeout();
  while (!fs::exists(cell.path() / "expose") && std::chrono::steady_clock::now() < deadline)
    readable({sensor->ended()}, std::chrono::steady_clock::now() + std::chrono::milliseconds(5));
  cell.start();
  host = cell.connect();
  await_position("OK");
}

void PartHoles::order(const std::string& line) {
  tell(cell.path() / "control", line);
  ASSERT_TRUE(machine->says("done: " + line)) << machine->output();
}

void PartHoles::move(const std::string& position) {
  tell(cell.path() / "control", "move " + position);
  const auto there = [&] {
    const auto at = fields(host->ask("DIAG:POS?"));
    return at.at(0) == "OK" &&
           fmt::format("{:g} {:g} {:g}", std::stod(at[1]), std::stod(at[2]), std::stod(at[3])) == position;
  };
  const Deadline deadline = timeout();
  while (!there()) ASSERT_LT(std::chrono::steady_clock::now(), deadline) << host->ask("DIAG:POS?");
}

void PartHoles::await_position(const std::string& state) {
  const Deadline deadline = timeout();
  std::string said;
  while ((said = host->ask("DIAG:POS?")).rfind(state, 0) != 0)
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << said << "\n" << cell.daemon().output();
}

void PartHoles::take_snapshots() {
  ASSERT_EQ(host->command("CONF:REC \"demo-holes\""), "0,\"No error\"");
  ASSERT_EQ(host->command("INIT"), "0,\"No error\"") << cell.daemon().output();
  cell.trigger(*host);
  tell(cell.path() / "expose", "");
  ASSERT_TRUE(cell.daemon().says("snapshot 2 of 2 (right) is next")) << cell.daemon().output();
  ASSERT_NO_FATAL_FAILURE(move("134 90 60"));
  cell.trigger(*host);
  tell(cell.path() / "expose", "");
  ASSERT_TRUE(cell.daemon().says("the touching of ")) << cell.daemon().output();
}

nlohmann::json PartHoles::row(const nlohmann::json& verdict, const std::string& hole) const {
  for (const auto& component : verdict["components"])
    if (component["reference"] == hole) return component;
  return {};
}

nlohmann::json PartHoles::check(const nlohmann::json& verdict, const std::string& hole,
                                const std::string& what) const {
  const nlohmann::json all = row(verdict, hole);
  for (const auto& check : all.at("checks"))
    if (check["characteristic"] == what) return check;
  return {};
}

}  // namespace datum::scenario

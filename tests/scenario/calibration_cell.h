// A cell that calibrates its uncalibrated sensor by commands: an artefact, a CMM with a probe, a virtual sensor.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <fstream>
#include <sstream>

#include "calib/artefact/drawing.h"
#include "calib/calibration.h"
#include "calib/calibration_store.h"
#include "tests/scenario/scenario_cell.h"
#include "tests/virtual_cell/virtual_cmm_line.h"
#include "tests/virtual_cell/virtual_mount.h"

namespace datum::scenario {

namespace fs = std::filesystem;

inline const fs::path shipped = fs::path(DATUM_SOURCE_DIR) / "config";
inline const Eigen::Vector3d stage_mm(120.8, 79.4, 35.1);  // position of the stage for scans and boards
inline constexpr int touches = 6;                          // per face

inline constexpr const char* config_text = R"(schema = 1
cell = "calibration"
[sensor]
profile = "sensors/virtual.toml"
drop_folder = "drop"
[inspection]
recipes_folder = "recipes"
calibrations_folder = "calibrations"
calibration = "current"
trigger = "bus"
frame_timeout_ms = 30000
[calibration]
artefacts_folder = "artefacts"
probe_radius_mm = 1.0
probe_u_radius_um = 0.3
probe_u_touch_um = 0.5
probe_checked_by = "ring gauge 20 mm, certificate 4711, 2026-03-01"
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
role = "configure"
[host.serial]
path = "FOLDER/host"
baud = 115200
)";

/// The demonstration's sensor on an ideal stage, displaced by `bump`.
inline std::string truth(const Eigen::Isometry3d& bump = Eigen::Isometry3d::Identity()) {
  Calibration c = load_calibration(shipped / "calibrations/demo.toml");
  c.squareness_rad.setZero();
  c.scale_ppm.setZero();
  c.machine_from_sensor =
      Htm<Machine, Sensor>(Eigen::Matrix4d(c.machine_from_sensor.matrix() * bump.matrix()));
  return to_toml(c);
}

class ScenarioCalibration : public ::testing::Test {
 protected:
  /// more: lines of [calibration]. axes: lines of [cmm] behind its tables. head: of the virtual CMM, "" none.
  explicit ScenarioCalibration(const std::string& more = "", const std::string& axes = "",
                               const std::string& head = "")
      : line(cell.path() / "host") {
    std::string config = config_text;
    config.insert(config.find("[results]"), more);
    for (auto at = config.find("FOLDER"); at != std::string::npos; at = config.find("FOLDER"))
      config.replace(at, 6, cell.path());
    config += "[cmm.pairing]\nwindow_ms = " + std::to_string(5000 * slower()) + "\n" + axes;
    cell.write("datumd.toml", config);
    for (const char* folder : {"sensors", "recipes", "artefacts", "twins"}) {
      fs::remove_all(cell.path() / folder);
      fs::copy(shipped / folder, cell.path() / folder);
    }
    cell.write("truth/mounted.toml", truth());
    line.plug_in();
    std::vector<std::string> machine{"virtual-cmm",
                                     "--link",
                                     "cmm",
                                     "--control",
                                     "machine",
                                     "--artefact",
                                     "artefacts/angled-slot-120.toml",
                                     "--mount",
                                     "twins/artefact.toml",
                                     "--position",
                                     "0,0,0"};
    if (!head.empty()) machine.insert(machine.end(), {"--head", head});
    cmm = std::make_unique<Program>(machine, cell.path(), "cmm.log");
    if (!cmm->says("/dev/pts/")) throw std::runtime_error(cmm->output());
    if (!cell.start().says("8N1: open", 2)) throw std::runtime_error(cell.daemon().output());
    host = std::make_unique<Host>(line.fd(), false);
  }
  /// Exposes for each line on its trigger wire.
  void mount_sensor(const std::string& truth_file, int frame,
                    const std::vector<std::string>& shows = {"artefact", "good"}) {
    sensor.reset();
    const std::string at = std::to_string(stage_mm.x()) + "," + std::to_string(stage_mm.y()) + "," +
                           std::to_string(stage_mm.z());
    const std::string number = std::to_string(frame), artefact = "artefacts/angled-slot-120.toml";
    std::vector<std::string> words{"virtual-sensor",
                                   "--recipe",
                                   "recipes/demo-board.toml",
                                   "--twin",
                                   "twins/demo.toml",
                                   "--calibration",
                                   truth_file,
                                   "--position",
                                   at,
                                   "--artefact",
                                   artefact,
                                   "--mount",
                                   "twins/artefact.toml",
                                   "--drop",
                                   "drop",
                                   "--on-trigger",
                                   "wire",
                                   "--frame-id",
                                   number,
                                   "--seed",
                                   number};
    for (const std::string& show : shows) words.insert(words.end(), {"--board", show});
    sensor = std::make_unique<Program>(words, cell.path(), "sensor." + number + ".log");
  }
  void tell(const std::string& fifo, const std::string& order) const {
    const Deadline deadline = timeout();
    while (!fs::exists(cell.path() / fifo) && std::chrono::steady_clock::now() < deadline) continue;
    std::ofstream(cell.path() / fifo) << order << "\n" << std::flush;
  }
  void expect_good(const std::string& command) {
    EXPECT_EQ(host->command(command), "0,\"No error\"") << command << "\n" << cell.daemon().output();
  }
  /// Waits until the daemon permits the exposure.
  void await_exposure() {
    constexpr int sweeping = 8;
    const Deadline deadline = timeout();
    while ((std::stoi(host->ask("STAT:OPER:COND?")) & sweeping) == 0)
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error(host->ask("CAL:STAT?"));
  }
  void expose() {
    await_exposure();
    tell("wire", "");
    EXPECT_EQ(host->ask("*OPC?"), "1");
  }
  void collect_and_solve() {
    expect_good("CAL:STAR 'AS120-0001','J. M.',20.5");
    for (const Face face : all_faces)
      for (int n = 1; n <= touches; ++n) {
        expect_good("CAL:TOUC '" + std::string(name_of(face)) + "'");
        tell("machine",
             "touch " + std::string(name_of(face)) + " " + std::to_string(n) + "/" + std::to_string(touches));
        ASSERT_EQ(host->ask("*OPC?"), "1");
      }
    tell("machine", "move 120.8 79.4 35.1");
    ASSERT_TRUE(cmm->says("at 120.8000 79.4000 35.1000", ++moves));
    expect_good("CAL:SCAN");
    expose();
    expect_good("CAL:SOLV");
    EXPECT_EQ(host->ask("*OPC?"), "1");
    ASSERT_EQ(fields(host->ask("CAL:STAT?")).at(0), "SOLVED") << host->ask("CAL:STAT?");
  }
  Outcome run_line(const std::string& words) const {
    std::istringstream in(words);
    std::vector<std::string> arguments;
    for (std::string word; in >> word;) arguments.push_back(word);
    return run(arguments, cell.path());
  }
  void deliver_again() {
    await_exposure();
    for (const auto& entry : fs::recursive_directory_iterator(cell.drop() / "done")) {
      if (entry.path().extension() != ".json") continue;
      std::string sidecar = slurp(entry.path());
      const std::string image = entry.path().stem().string() + "_z.tif";
      fs::copy(entry.path().parent_path() / image, cell.drop() / image);
      cell.write("outbox/again.json", sidecar);
      fs::rename(cell.path() / "outbox/again.json", cell.drop() / "again.json");
    }
    EXPECT_EQ(host->ask("*OPC?"), "1");
  }
  int error_of(const std::string& command) { return std::stoi(host->command(command)); }
  Calibration current() const {
    return CalibrationStore(cell.path() / "calibrations").choose("current", "VS3D-0001");
  }

  Cell cell;
  VirtualLine line;
  std::unique_ptr<Program> cmm, sensor;
  std::unique_ptr<Host> host;
  int moves = 0;
};

}  // namespace datum::scenario

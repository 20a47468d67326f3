#include "tests/bench/path_cell.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "daemon/metrics/board_times.h"
#include "daemon/store/result_store.h"
#include "tests/bench/bench_board.h"
#include "tests/bench/bench_part.h"

namespace datum::bench {

namespace {

std::string board_profile(const std::string& handedness) {
  return fmt::format(
      "schema = 1\nserial = \"{}\"\nmodel = \"bench\"\nhandedness = \"{}\"\nz_min_mm = -8.0\nz_max_mm = 8.0\n"
      "scale_uncertainty_ppm = 100.0\nlinearity_um = 0.3\n[noise]\nz_mm = [0.0]\nsigma_um = [3.0]\n",
      sensor_serial, handedness);
}

std::string config_text(const PathOptions& options, const std::string& sensor) {
  return fmt::format(
      "schema = 1\ncell = \"bench\"\n[sensor]\nprofile = \"sensor.toml\"\n{}\n[inspection]\nrecipes_folder = "
      "\"recipes\"\nrecipe = \"bench\"\ntrigger = \"on_frame\"\n[results]\nstore_file = \"results.db\"\n"
      "[backend]\nkind = \"{}\"\nthreads = {}\n[host.tcp]\nport = 0\nrole = \"configure\"\npush_results = "
      "true\n",
      sensor, options.gpu ? "cuda" : "cpu", options.threads);
}

}  // namespace

PathScene board_scene(const std::string& handedness) {
  return {board_profile(handedness), [](const std::filesystem::path& recipes) {
            std::ofstream(recipes / "bench.toml") << recipe_text(sensor_serial);
          }};
}

PathScene part_scene() {
  return {part_profile_text(sensor_serial, "right"),
          [](const std::filesystem::path& recipes) { write_part_recipe(recipes, sensor_serial); }};
}

PathCell::PathCell(const PathOptions& options, const PathScene& scene, const std::string& sensor) {
  ::setenv("TMPDIR", options.disk.c_str(), 1);  // where the cell makes its folder
  scenario::CellOptions cell;
  cell.daemon = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "datumd";
  cell_ = std::make_unique<scenario::Cell>(cell);
  cell_->write("datumd.toml", config_text(options, sensor));
  cell_->write("sensor.toml", scene.profile);
  std::filesystem::remove(path() / "recipes/box.toml");
  scene.write_recipe(path() / "recipes");
  cell_->start();
  host_ = cell_->connect();
}

void PathCell::arm_when(const std::string& link) {
  const scenario::Deadline deadline = scenario::timeout();
  while (host_->ask("DIAG:LINK?").find(link) == std::string::npos)
    if (Clock::now() > deadline) throw std::runtime_error("no link:\n" + cell_->daemon().output());
  if (const std::string error = host_->command("INIT"); error.rfind("0,", 0) != 0)
    throw std::runtime_error("INIT: " + error);
}

Clock::time_point PathCell::await_pass() {
  const plc::ResultLine line = host_->result();
  const auto now = Clock::now();
  if (line.decision != "PASS") throw std::runtime_error(line.decision + ":\n" + cell_->daemon().output());
  return now;
}

std::string PathCell::backend() const {
  const std::string log = cell_->daemon().output();
  const auto at = log.find("backend: ");
  return at == std::string::npos ? "?" : log.substr(at + 9, log.find('\n', at) - at - 9);
}

std::string PathCell::backend_of_verdict() const {
  return ResultStore::read_only(path() / "results.db").latest().value().verdict().backend;
}

void PathCell::await_log(const std::string& words) {
  const scenario::Deadline deadline = scenario::timeout();
  while (cell_->daemon().output().find(words) == std::string::npos) {
    if (Clock::now() > deadline) throw std::runtime_error("not logged: " + words);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

double PathCell::cpu_ms() const {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(cell_->daemon().pid(), &clock) != 0 || ::clock_gettime(clock, &used) != 0)
    throw std::runtime_error("datumd is gone");
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) * 1e-6;
}

std::vector<std::pair<std::string, std::vector<double>>> PathCell::steps_ms(std::uint64_t first,
                                                                            std::uint64_t last) const {
  std::vector<std::pair<std::string, std::vector<double>>> all;
  ResultStore store = ResultStore::read_only(path() / "results.db");
  // They are kept when the store is at rest, after the line.
  for (const scenario::Deadline deadline = scenario::timeout();
       !store.times(last) && Clock::now() < deadline;)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (std::uint64_t n = first; n <= last; ++n) {
    const auto kept = store.times(n);
    if (!kept) continue;
    const auto steps = steps_from_json(*kept);
    all.resize(std::max(all.size(), steps.size()));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      all[i].first = steps[i].name;
      all[i].second.push_back(static_cast<double>(steps[i].took_ns) * 1e-6);
    }
  }
  return all;
}

PathTimes times_of(PathCell& cell, const PathOptions& options, const Deliverer& deliverer) {
  PathTimes times;
  double from_cpu_ms = 0;
  for (int n = 0; n < options.warm_up + options.boards; ++n) {
    if (n == options.warm_up) from_cpu_ms = cell.cpu_ms();
    deliverer.deliver(n);
    const auto announced = cell.await_pass();
    if (n >= options.warm_up) times.ms.push_back(ms_between(deliverer.last_byte_time(), announced));
  }
  times.cpu_ms = (cell.cpu_ms() - from_cpu_ms) / options.boards;
  const auto warm_up = static_cast<std::uint64_t>(options.warm_up);
  times.steps_ms = cell.steps_ms(warm_up + 1, warm_up + static_cast<std::uint64_t>(options.boards));
  return times;
}

}  // namespace datum::bench

#include "daemon/controller/state_reader.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

namespace datum {
namespace {

namespace fs = std::filesystem;

/// The first line, up to its end or a NUL as device trees have it; "" where the file can't be read.
std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const auto end = std::find(line.begin(), line.end(), '\0');
  return {line.begin(), end};
}

std::optional<double> number_in(const fs::path& file, double per_unit) {
  const std::string text = first_line(file);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return static_cast<double>(value) * per_unit;
}

/// Entries sorted by name; empty where the folder does not exist.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
    found.push_back(i->path());
  std::sort(found.begin(), found.end());
  return found;
}

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }
bool holds(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

void lower(std::optional<double>& to, const std::optional<double>& value) {
  if (value && (!to || *value < *to)) to = value;
}
void raise(std::optional<double>& to, const std::optional<double>& value) {
  if (value && (!to || *value > *to)) to = value;
}

bool concerns(const std::string& cpus, const std::vector<int>& cores) {
  std::istringstream list(cpus);
  for (int cpu = 0; list >> cpu;)
    if (std::find(cores.begin(), cores.end(), cpu) != cores.end()) return true;
  return false;
}

/// True: a cooling device that throttles; fans do not.
bool slows(const std::string& type) {
  return type == "Processor" || holds(type, "cpufreq") || holds(type, "devfreq") || holds(type, "throttle");
}

/// True: the clock of an integrated GPU: "17000000.gpu", "17000000.ga10b", "gpu-gpc-0".
bool of_gpu(const std::string& name) {
  return holds(name, ".gpu") || holds(name, ".ga10b") || begins(name, "gpu-gpc");
}

}  // namespace

std::vector<int> usable_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) cores.push_back(i);
  return cores;
}

StateReader::StateReader(fs::path root, std::vector<int> cores)
    : root_(std::move(root)), cores_(std::move(cores)) {}

ControllerState StateReader::read() {
  ControllerState state;
  state.model = model();
  state.power_mode = power_mode();
  read_cpu(state);
  read_heat(state);
  read_gpu(state);
  return state;
}

std::string StateReader::model() const {
  const std::string board = first_line(root_ / "proc/device-tree/model");
  return board.empty() ? first_line(root_ / "sys/class/dmi/id/product_name") : board;
}

std::string StateReader::power_mode() const {
  const std::string status = first_line(root_ / "var/lib/nvpmodel/status");  // "pmode:0002"
  if (!begins(status, "pmode:")) return first_line(root_ / "sys/firmware/acpi/platform_profile");
  int id = 0;
  if (std::from_chars(status.data() + 6, status.data() + status.size(), id).ec != std::errc()) return status;
  std::ifstream modes(root_ / "etc/nvpmodel.conf");  // "< POWER_MODEL ID=2 NAME=MAXN_SUPER >"
  for (std::string line; std::getline(modes, line);) {
    std::istringstream words(line);
    std::string bracket, what, number, name;
    words >> bracket >> what >> number >> name;
    if (bracket == "<" && what == "POWER_MODEL" && number == "ID=" + std::to_string(id) &&
        begins(name, "NAME="))
      return name.substr(5) + " (" + std::to_string(id) + ")";
  }
  return "mode " + std::to_string(id);
}

void StateReader::read_cpu(ControllerState& state) {
  std::set<std::string> governors;
  for (const fs::path& policy : entries(root_ / "sys/devices/system/cpu/cpufreq")) {
    if (!concerns(first_line(policy / "affected_cpus"), cores_)) continue;
    governors.insert(first_line(policy / "scaling_governor"));
    const auto now = number_in(policy / "scaling_cur_freq", 1e-3);
    lower(state.cpu.lowest_mhz, now);
    raise(state.cpu.highest_mhz, now);
    lower(state.cpu.limit_mhz, number_in(policy / "scaling_max_freq", 1e-3));
    lower(state.cpu.maximum_mhz, number_in(policy / "cpuinfo_max_freq", 1e-3));
  }
  for (const std::string& governor : governors)
    state.cpu.governor += (state.cpu.governor.empty() ? "" : ", ") + governor;
  for (const int core : cores_)
    count(root_ / ("sys/devices/system/cpu/cpu" + std::to_string(core)) /
              "thermal_throttle/core_throttle_count",
          "heat of core " + std::to_string(core), state);
}

void StateReader::read_heat(ControllerState& state) {
  for (const fs::path& place : entries(root_ / "sys/class/thermal")) {
    const std::string name = place.filename().string();
    if (begins(name, "thermal_zone")) {
      const auto degc = number_in(place / "temp", 1e-3);
      if (!degc || (state.hottest_degc && *degc <= *state.hottest_degc)) continue;
      state.hottest_degc = degc;
      state.hottest_zone = first_line(place / "type");
    } else if (begins(name, "cooling_device")) {
      const std::string type = first_line(place / "type");
      if (slows(type) && number_in(place / "cur_state", 1).value_or(0) > 0)
        state.throttled_by.push_back("cooling " + type);
    }
  }
  for (const fs::path& monitor : entries(root_ / "sys/class/hwmon")) {
    if (first_line(monitor / "name") != "soctherm_oc") continue;
    for (const char* event : {"oc1", "oc2", "oc3"})
      count(monitor / (std::string(event) + "_event_cnt"), std::string("over-current (") + event + ")",
            state);
  }
}

void StateReader::read_gpu(ControllerState& state) const {
  for (const fs::path& device : entries(root_ / "sys/class/devfreq")) {
    if (!of_gpu(device.filename().string())) continue;
    GpuState& gpu = state.gpu.emplace();
    gpu.device = device.filename().string();
    gpu.by = "devfreq";
    gpu.clock_mhz = number_in(device / "cur_freq", 1e-6);
    gpu.maximum_clock_mhz = number_in(device / "max_freq", 1e-6);
    for (const fs::path& zone : entries(root_ / "sys/class/thermal")) {
      const std::string type = first_line(zone / "type");
      if (begins(type, "gpu-therm") || begins(type, "GPU-therm"))
        gpu.temperature_degc = number_in(zone / "temp", 1e-3);
    }
    return;
  }
}

void StateReader::count(const fs::path& file, const std::string& name, ControllerState& state) {
  const auto value = number_in(file, 1);
  if (!value) return;
  const auto now = static_cast<std::uint64_t>(*value);
  const auto [known, first] = counts_.try_emplace(file, now);
  if (!first && now > known->second) state.throttled_by.push_back(name);
  known->second = now;
}

}  // namespace datum

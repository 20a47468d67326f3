// Checks of the GPU, of the folders that datumd writes, and of the clock.
#include <fmt/format.h>

#include <utility>

#include "daemon/ctl/doctor.h"

namespace datum::doctor {
namespace {

namespace fs = std::filesystem;

// A result has some kB, a picture some 100 kB: space for months.
constexpr std::uint64_t enough_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t bytes_per_mib = std::uint64_t{1} << 20;

/// Device nodes of a GPU that datumd opens: of NVIDIA's driver, and of Jetson's.
std::vector<std::string> gpu_nodes(const System& system) {
  std::vector<std::string> nodes;
  for (const std::string& name : system.names_in("/dev")) {
    const bool card = name.rfind("nvidia", 0) == 0 &&
                      (name == "nvidiactl" || name == "nvidia-uvm" ||
                       (name.size() > 6 && name.find_first_not_of("0123456789", 6) == std::string::npos));
    if (card || name == "nvhost-gpu" || name == "nvmap") nodes.push_back("/dev/" + name);
  }
  return nodes;
}

/// The folder, or its nearest existing parent.
fs::path nearest(const System& system, fs::path folder) {
  while (!system.exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

bool within(const fs::path& path, const char* folder) {
  return path.string() == folder || path.string().rfind(std::string(folder) + "/", 0) == 0;
}

Finding examine_writing(const std::string& folder, bool made, const System& system) {
  Finding f{"folder", folder, State::good, ""};
  if (system.account.service) {
    if (within(folder, "/var/lib/datumd") || within(folder, "/var/log/datumd")) {
      f.found += " is the service's own";
      return f;
    }
    f.state = State::bad;
    f.found += " is not below /var/lib/datumd: its sandbox lets the service write nowhere else";
    f.run = fmt::format("sudo systemctl edit datumd    # [Service] ReadWritePaths={}", folder);
    return f;
  }
  const fs::path parent = fs::path(folder).parent_path();
  if (made && !system.exists(folder) && system.exists(parent) && system.allows(parent, true)) {
    f.found += " is not there yet; datumd makes it";
  } else if (!system.exists(folder)) {
    f.state = State::bad;
    f.found += " is not there";
    f.run = fmt::format("sudo install -d -o {} {}", system.account.name, folder);
  } else if (!system.allows(folder, true)) {
    f.state = State::bad;
    f.found += fmt::format(": {} may not write to it", system.account.name);
    f.run = fmt::format("sudo chown {} {}", system.account.name, folder);
  } else {
    f.found += " can be written to";
  }
  return f;
}

}  // namespace

void examine_gpu(const Needs& needs, const System& system, std::vector<Finding>& findings) {
  if (!needs.takes_gpu && !needs.demands_gpu) return;
  const std::vector<std::string> nodes = gpu_nodes(system);
  if (nodes.empty()) {
    findings.push_back(
        {"GPU", needs.demands_gpu ? "none is there, and backend.kind is \"cuda\"" : "none; the CPU measures",
         needs.demands_gpu ? State::bad : State::good, needs.demands_gpu ? "nvidia-smi" : ""});
    return;
  }
  for (const std::string& node : nodes) {
    if (system.allows(node, true)) continue;
    const std::string group = system.group_of(node);
    findings.push_back(
        {"GPU", fmt::format("{} may not open {}, group {} may", system.account.name, node, group),
         needs.demands_gpu ? State::bad : State::doubtful,
         system.account.service
             ? fmt::format("sudo systemctl edit datumd    # [Service] SupplementaryGroups={}", group)
             : fmt::format("sudo usermod -aG {} {}    # then log in again", group, system.account.name)});
    return;
  }
  findings.push_back({"GPU", fmt::format("{} nodes can be opened", nodes.size()), State::good, ""});
}

void examine_folders(const Needs& needs, const System& system, std::vector<Finding>& findings) {
  std::vector<std::pair<std::string, bool>> folders;  // and whether datumd makes it
  for (const std::string& folder : needs.written_folders) folders.emplace_back(folder, false);
  for (const std::string& folder : needs.made_folders) folders.emplace_back(folder, true);
  for (const auto& [folder, made] : folders) {
    findings.push_back(examine_writing(folder, made, system));
    const auto free = system.free_bytes(system.at(nearest(system, folder)));
    if (!free) continue;
    Finding f{"space", fmt::format("{} MiB for {}", *free / bytes_per_mib, folder), State::good, ""};
    if (*free < enough_bytes) {
      f.state = *free < bytes_per_mib ? State::bad : State::doubtful;
      f.run = fmt::format("sudo du -xh --max-depth=2 {} | sort -h | tail", nearest(system, folder).string());
    }
    findings.push_back(f);
  }
}

void examine_clock(const System& system, std::vector<Finding>& findings) {
  if (!system.clock_synchronised) return;
  if (*system.clock_synchronised) return findings.push_back({"clock", "is synchronised", State::good, ""});
  findings.push_back({"clock",
                      "is not synchronised: results bear wrong times, and frames stamped in UTC no known age",
                      State::doubtful, "sudo timedatectl set-ntp true"});
}

}  // namespace datum::doctor

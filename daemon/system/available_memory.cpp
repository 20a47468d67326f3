#include "daemon/system/available_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace datum {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> of_machine(const fs::path& root) {
  std::ifstream in(root / "proc/meminfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("MemAvailable:", 0) == 0) return std::stoull(line.substr(13)) << 10;
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::uint64_t value = 0;
  if (std::ifstream in(file); in >> value) return value;  // "max": none
  return std::nullopt;
}

/// "/a/b" of the line "0::/a/b".
std::string group_of(const fs::path& root) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("0::/", 0) == 0) return line.substr(4);
  return "";
}

}  // namespace

std::optional<std::uint64_t> available_memory(const fs::path& root) {
  std::optional<std::uint64_t> available = of_machine(root);
  const fs::path top = root / "sys/fs/cgroup";
  fs::path group = top;
  const auto limit = [&] {
    const auto most = number_in(group / "memory.max"), used = number_in(group / "memory.current");
    if (most && used) available = std::min(available.value_or(*most), *most - std::min(*most, *used));
  };
  limit();
  for (const fs::path& part : fs::path(group_of(root))) {
    group /= part;
    limit();
  }
  return available;
}

}  // namespace datum

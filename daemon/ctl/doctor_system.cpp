#include "daemon/ctl/doctor_system.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace datum::doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* service_groups[] = {"dialout", "video"};  // SupplementaryGroups of the unit

/// Fields of a line of /etc/group or /etc/passwd that `wanted` accepts; empty: none.
std::vector<std::string> entry(const System& system, const fs::path& file,
                               const std::function<bool(const std::vector<std::string>&)>& wanted) {
  std::istringstream lines(system.text(file).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ':');) fields.push_back(field);
    if (fields.size() >= 3 && wanted(fields)) return fields;
  }
  return {};
}

std::optional<std::uint64_t> free_bytes_of(const fs::path& path) {
  struct statvfs s {};
  if (::statvfs(path.c_str(), &s) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(s.f_bavail) * s.f_frsize;
}

std::optional<bool> clock_synchronised() {
  timex t{};
  const int state = ::adjtimex(&t);
  if (state < 0) return std::nullopt;
  return state != TIME_ERROR && (t.status & STA_UNSYNC) == 0;
}

}  // namespace

bool System::exists(const fs::path& path) const {
  std::error_code ignored;
  return fs::exists(at(path), ignored);
}

std::optional<std::string> System::text(const fs::path& path) const {
  std::ifstream in(at(path), std::ios::binary);
  if (!in) return std::nullopt;
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

std::optional<std::int64_t> System::number(const fs::path& path) const {
  const auto content = text(path);
  std::int64_t value = 0;
  if (!content ||
      std::from_chars(content->data(), content->data() + content->size(), value).ec != std::errc())
    return std::nullopt;
  return value;
}

std::vector<std::string> System::names_in(const fs::path& folder) const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator i(at(folder), error), end; !error && i != end; i.increment(error))
    names.push_back(i->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> System::target(const fs::path& link) const {
  std::error_code error;
  const fs::path to = fs::read_symlink(at(link), error);
  return error ? std::nullopt : std::optional(to.string());
}

bool System::allows(const fs::path& path, bool writing) const {
  struct stat s {};
  if (::stat(at(path).c_str(), &s) != 0) return false;
  if (account.uid == 0 && !account.service) return true;
  const mode_t wanted = writing ? 06 : 04;
  const mode_t granted = s.st_uid == account.uid               ? s.st_mode >> 6
                         : account.groups.count(s.st_gid) != 0 ? s.st_mode >> 3
                                                               : s.st_mode;
  return (granted & wanted) == wanted;
}

std::string System::group_of(const fs::path& path) const {
  struct stat s {};
  if (::stat(at(path).c_str(), &s) != 0) return "";
  const std::string id = std::to_string(s.st_gid);
  const auto found = entry(*this, "/etc/group", [&](const auto& fields) { return fields[2] == id; });
  return found.empty() ? id : found[0];
}

System this_computer() {
  System system;
  system.account.uid = ::geteuid();
  system.account.groups.insert(::getegid());
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(0, ::getgroups(0, nullptr))));
  if (::getgroups(static_cast<int>(groups.size()), groups.data()) >= 0)
    system.account.groups.insert(groups.begin(), groups.end());
  const std::string id = std::to_string(system.account.uid);
  const auto found = entry(system, "/etc/passwd", [&](const auto& fields) { return fields[2] == id; });
  system.account.name = found.empty() ? id : found[0];
  system.free_bytes = free_bytes_of;
  system.clock_synchronised = clock_synchronised();
  return system;
}

System this_computer_for_the_service() {
  System system = this_computer();
  constexpr unsigned nobody = 65534;  // a DynamicUser owns no file that existed before it
  system.account = {"datumd.service", nobody, {}, true};
  for (const char* name : service_groups) {
    const auto found = entry(system, "/etc/group", [&](const auto& fields) { return fields[0] == name; });
    if (!found.empty()) system.account.groups.insert(static_cast<unsigned>(std::stoul(found[2])));
  }
  return system;
}

std::vector<std::string> holders_of(const System& system, const std::string& target) {
  std::vector<std::string> holders;
  for (const std::string& pid : system.names_in("/proc")) {
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const fs::path process = fs::path("/proc") / pid;
    for (const std::string& fd : system.names_in(process / "fd")) {
      if (system.target(process / "fd" / fd) != target) continue;
      std::string name = system.text(process / "comm").value_or("?");
      name.erase(std::find(name.begin(), name.end(), '\n'), name.end());
      holders.push_back(name + " (" + pid + ")");
      break;
    }
  }
  return holders;
}

}  // namespace datum::doctor

// The computer as datumctl doctor sees it: files below a root, an account, and the two things that no file tells.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace datum::doctor {

/// Who runs datumd.
struct Account {
  std::string name;
  unsigned uid = 0;
  std::set<unsigned> groups;
  bool service =
      false;  // the systemd unit: it has the groups that the unit names and writes below its own folders only
};

struct System {
  std::filesystem::path root = "/";
  Account account;
  std::function<std::optional<std::uint64_t>(const std::filesystem::path&)> free_bytes;
  std::optional<bool> clock_synchronised;

  /// `path` is absolute, as datumd names it.
  std::filesystem::path at(const std::filesystem::path& path) const { return root / path.relative_path(); }
  bool exists(const std::filesystem::path& path) const;
  std::optional<std::string> text(const std::filesystem::path& path) const;
  std::optional<std::int64_t> number(const std::filesystem::path& path) const;
  std::vector<std::string> names_in(const std::filesystem::path& folder) const;  // sorted
  std::optional<std::string> target(const std::filesystem::path& link) const;
  /// By owner, group and mode; what does not exist is not.
  bool allows(const std::filesystem::path& path, bool writing) const;
  /// Of the file, as /etc/group names it; its number where it is not there.
  std::string group_of(const std::filesystem::path& path) const;
};

/// This computer, for whoever calls.
System this_computer();
/// This computer, for the systemd unit datumd.service.
System this_computer_for_the_service();

/// "datumd (1234)" of every process that has it open, as far as this account may see.
std::vector<std::string> holders_of(const System& system, const std::string& target);

}  // namespace datum::doctor

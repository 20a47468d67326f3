// The computer as seen by datumctl doctor: files below a root, an account, and two facts that no file contains.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace datum::doctor {

/// The account that runs datumd.
struct Account {
  std::string name;
  unsigned uid = 0;
  std::set<unsigned> groups;
  bool service =
      false;  // account of the systemd unit: it has the unit's groups and writes only below its own folders
};

struct System {
  std::filesystem::path root = "/";
  Account account;
  std::function<std::optional<std::uint64_t>(const std::filesystem::path&)> free_bytes;
  std::optional<bool> clock_synchronised;

  /// `path` is absolute, as in the configuration.
  std::filesystem::path at(const std::filesystem::path& path) const { return root / path.relative_path(); }
  bool exists(const std::filesystem::path& path) const;
  std::optional<std::string> text(const std::filesystem::path& path) const;
  std::optional<std::int64_t> number(const std::filesystem::path& path) const;
  std::vector<std::string> names_in(const std::filesystem::path& folder) const;  // sorted
  std::optional<std::string> target(const std::filesystem::path& link) const;
  /// By owner, group and mode; false for a missing file.
  bool allows(const std::filesystem::path& path, bool writing) const;
  /// Group of the file by /etc/group; its number where that has no entry.
  std::string group_of(const std::filesystem::path& path) const;
};

/// This computer with the caller's account.
System this_computer();
/// This computer with the account of the systemd unit datumd.service.
System this_computer_for_the_service();

/// "datumd (1234)" for every process that has `target` open, as far as this account can see.
std::vector<std::string> holders_of(const System& system, const std::string& target);

}  // namespace datum::doctor

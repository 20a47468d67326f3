// The journal's native protocol: one datagram for each entry, its fields by name (systemd.io/JOURNAL_NATIVE_PROTOCOL).
// libsystemd's sender waits where the journal does not read; this one never does, since the loop that feeds the watchdog
// writes the log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace datum {

class Journal {
 public:
  using Fields = std::vector<std::pair<std::string_view, std::string>>;
  static constexpr const char* well_known = "/run/systemd/journal/socket";
  /// Longer values are cut: what a datagram surely holds, with some room for the other fields.
  static constexpr std::size_t longest_value = std::size_t{32} * 1024;

  explicit Journal(const std::string& socket = well_known);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// From any thread. False: the journal took nothing, since it is not there or does not read.
  bool send(const Fields& fields) const;

  /// Whether standard error leads to the journal, as JOURNAL_STREAM says of whom systemd started (systemd.exec(5)).
  static bool has_standard_error();

 private:
  std::string address_;
  int socket_;
};

/// As it goes into the datagram; a value of several lines is framed by its length.
std::string journal_entry(const Journal::Fields& fields);

}  // namespace datum

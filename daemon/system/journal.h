// The native protocol of the journal: one datagram per entry, with named fields
// (https://systemd.io/JOURNAL_NATIVE_PROTOCOL). libsystemd's sender waits while the journal does not read. This one never
// waits: the loop that notifies the watchdog writes the log.
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
  /// Bytes; longer values are cut. A datagram holds this value with room for the other fields.
  static constexpr std::size_t longest_value = std::size_t{32} * 1024;

  explicit Journal(const std::string& socket = well_known);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Any thread may call it. False: the journal is absent or does not read, and the entry is lost.
  bool send(const Fields& fields) const;

  /// True: standard error is the journal's, by JOURNAL_STREAM (systemd.exec(5)).
  static bool has_standard_error();

 private:
  std::string address_;
  int socket_;
};

/// The datagram of an entry; a value of several lines is framed by its length.
std::string journal_entry(const Journal::Fields& fields);

}  // namespace datum

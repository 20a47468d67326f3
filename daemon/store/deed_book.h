// DeedBook: commands of hosts on their way into the chain of results (result_chain.h). Whoever checks results then sees
// who armed, chose or stored a recipe, or took control, and when. Values that a result states itself (trigger, unit,
// temperature) are not deeds. Only the loop's thread calls it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/system/token_bucket.h"

namespace datum {

class DeedBook {
 public:
  /// Limits per address of a host, so that endless commands do not fill the chain. The next deed of the host counts the
  /// omitted ones.
  static constexpr int per_second = 5, burst = 100;
  static constexpr std::size_t most_waiting = 1000;

  struct Doer {
    std::string host, role;
    std::string certificate{};  // unabridged; empty: the host was not authenticated
    std::string person{};       // as the host says; empty: nobody is named
  };
  /// `what`: a command in its received form, up to 512 bytes; beyond that its beginning, length and hash
  /// (bounded_text.h). `utc`: ISO 8601.
  void add(const Doer& who, std::string_view what, const std::string& utc, MonotonicNs now);
  /// A statement as it is, of what no host did.
  void add(std::string statement) { waiting_.push_back(std::move(statement)); }
  bool empty() const { return waiting_.empty(); }
  /// Removes and returns the statements for the chain, oldest first.
  std::vector<std::string> take();
  /// Returns statements that could not be stored to the front of the queue.
  void put_back(std::vector<std::string> statements);

 private:
  struct Account {
    TokenBucket deeds{per_second, burst};
    std::uint64_t left_out = 0;
  };
  static constexpr std::size_t most_accounts = 64;

  std::map<std::string, Account> accounts_;  // by host without port
  std::vector<std::string> waiting_;
};

}  // namespace datum

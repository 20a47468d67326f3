// DeedBook: what hosts did to the cell, on its way into the chain of results (result_chain.h), so that whoever checks results
// also learns who armed, chose a recipe, stored one or took control, and when. What a result states itself (trigger, unit,
// temperature) is none. On the loop's thread.
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
  /// Of one host by its address, so that the chain does not grow by whoever commands without end; what goes beyond is counted in
  /// its next deed.
  static constexpr int per_second = 5, burst = 100;
  static constexpr std::size_t most_waiting = 1000;

  struct Doer {
    std::string host, role;
    std::string certificate{};  // unabridged; empty: the host proved nothing
  };
  /// `what`: a command as it came; the whole of it is kept, up to 512 bytes, then its beginning, length and hash
  /// (bounded_text.h). `utc`: ISO 8601.
  void add(const Doer& who, std::string_view what, const std::string& utc, MonotonicNs now);
  bool empty() const { return waiting_.empty(); }
  /// Statements for the chain, oldest first; they are no longer waiting.
  std::vector<std::string> take();
  /// They could not be stored: they wait again, before the others.
  void put_back(std::vector<std::string> statements);

 private:
  struct Account {
    TokenBucket deeds{per_second, burst};
    std::uint64_t left_out = 0;
  };
  static constexpr std::size_t most_accounts = 64;

  std::map<std::string, Account> accounts_;  // by host without its port
  std::vector<std::string> waiting_;
};

}  // namespace datum

// HostMeter: commands, execution times and results per table of [host]. A host that reconnects continues its account, so
// there are as many accounts as links. Only the loop's thread calls it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "daemon/system/histogram.h"
#include "drivers/port/pollable.h"

namespace datum {

/// Seconds. A query from memory takes some 10 us; *OPC? and results wait for the store and the worker.
inline constexpr std::array<double, 14> command_bounds_s{20e-6, 50e-6, 100e-6, 200e-6, 500e-6, 1e-3, 2e-3,
                                                         5e-3,  10e-3, 20e-3,  50e-3,  0.1,    0.5,  2.0};

class HostMeter {
 public:
  struct Account {
    std::uint64_t done = 0, refused = 0;  // commands
    std::uint64_t announced = 0;          // results that were sent
    std::uint64_t acknowledged = 0;       // of them, where the protocol acknowledges
    std::uint64_t left_out = 0;           // results that were omitted for this host
    Histogram took_s{command_bounds_s};   // seconds from the begin to the end of a command's execution
  };

  /// The account of "tcp 192.168.0.7:50112" is "tcp".
  Account& of(std::string_view host) {
    const std::string key(host.substr(0, host.find(' ')));
    return accounts_.try_emplace(key).first->second;
  }
  void command(std::string_view host, bool done, MonotonicNs took_ns) {
    Account& account = of(host);
    ++(done ? account.done : account.refused);
    account.took_s.observe(static_cast<double>(took_ns) * 1e-9);
  }
  const std::map<std::string, Account>& accounts() const { return accounts_; }

 private:
  std::map<std::string, Account> accounts_;
};

}  // namespace datum

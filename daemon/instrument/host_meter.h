// HostMeter: what hosts asked, how long it took and what they were sent, by the table of [host] that they came by. A host
// that connects anew goes on in the same account, so there are as many as there are links. On the loop's thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "daemon/system/histogram.h"
#include "drivers/port/pollable.h"

namespace datum {

/// In seconds. A query is answered from memory in some 10 us; *OPC? and results wait for the store and the worker.
inline constexpr std::array<double, 14> command_bounds_s{20e-6, 50e-6, 100e-6, 200e-6, 500e-6, 1e-3, 2e-3,
                                                         5e-3,  10e-3, 20e-3,  50e-3,  0.1,    0.5,  2.0};

class HostMeter {
 public:
  struct Account {
    std::uint64_t done = 0, refused = 0;  // commands
    std::uint64_t announced = 0;          // results that went out
    std::uint64_t acknowledged = 0;       // of them, where the host says so
    std::uint64_t left_out = 0;           // results that this host was not sent
    Histogram took_s{command_bounds_s};   // from the beginning of a command's execution to its end
  };

  /// "tcp 192.168.0.7:50112" is of the account "tcp".
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

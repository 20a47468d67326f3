// LockArbiter: decides which host may command the cell, and logs their commands. One arbiter per cell
// (Instrument::control()); every codec asks it before a command that changes the cell. Only the loop's thread calls it.
//
// Without a holder of control every host may command. A holder keeps other hosts from changes; they may still read, and
// they may stop: ABORt needs no control, since a stop makes no result and no PASS.
//
// `reserved` names the link, not the host, that owns control without a holder: a PLC that runs the line. Another host
// must take control by force, which is logged. The reserved link gets it back on request at any moment.
//
// A host is named by its link and address: "serial /dev/ttyUSB0", "tcp 192.168.0.7:50112", "modbus_tcp 10.0.0.2:1053".
// The first word is the key of its table under [host] in the configuration.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "daemon/system/histogram.h"
#include "daemon/system/log_event.h"
#include "daemon/system/token_bucket.h"
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

/// Permissions of a link's hosts. Each role includes the one before it.
enum class Role : std::uint8_t {
  read,       // query, and settings of the own link
  operate,    // choose a recipe, arm, trigger, stop, request control
  configure,  // change recipes and calibrations, on which later verdicts depend; take reserved control
};
const char* name_of(Role role);

/// An authenticated host and its role.
struct HostIdentity {
  std::string certificate;  // unabridged: subject, serial, fingerprint
  Role role = Role::read;
};

/// Acts for which the law of the plant asks for a person's name, beside the host's.
enum class NamedAct : std::uint8_t {
  operate,    // choose a recipe, arm
  configure,  // change recipes and calibrations, override a check, acknowledge a control chart
  control,    // take control from another host by force
};

struct ControlSettings {
  std::string reserved;  // key of the link that owns control ("serial", "modbus_serial"); empty: none
  std::map<std::string, Role> roles{};  // by key of a link; an absent link has all permissions
  // Limits of logged commands per host, and of logged changes of control; further ones are counted.
  int logged_burst = 20, logged_per_second = 2;
  std::set<NamedAct> named{};  // refused without a person's name
};

class LockArbiter {
 public:
  using Clock = std::function<MonotonicNs()>;
  using Log = LogSink;

  /// Receives commands that later results do not state themselves, in their received form.
  using Deeds = std::function<void(const std::string& host, std::string_view what)>;

  LockArbiter(ControlSettings settings, Clock now, Log log);
  void on_deed(Deeds deeds) { deeds_ = std::move(deeds); }

  /// Sets the authenticated identity of a host until left(); its role replaces that of the link. A second call changes
  /// the role, and releases control where the new role may not operate.
  void identify(const std::string& host, HostIdentity identity);
  /// Empty: not authenticated.
  std::string certificate_of(const std::string& host) const;

  /// Who acts over this host's connection, until left() or another name; empty: nobody is named. Throws scpi::Error -224: no name.
  void name_person(const std::string& host, const std::string& person);
  std::string person_of(const std::string& host) const;

  /// True: `host` holds control now. False: another host does, see owner(). The reserved link always gets it. Throws
  /// scpi::Error -203 for the role `read`.
  bool request(const std::string& host);
  /// Takes control from any holder. Throws scpi::Error -203 where the role does not permit it: control that is reserved
  /// for another link demands `configure`.
  void force(const std::string& host);
  /// Releases control; no effect where another host holds it.
  void release(const std::string& host);
  /// The link of this host closed: releases its control.
  void left(const std::string& host);

  /// The host that holds control, or held it when its link broke; empty: none. A connection place is reserved for it.
  const std::string& place_kept_for() const { return holder_.empty() ? lost_ : holder_; }

  /// The holder of control, else the reserved link, else empty.
  std::string owner() const { return holder_.empty() ? settings_.reserved : holder_; }
  bool may_change(const std::string& host) const;
  Role role_of(const std::string& host) const;

  /// Permits and logs `what`, a command of `host` in its received form that demands the role `needed`. Throws scpi::Error
  /// -203 that names the missing role or the holder of control.
  void change(const std::string& host, std::string_view what, Role needed = Role::operate);
  /// The same for trigger, unit and temperature, which the board's result states; they are no deeds.
  void measure(const std::string& host, std::string_view what);
  /// The same for commands that the role operate permits at any time without control.
  void stop(const std::string& host, std::string_view what);

  /// Counters of commands and results; every codec updates them.
  HostMeter& meter() { return meter_; }

 private:
  struct Noted {
    TokenBucket commands, control;  // separate, so that many commands do not hide a change of control
    std::uint64_t left_out = 0;
  };
  static constexpr int logged_warning = 4, logged_notice = 5, logged_info = 6;
  bool is_reserved(const std::string& host) const;
  void demand(Role needed, const std::string& host) const;
  void demand_person(NamedAct act, const std::string& host) const;
  void note(int priority, const std::string& host, std::string_view what);
  void demand_control(const std::string& host) const;
  void tell_deed(const std::string& host, std::string_view what) const {
    if (deeds_) deeds_(host, what);
  }
  Noted& account_of(const std::string& host);

  ControlSettings settings_;
  Clock now_;
  Log log_;
  Deeds deeds_;
  HostMeter meter_;
  // lost_: the host whose link broke while it held control, until another host requests it.
  std::string holder_, lost_;
  std::map<std::string, HostIdentity> identities_;  // by host
  std::map<std::string, std::string> persons_;      // by host
  std::map<std::string, Noted> noted_;  // by host without port, so that a reconnection opens no new account
};

}  // namespace datum

// LockArbiter: which host may command the cell, and the log of who did what. One desk per cell (Instrument::control()),
// asked by every host's codec before a command that changes the cell.
//
// While nobody holds control every host may command. One that holds it keeps the others from changing anything; they
// still read, and they still stop: ABORt is not asked for here, since a stop makes no result and no PASS.
//
// `reserved` names the links (not the hosts) that own control while nobody else holds it: a PLC that runs the line. Another
// host then has to take it by force, which is logged, and the reserved link gets it back by asking, at any moment.
//
// A host is named by its link and where it is: "serial /dev/ttyUSB0", "tcp 192.168.0.7:50112", "modbus_tcp 10.0.0.2:1053".
// The first word is the key of its table under [host] in the configuration.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/instrument/host_meter.h"
#include "daemon/system/log_event.h"
#include "daemon/system/token_bucket.h"
#include "drivers/port/pollable.h"

namespace datum {

/// What the hosts of a link may do. Each may do what the one before it may.
enum class Role : std::uint8_t {
  read,     // ask, and set what is their own link's
  operate,  // choose a recipe, arm, trigger, stop, take control
  configure,  // change what later boards are judged by: recipes and calibrations; take control from whom it is reserved for
};
const char* name_of(Role role);

/// A host that proved who it is, and what it may therefore do.
struct HostIdentity {
  std::string certificate;  // unabridged: subject, serial, fingerprint
  Role role = Role::read;
};

struct ControlSettings {
  std::string reserved;                 // key of a link ("serial", "modbus_serial"); empty: none
  std::map<std::string, Role> roles{};  // by key of a link; one that is not there may do all
  // Commands that are logged of one host, and as many changes of control; what goes beyond is counted.
  int logged_burst = 20, logged_per_second = 2;
};

class LockArbiter {
 public:
  using Clock = std::function<MonotonicNs()>;
  using Log = LogSink;

  /// What a host does that later results do not state themselves: a command as it came.
  using Deeds = std::function<void(const std::string& host, std::string_view what)>;

  LockArbiter(ControlSettings settings, Clock now, Log log);
  void on_deed(Deeds deeds) { deeds_ = std::move(deeds); }

  /// This host proved who it is; until left(). Its role counts in place of its link's. Said again: it has another one, and
  /// gives control back where it may no longer operate.
  void identify(const std::string& host, HostIdentity identity);
  /// Empty: it proved nothing.
  std::string certificate_of(const std::string& host) const;

  /// True: `host` holds control now. False: another one does, see owner(). The reserved link always gets it. Throws
  /// scpi::Error -203 where it may only read.
  bool request(const std::string& host);
  /// Takes control from whoever has it. Throws scpi::Error -203 where the link's role does not allow it: where control is
  /// reserved for another link, `configure` does.
  void force(const std::string& host);
  /// Gives it back; nothing where another host holds it.
  void release(const std::string& host);
  /// The link of this host is gone: what it held is free.
  void left(const std::string& host);

  /// Whom a place is kept for: the host that holds control, or held it when its link broke; empty: none.
  const std::string& place_kept_for() const { return holder_.empty() ? lost_ : holder_; }

  /// The host that holds control, else the reserved link, else empty.
  std::string owner() const { return holder_.empty() ? settings_.reserved : holder_; }
  bool may_change(const std::string& host) const;
  Role role_of(const std::string& host) const;

  /// `host` is about to change the cell by `what`, a command as it came, for which a link needs the role `needed`. Throws
  /// scpi::Error -203 that names the role or the holder where it must not; otherwise logs it.
  void change(const std::string& host, std::string_view what, Role needed = Role::operate);
  /// The same for what the board's result will state: its trigger, unit, temperature. It is no deed.
  void measure(const std::string& host, std::string_view what);
  /// The same for what whoever operates may do at any time, whoever has control.
  void stop(const std::string& host, std::string_view what);

  /// What hosts asked and were sent: every codec enters it.
  HostMeter& meter() { return meter_; }

 private:
  struct Noted {
    TokenBucket commands, control;  // a flood of commands does not hide who took control
    std::uint64_t left_out = 0;
  };
  static constexpr int logged_warning = 4, logged_notice = 5, logged_info = 6;
  bool is_reserved(const std::string& host) const;
  void demand(Role needed, const std::string& host) const;
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
  std::string holder_, lost_;  // lost: its link broke while it held control, and nobody took it since
  std::map<std::string, HostIdentity> identities_;  // by host
  std::map<std::string, Noted> noted_;  // by host without its port, so that reconnecting opens no new account
};

}  // namespace datum

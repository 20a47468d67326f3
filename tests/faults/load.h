// The load under which a fault happens: frames that pour in, a host that is pushed its results, hosts that take them
// without loss and acknowledge each.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/faults/ledger.h"

namespace datum::faults {

using Moment = std::chrono::steady_clock::time_point;
inline Moment now() { return std::chrono::steady_clock::now(); }

class Load {
 public:
  Load(scenario::Cell& cell, Ledger& ledger) : cell_(cell), ledger_(ledger) {}

  /// Starts datumd; hosts connect when it is ready. `environment` as of scenario::Program.
  void launch(const std::map<std::string, std::string>& environment = {});
  /// And waits until it is. Throws std::runtime_error where it does not get there.
  void start(const std::map<std::string, std::string>& environment = {});
  bool ready() const { return !hosts_.empty(); }

  /// Delivers what is wanted, then waits until something happens, at most until then, and takes it in.
  void turn(Moment until);
  /// Turns until then, or until the daemon has ended.
  void turn_until(Moment moment);
  /// Turns until so many boards are delivered and measured. False: the daemon ended, or time was over.
  bool measure(int boards);
  /// A cell that was disarmed is armed again meanwhile.
  bool arms_again = false;
  int armed_again = 0;

  /// Ends the daemon by this signal; returns what Program::wait() does. What it had sent is taken in.
  int end(int signal);
  /// Of a daemon that ended by itself.
  int ended();

  int ahead = 4;         // frames that wait in the drop folder
  int most = 1'000'000;  // boards at all

 private:
  struct Client {
    std::unique_ptr<scenario::Host> host;
    bool acknowledges = false;
  };
  void connect();
  void take_notices();
  void take_lines(Client& client);
  void deliver();
  int waiting() const;
  void arm_if_idle();

  scenario::Cell& cell_;
  Ledger& ledger_;
  std::vector<Client> hosts_;
  bool was_armed_ = false;
};

/// Replaces a file of the cell by another in one step, as an editor does.
void replace(const scenario::Cell& cell, const std::string& name, const std::string& text);

}  // namespace datum::faults

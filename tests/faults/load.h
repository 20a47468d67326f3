// The load during a fault: continuous frames, a host with pushed results, and hosts with acknowledged lossless delivery.
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
  /// The same, and waits until it is ready. Throws std::runtime_error otherwise.
  void start(const std::map<std::string, std::string>& environment = {});
  bool ready() const { return !hosts_.empty(); }

  /// Delivers due frames, waits for an event until `until`, and handles it.
  void turn(Moment until);
  /// Turns until this moment, or until the daemon ended.
  void turn_until(Moment moment);
  /// Turns until this number of boards is delivered and measured. False: the daemon ended, or timeout.
  bool measure(int boards);
  /// Arms a disarmed cell again meanwhile.
  bool arms_again = false;
  int armed_again = 0;

  /// Ends the daemon by this signal and reads its sent lines; returns the value of Program::wait().
  int end(int signal);
  /// The same for a daemon that ended by itself.
  int ended();

  int ahead = 4;         // number of frames kept in the drop folder
  int most = 1'000'000;  // total number of boards

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

/// Replaces a file of the cell by a rename, as an editor does.
void replace(const scenario::Cell& cell, const std::string& name, const std::string& text);

}  // namespace datum::faults

// The well-behaved host of the soak: commands and lossless results.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "daemon/ctl/result_host.h"
#include "tests/scenario/scenario_program.h"

namespace datum::soak {

class SoakHost {
 public:
  /// Results after sequence number `after` are new to it.
  explicit SoakHost(std::uint64_t after) : delivery_(after) {}
  ~SoakHost() { leave(false); }
  SoakHost(const SoakHost&) = delete;
  SoakHost& operator=(const SoakHost&) = delete;

  /// Connects to 127.0.0.1 and requests unseen results.
  void connect(int port);
  /// Closes the connection, or resets it.
  void leave(bool abruptly);

  /// True: a place was free; one host too many gets a message and is closed.
  bool is_served();
  /// Throws std::runtime_error on a timeout or a hang-up of the daemon.
  std::string ask(const std::string& query);
  /// Sends a command that must succeed. Throws with the daemon's text otherwise.
  void command(const std::string& command);

  /// The next result; other lines are skipped. None: nothing came until `deadline`, or the daemon hung up. Throws where
  /// results are missing for good.
  std::optional<ResultLine> result(scenario::Deadline deadline);
  /// Time of reception of the last result of result().
  std::chrono::steady_clock::time_point received() const { return received_at_; }
  /// Waits for input, at most until `deadline`; reads nothing.
  void wait(scenario::Deadline deadline) const { scenario::readable({fd_}, deadline); }
  /// The newest sequence number of the store at the connection.
  std::uint64_t newest_at_start() const { return newest_; }

 private:
  struct Arrived {
    ResultLine line;
    std::chrono::steady_clock::time_point at;
  };
  /// Receives waiting bytes; waits for more until `deadline`. False: no more come.
  bool receive(scenario::Deadline deadline);
  void take(const std::string& line);
  void say(const std::string& bytes);

  int fd_ = -1;
  bool hung_up_ = true;
  ResultHost delivery_;
  std::string unread_, unsaid_, store_id_;
  std::uint64_t newest_ = 0;
  std::deque<std::string> answers_;
  std::deque<Arrived> results_;
  std::chrono::steady_clock::time_point received_at_{};
};

}  // namespace datum::soak

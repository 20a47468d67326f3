// The well-behaved host of the soak: commands, and results taken without loss.
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
  /// Results after sequence `after` are new to it.
  explicit SoakHost(std::uint64_t after) : delivery_(after) {}
  ~SoakHost() { leave(false); }
  SoakHost(const SoakHost&) = delete;
  SoakHost& operator=(const SoakHost&) = delete;

  /// Connects to 127.0.0.1 and asks for what it has not seen.
  void connect(int port);
  /// Hangs up, or breaks the connection off with a reset.
  void leave(bool abruptly);

  /// Whether there was room: another host too many is told so and hung up on.
  bool is_served();
  /// Throws std::runtime_error where no answer comes or the daemon hangs up.
  std::string ask(const std::string& query);
  /// A command that must be taken. Throws with the daemon's words where it is not.
  void command(const std::string& command);

  /// The next result, others passed over that are none; waits at most until `deadline`; none: nothing came, or the daemon
  /// hung up. Throws where results are missing for ever.
  std::optional<ResultLine> result(scenario::Deadline deadline);
  /// When the result that result() gave last had been received.
  std::chrono::steady_clock::time_point received() const { return received_at_; }
  /// Waits until something comes, at most until `deadline`; takes nothing.
  void wait(scenario::Deadline deadline) const { scenario::readable({fd_}, deadline); }
  /// Of the store when this host came: the newest sequence then.
  std::uint64_t newest_at_start() const { return newest_; }

 private:
  struct Arrived {
    ResultLine line;
    std::chrono::steady_clock::time_point at;
  };
  /// Takes what is there; waits for more until `deadline`. False: nothing more comes.
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

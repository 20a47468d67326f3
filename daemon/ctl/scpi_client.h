// A blocking client of the command protocol for datumctl and other short-lived programs.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "drivers/port/port.h"

namespace datum {

class ScpiClient {
 public:
  /// Opens the port. Throws LostError or RefusedError (drivers/link_error.h), and TransientError where the connection
  /// times out.
  ScpiClient(std::unique_ptr<Port> port, std::chrono::milliseconds time_out);

  struct Reply {
    std::vector<std::string> answers;  // without LF; pushed result lines are omitted
    std::vector<std::string> errors;   // from the error queue: `-113,"Undefined header;FOO"`
  };
  /// Sends one message, then reads its errors. An echoed mark shows the end of its answers, so that a command without an
  /// answer causes no waiting. Throws TransientError on a timeout, and LostError.
  Reply send(const std::string& message);

 private:
  Reply exchange(const std::string& message);
  void write(const std::string& bytes);
  std::string read_line();
  void wait(short events);
  [[noreturn]] void lost(const LostError& error);
  void start_clock() { until_ = std::chrono::steady_clock::now() + time_out_; }

  std::unique_ptr<Port> port_;
  std::chrono::milliseconds time_out_;
  std::chrono::steady_clock::time_point until_{};
  std::string received_, last_line_;
  unsigned mark_ = 0;
};

/// Length of the first line of `bytes` with its LF; 0 while it is incomplete. An LF within a definite length block or a
/// quoted string does not end it.
std::size_t whole_line(const std::string& bytes);

}  // namespace datum

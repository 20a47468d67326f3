// The PLC's end of a command link: sends lines, distinguishes answers from pushed results, and waits at most
// its timeout.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>

#include "drivers/port/port.h"
#include "tests/virtual_cell/virtual_plc_answers.h"

namespace datum::plc {

/// No input within the timeout.
class Timeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "tcp:HOST:PORT" (numeric host) or "serial:PATH[:BAUD]". Throws std::invalid_argument.
std::unique_ptr<Port> port_of(const std::string& link);

class HostLink {
 public:
  using Clock = std::chrono::steady_clock;

  /// Opens; a link that is not available is retried until `timeout`. Throws Timeout, RefusedError.
  HostLink(const std::string& link, std::chrono::milliseconds timeout);

  /// The instrument's *IDN? answer, with repeated queries: a line that the other end opens loses earlier
  /// bytes. Throws Timeout.
  std::string greet(std::chrono::milliseconds timeout);
  /// A command without answer; the error queue is read after it. Throws ProtocolError with the instrument's
  /// text.
  void command(const std::string& text);
  /// A query's answer. Throws Timeout.
  std::string query(const std::string& text);
  /// The next result line. Throws Timeout, ProtocolError.
  ResultLine wait_result(std::chrono::milliseconds timeout);

 private:
  void send(const std::string& line);
  /// Reads until an answer (or a pushed line) is available.
  std::string next(bool pushed, Clock::time_point until);
  void read_some(Clock::time_point until);

  std::unique_ptr<Port> port_;
  std::chrono::milliseconds answer_within_{5000};
  std::string received_;
  std::deque<std::string> answers_, pushed_;
};

}  // namespace datum::plc

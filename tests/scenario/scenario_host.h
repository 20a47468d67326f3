// A host of the command protocol on any descriptor, with deadlines.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "tests/scenario/scenario_program.h"
#include "tests/virtual_cell/virtual_plc_answers.h"

namespace datum::scenario {

/// Connects to 127.0.0.1.
int connect_tcp(int port);

class Host {
 public:
  /// Closes the descriptor at its destruction where it `owns` it.
  explicit Host(int fd, bool owns = true) : fd_(fd), owns_(owns) {}
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  int fd() const { return fd_; }
  void send(const std::string& line);
  /// The next line that is an answer. Throws on a timeout.
  std::string ask(const std::string& query);
  /// Sends a command and returns the oldest error: "0,..." without one.
  std::string command(const std::string& command) { return ask(command + "\nSYST:ERR?"); }
  /// The next pushed result, with verified CRC. Throws on a timeout.
  plc::ResultLine result();
  /// A pushed result that preceded the last answer; none: nothing was pushed.
  std::optional<std::string> pushed();

  /// Receives waiting bytes; false: the other end hung up.
  bool receive();

 private:
  std::string next(std::deque<std::string>& lines, const std::string& what);

  int fd_;
  bool owns_;
  std::string received_;
  std::deque<std::string> answers_, pushed_;
};

}  // namespace datum::scenario

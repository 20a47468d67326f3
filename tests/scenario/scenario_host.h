// A host of the command protocol on any descriptor, waiting with deadlines.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "tests/scenario/scenario_program.h"
#include "tests/virtual_cell/virtual_plc_answers.h"

namespace datum::scenario {

/// Connected to 127.0.0.1.
int connect_tcp(int port);

class Host {
 public:
  /// Takes the descriptor over where it `owns` it.
  explicit Host(int fd, bool owns = true) : fd_(fd), owns_(owns) {}
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  int fd() const { return fd_; }
  void send(const std::string& line);
  /// Next line that is an answer. Throws where none comes.
  std::string ask(const std::string& query);
  /// Sends a command; what the error queue then says: "0,..." where all went well.
  std::string command(const std::string& command) { return ask(command + "\nSYST:ERR?"); }
  /// Next pushed result, its CRC checked. Throws where none comes.
  plc::ResultLine result();
  /// A pushed result that came before what was answered last; none: nothing was pushed.
  std::optional<std::string> pushed();

  /// Takes what is there now; false: the other end has hung up.
  bool receive();

 private:
  std::string next(std::deque<std::string>& lines, const std::string& what);

  int fd_;
  bool owns_;
  std::string received_;
  std::deque<std::string> answers_, pushed_;
};

}  // namespace datum::scenario

// A program of datumd as a child process (datumd-gpu, datumd-parse): start, kill, and detection of its end without
// waiting.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace datum {

/// Descriptor of the child's end of the socket.
constexpr int child_socket_fd = 3;

class ChildProcess {
 public:
  ChildProcess() = default;
  /// Whether the child loads this process's LD_PRELOAD libraries. Such a library makes system calls that would kill a
  /// confined child.
  enum class Preloaded { as_here, none };
  /// Starts the program. Beside the standard descriptors it gets only its end of the socket. Standard input is empty;
  /// output and errors go to this process's standard error. Throws std::runtime_error.
  void start(const std::filesystem::path& program, const std::vector<std::string>& arguments = {},
             Preloaded preloaded = Preloaded::as_here);
  /// Kills the child without waiting. A child that hangs in a driver ends when the driver returns, and is reaped then.
  void kill();
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  bool started() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  /// This process's end of the socket.
  int socket() const { return socket_; }
  /// "was ended by signal 9", "ended with status 1", or "hung up" where it still runs; waits for at most 50 ms.
  std::string how_it_ended();

 private:
  void reap();

  pid_t pid_ = -1;
  int socket_ = -1;
  std::vector<pid_t> dying_;
};

/// Path of `name` in the folder of the running program.
std::filesystem::path program_beside_this(const char* name);

}  // namespace datum

// A program of datumd's own as a process beside it (datumd-gpu, datumd-parse): started, killed, and its end taken note of
// without waiting for it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace datum {

/// The child's end of the socket is this descriptor.
constexpr int child_socket_fd = 3;

class ChildProcess {
 public:
  ChildProcess() = default;
  /// What the dynamic linker loads into this process (LD_PRELOAD) is loaded into the child too, or not: such a library makes
  /// system calls that a confined child would be killed for.
  enum class Preloaded { as_here, none };
  /// Starts the program with the socket's other end as its only descriptor beside the standard ones. Standard
  /// input is empty; output and errors go to this process's standard error. Throws std::runtime_error.
  void start(const std::filesystem::path& program, const std::vector<std::string>& arguments = {},
             Preloaded preloaded = Preloaded::as_here);
  /// Kills it. Never waits: a process that hangs in a driver dies when the driver lets it; it is reaped then.
  void kill();
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  bool started() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  /// This end of the socket.
  int socket() const { return socket_; }
  /// "was ended by signal 9", "ended with status 1", or "hung up" where it lives on; looks for at most 50 ms.
  std::string how_it_ended();

 private:
  void reap();

  pid_t pid_ = -1;
  int socket_ = -1;
  std::vector<pid_t> dying_;
};

/// `name` in the folder of the running program.
std::filesystem::path program_beside_this(const char* name);

}  // namespace datum

#include "daemon/system/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

extern char** environ;

namespace datum {
namespace {

struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnPlan(int socket) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, 2, 1);
    posix_spawn_file_actions_adddup2(&actions, socket, child_socket_fd);
#if __GLIBC_PREREQ(2, 34)
    // The daemon opens its descriptors with close-on-exec; one of its libraries might not.
    posix_spawn_file_actions_addclosefrom_np(&actions, child_socket_fd + 1);
#endif
    // Default signal handling, and a process group of its own, so that Ctrl-C on a terminal reaches only the daemon.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
};

std::string as_text(int status) {
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

void ChildProcess::start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                         Preloaded preloaded) {
  kill();
  reap();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error(std::string("no socket: ") + std::strerror(errno));
  std::string name = program.string();
  std::vector<std::string> words = arguments;
  std::vector<char*> command{name.data()};
  for (std::string& word : words) command.push_back(word.data());
  command.push_back(nullptr);
  std::vector<char*> environment;
  for (char** variable = environ; *variable; ++variable)
    if (preloaded == Preloaded::as_here || std::strncmp(*variable, "LD_PRELOAD=", 11) != 0)
      environment.push_back(*variable);
  environment.push_back(nullptr);
  const SpawnPlan plan(ends[1]);
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, name.c_str(), &plan.actions, &plan.attributes, command.data(), environment.data());
  ::close(ends[1]);
  if (error) {
    ::close(ends[0]);
    throw std::runtime_error(name + " does not start: " + std::strerror(error));
  }
  pid_ = pid;
  socket_ = ends[0];
}

void ChildProcess::kill() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);  // not reaped yet, so the process number is still valid
  dying_.push_back(pid_);
  pid_ = -1;
  reap();
}

void ChildProcess::reap() {
  const auto gone = [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; };
  dying_.erase(std::remove_if(dying_.begin(), dying_.end(), gone), dying_.end());
}

ChildProcess::~ChildProcess() {
  kill();
  for (int i = 0; i < 100 && !dying_.empty(); ++i) {  // at most 100 ms; init reaps the rest
    ::poll(nullptr, 0, 1);
    reap();
  }
}

std::string ChildProcess::how_it_ended() {
  for (int i = 0; pid_ > 0 && i < 50; ++i) {
    int status = 0;
    const pid_t got = ::waitpid(pid_, &status, WNOHANG);
    if (got == pid_) {
      pid_ = -1;
      return as_text(status);
    }
    if (got < 0) break;
    ::poll(nullptr, 0, 1);
  }
  return "hung up";
}

std::filesystem::path program_beside_this(const char* name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (error ? std::filesystem::path(".") : self.parent_path()) / name;
}

}  // namespace datum

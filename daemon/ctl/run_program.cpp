#include "daemon/ctl/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace datum {
namespace {

using Clock = std::chrono::steady_clock;

/// Start conditions of the program: empty input, one pipe for all output, a process group of its own.
class SpawnSettings {
 public:
  explicit SpawnSettings(int pipe) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, pipe, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, pipe, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  bool spawn(pid_t& pid, const std::vector<std::string>& arguments) const {
    std::vector<char*> argv, environment;
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    char language[] = "LC_ALL=C", pager[] = "SYSTEMD_PAGER=";
    environment = {language, pager};
    for (char** e = environ; *e; ++e)
      if (std::strncmp(*e, "LC_ALL=", 7) != 0 && std::strncmp(*e, "SYSTEMD_PAGER=", 14) != 0)
        environment.push_back(*e);
    environment.push_back(nullptr);
    return posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv.data(), environment.data()) == 0;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// False: timeout before the program closed its output.
bool read_all(int pipe, Clock::time_point end, std::size_t most, ProgramOutput& out) {
  std::array<char, 65536> bytes{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd readable{pipe, POLLIN, 0};
    if (left <= 0 || ::poll(&readable, 1, static_cast<int>(left)) == 0) return false;
    const ssize_t n = ::read(pipe, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    const std::size_t room = most - out.text.size();
    out.cut = out.cut || static_cast<std::size_t>(n) > room;
    out.text.append(bytes.data(), std::min(room, static_cast<std::size_t>(n)));
  }
}

}  // namespace

std::string ProgramOutput::shortcoming() const {
  if (!started) return "the program is not there";
  if (!in_time) return "it did not end in time";
  if (cut) return "it said more than there is room for";
  if (!WIFEXITED(status)) return "it was killed";
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit status {}", WEXITSTATUS(status));
}

ProgramOutput run_program(const std::vector<std::string>& arguments, const ProgramLimits& limits) {
  ProgramOutput out;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return out;
  pid_t pid = -1;
  out.started = SpawnSettings(ends[1]).spawn(pid, arguments);
  ::close(ends[1]);
  if (out.started) {
    const auto end = Clock::now() + std::chrono::milliseconds(limits.timeout_ms);
    out.in_time = read_all(ends[0], end, limits.most_bytes, out);
    if (!out.in_time) ::kill(-pid, SIGKILL);
    while (::waitpid(pid, &out.status, 0) < 0 && errno == EINTR) continue;
  }
  ::close(ends[0]);
  return out;
}

}  // namespace datum

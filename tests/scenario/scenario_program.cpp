#include "tests/scenario/scenario_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace datum::scenario {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void become(std::vector<std::string> arguments, const fs::path& folder, const fs::path& log,
                         const std::map<std::string, std::string>& environment) {
  if (arguments[0].find('/') == std::string::npos) arguments[0] = DATUM_BIN "/" + arguments[0];
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  ::dup2(out, 1);
  ::dup2(out, 2);
  ::unsetenv("NOTIFY_SOCKET");
  ::unsetenv("JOURNAL_STREAM");
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  if (out >= 0 && ::chdir(folder.c_str()) == 0) ::execv(argv[0], argv.data());
  ::_exit(127);
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

}  // namespace

int slower() {
  const char* const by = std::getenv("DATUM_SLOWER");
  return by ? std::stoi(by) : 1;
}

// A demonstration takes 40 s where four tests run on two cores.
Deadline timeout() { return std::chrono::steady_clock::now() + std::chrono::seconds(180) * slower(); }

bool readable(const std::vector<int>& descriptors, Deadline deadline) {
  std::vector<pollfd> watched;
  for (const int fd : descriptors) watched.push_back({fd, POLLIN, 0});
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    const int n = ::poll(watched.data(), watched.size(), static_cast<int>(left.count()));
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
  }
}

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Program::Program(const std::vector<std::string>& arguments, const fs::path& folder, const std::string& log,
                 const std::map<std::string, std::string>& environment)
    : log_(folder / log) {
  std::ofstream(log_, std::ios::app).flush();  // created before it is watched
  pid_ = ::fork();
  if (pid_ == 0) become(arguments, folder, log_, environment);
  ended_ = pid_ < 0 ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (ended_ < 0) throw std::system_error(errno, std::generic_category(), "can't start " + arguments[0]);
}

Program::~Program() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(ended_);
}

void Program::signal(int number) const { ::kill(pid_, number); }

int Program::wait(Deadline deadline) {
  if (!readable({ended_}, deadline)) throw std::runtime_error("does not end; it said:\n" + output());
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool Program::says(const std::string& text, int times) const {
  const int watch = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  ::inotify_add_watch(watch, log_.c_str(), IN_MODIFY);
  const Deadline deadline = timeout();
  bool said = false, more = true;
  for (; !said && more; said = count(output(), text) >= times) {
    char events[4096];
    while (::read(watch, events, sizeof events) > 0) continue;
    if (count(output(), text) < times) more = readable({watch, ended_}, deadline) && !has_ended();
  }
  ::close(watch);
  return said;
}

bool Program::has_ended() const {
  pollfd ended{ended_, POLLIN, 0};
  return ::poll(&ended, 1, 0) > 0;
}

Outcome run(const std::vector<std::string>& arguments, const fs::path& folder, Deadline deadline) {
  const std::string log = "run.log";
  fs::remove(folder / log);
  Program program(arguments, folder, log);
  const int status = program.wait(deadline);
  return {status, program.output()};
}

}  // namespace datum::scenario

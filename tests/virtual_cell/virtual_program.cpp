#include "tests/virtual_cell/virtual_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace datum {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

int stop_signals() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const int fd = signalfd(-1, &stop, SFD_CLOEXEC);
  if (fd < 0) fail("signalfd");
  return fd;
}

void say(const char* program, const std::string& text) {
  fmt::print("{}: {}\n", program, text);
  std::fflush(stdout);
}

OrderPipe::OrderPipe(const std::filesystem::path& path) : path_(path) {
  if (path.empty()) return;
  if (::mkfifo(path.c_str(), 0600) != 0 && errno != EEXIST) fail(path.string());
  fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) fail(path.string());
}

OrderPipe::~OrderPipe() {
  if (fd_ >= 0) ::close(fd_);
}

bool OrderPipe::read_some() {
  char bytes[256];
  const ssize_t got = fd_ < 0 ? 0 : ::read(fd_, bytes, sizeof bytes);
  if (got <= 0) return false;
  received_.append(bytes, static_cast<std::size_t>(got));
  return true;
}

void OrderPipe::serve(const Obey& obey) {
  while (read_some()) continue;
  for (std::size_t end = 0; (end = received_.find('\n')) != std::string::npos; received_.erase(0, end + 1))
    obey(received_.substr(0, end));
}

void OrderPipe::serve(const char* program, const Obey& obey) {
  serve([&](const std::string& line) {
    try {
      obey(line);
      say(program, "done: " + line);
    } catch (const std::exception& error) {
      say(program, fmt::format("refused: {}: {}", line, error.what()));
    }
  });
}

std::string OrderPipe::wait() {
  std::size_t end = 0;
  while (fd_ >= 0 && (end = received_.find('\n')) == std::string::npos) {
    pollfd watched{fd_, POLLIN, 0};
    if (::poll(&watched, 1, -1) < 0 && errno != EINTR) fail(path_.string());
    read_some();
  }
  if (fd_ < 0) return "";
  const std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

}  // namespace datum

#include "drivers/ipp/ipp_stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace datum {
namespace {

constexpr int last_text_ms = 500;  // of a dying process
std::atomic<int> moving_socket{-1};

std::int64_t now_ms() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1'000'000;
}

/// Reads until the line "TAG %".
class DoneSeeker {
 public:
  explicit DoneSeeker(const char* tag) : tag_(tag) {}
  bool push(char c) {
    if (c != '\n') {
      if (size_ < sizeof line_) line_[size_++] = c;
      return false;
    }
    const bool done = size_ >= 7 && memcmp(line_, tag_, 5) == 0 && line_[6] == '%';
    size_ = 0;
    return done;
  }

 private:
  const char* tag_;
  char line_[8];  // first bytes of the line
  std::size_t size_ = 0;
};

bool say(int socket, const char* line, std::int64_t due_ms) {
  const std::size_t size = strlen(line);
  if (send(socket, line, size, MSG_NOSIGNAL | MSG_DONTWAIT) != static_cast<ssize_t>(size)) return false;
  DoneSeeker seeker(line);
  for (std::int64_t left = 0; (left = due_ms - now_ms()) > 0;) {
    pollfd watched{socket, POLLIN, 0};
    if (poll(&watched, 1, static_cast<int>(left)) < 0 && errno != EINTR) return false;
    char bytes[512];
    const ssize_t got = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got == 0) return false;
    if (got < 0 && errno != EAGAIN && errno != EINTR) return false;
    for (ssize_t i = 0; i < got; ++i)
      if (seeker.push(bytes[i])) return true;
  }
  return false;
}

/// The signal is raised again after the return, with its previous action.
void dying(int) {
  const int socket = moving_socket.exchange(-1);
  if (socket >= 0) ipp_stop(socket, last_text_ms);
}

void catch_once() {
  static std::atomic<bool> caught{false};
  if (caught.exchange(true)) return;
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    struct sigaction action {};
    action.sa_handler = [](int number) {
      dying(number);
      raise(number);
    };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

bool ipp_stop(int socket, int timeout_ms) {
  const std::int64_t due_ms = now_ms() + timeout_ms;
  const bool stopped = say(socket, "E9999 AbortE()\r\n", due_ms);
  if (stopped && say(socket, "99998 ClearAllErrors()\r\n", due_ms))
    say(socket, "99999 EndSession()\r\n", due_ms);
  return stopped;
}

std::string ipp_stop_first(const CmmSettings& settings, int timeout_ms) {
  const std::int64_t due_ms = now_ms() + timeout_ms;
  try {
    const std::unique_ptr<Port> port = open_link(settings);
    port->open();
    while (!port->connected()) {
      const std::int64_t left = due_ms - now_ms();
      if (left <= 0) return port->describe() + ": not connected within " + std::to_string(timeout_ms) + " ms";
      pollfd watched{port->fd(), POLLOUT, 0};
      poll(&watched, 1, static_cast<int>(left));
      port->write(nullptr, 0);  // reports a failed connect
    }
    const int left = static_cast<int>(due_ms - now_ms());
    return ipp_stop(port->fd(), left) ? "" : port->describe() + ": AbortE was not answered as done";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

void ipp_last_text(int socket) {
  if (socket >= 0) catch_once();
  moving_socket = socket;
}

}  // namespace datum

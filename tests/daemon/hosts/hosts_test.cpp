// Several hosts at once on the daemon's loop: a serial line and TCP connections, real descriptors, one thread each.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "daemon/hosts/command_server.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/daemon/scpi/loop_thread.h"
#include "tests/drivers/port/pty_pair.h"

namespace datum {
namespace {

/// Lines over a descriptor, with a deadline that only a hung daemon reaches.
class LineHost {
 public:
  explicit LineHost(int fd) : fd_(fd) {}
  void send(const std::string& bytes) const {
    for (std::size_t sent = 0; sent < bytes.size();) {
      wait(POLLOUT);
      if (const ssize_t n = write(fd_, bytes.data() + sent, bytes.size() - sent); n > 0)
        sent += static_cast<std::size_t>(n);
    }
  }
  std::string line() {
    for (;;) {
      if (const auto end = received_.find('\n'); end != std::string::npos) {
        std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      wait(POLLIN);
      char bytes[4096];
      const ssize_t n = read(fd_, bytes, sizeof bytes);
      if (n == 0) throw std::runtime_error("the daemon has closed the link");
      if (n > 0) received_.append(bytes, static_cast<std::size_t>(n));
    }
  }

 private:
  void wait(short events) const {
    pollfd entry{fd_, events, 0};
    if (poll(&entry, 1, 30'000) != 1) throw std::runtime_error("nothing for 30 s");
  }
  int fd_;
  std::string received_;
};

/// Sends `count` commands whose answers name the host and the command, sixteen in flight. Between them the mask of its
/// status register is set and read: hosts do not see each other's. Returns the number of wrong answers.
int converse(LineHost& host, int me, int count) {
  constexpr int ahead = 16;
  const auto command = [&](int i) {
    return i % 10 == 9 ? "*ESE " + std::to_string((me * 60 + i) % 256) + ";*ESE?\n"
                       : "DIAG:ECHO? 'host " + std::to_string(me) + " says " + std::to_string(i) + "'\n";
  };
  const auto due = [&](int i) {
    return i % 10 == 9 ? std::to_string((me * 60 + i) % 256)
                       : "\"host " + std::to_string(me) + " says " + std::to_string(i) + "\"";
  };
  int wrong = 0, sent = 0;
  for (int answered = 0; answered < count; ++answered) {
    for (; sent < count && sent < answered + ahead; ++sent) host.send(command(sent));
    const std::string answer = host.line();
    if (answer != due(answered) && ++wrong == 1)
      std::printf("host %d: '%s' is not %s\n", me, answer.c_str(), due(answered).c_str());
  }
  return wrong;
}

TEST(Hosts, FourAtOnceGetEachItsOwnAnswers) {
  constexpr int commands_each = 25'000;
  testing::FreshFolder folder;
  testing::TestCell cell(folder / "results.db");
  const LogSink quiet = [](int, const std::string&) {};
  testing::PtyPair pty;
  CommandLinkSettings serial;
  serial.reopen = true;
  serial.host = "serial " + pty.path();
  serial.commands_per_second = 1'000'000;
  SerialSettings line;
  line.path = pty.path();
  CommandLink link(serial_port(line), cell, serial, quiet);
  link.on_deadline(EventLoop::now());  // open before the first command
  CommandServerSettings settings;
  settings.port = 0;
  settings.commands_per_second = 1'000'000;
  CommandServer server(settings, cell, quiet);
  const testing::LoopThread loop({&link, &server});

  std::atomic<int> wrong = 0;
  std::vector<std::thread> hosts;
  for (int me = 0; me < 4; ++me)
    hosts.emplace_back([&, me] {
      try {
        const auto tcp = tcp_port("127.0.0.1", server.port());
        if (me > 0) tcp->open();
        LineHost host(me == 0 ? pty.fd() : tcp->fd());
        wrong += converse(host, me, commands_each);
      } catch (const std::exception& error) {
        std::printf("host %d: %s\n", me, error.what());
        ++wrong;
      }
    });
  for (auto& host : hosts) host.join();
  EXPECT_EQ(wrong, 0) << "lost or crossed answers among " << 4 * commands_each << " commands";
}

}  // namespace
}  // namespace datum

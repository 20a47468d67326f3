// What a command costs a host on TCP loopback: from its last byte sent to its answer's line end, one command at a time. Beside
// it a server on the same loop that sends back what it gets, so that what the kernel and the loop cost is seen.
//
//   bench_commands [REPEATS]
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "daemon/hosts/command_server.h"
#include "drivers/port/tcp_listener.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/daemon/scpi/loop_thread.h"

namespace {

using namespace datum;
using Clock = std::chrono::steady_clock;

/// Sends back what it gets, of one connection.
class Echo final : public Pollable {
 public:
  int fd() const override { return port_ ? port_->fd() : listener_.fd(); }
  void on_ready(MonotonicNs now) override {
    if (!port_) return listener_.on_ready(now);
    std::uint8_t bytes[4096];
    try {
      for (std::size_t n = 0; (n = port_->read(bytes, sizeof bytes)) > 0;) port_->write(bytes, n);
    } catch (const LostError&) {
      port_.reset();
    }
  }
  std::optional<MonotonicNs> deadline() const override { return std::nullopt; }
  void on_deadline(MonotonicNs) override {}
  std::string describe() const override { return "echo"; }
  std::uint16_t port() const { return listener_.port(); }

 private:
  TcpListener listener_{"127.0.0.1", 0, [this](std::unique_ptr<Port> port, const std::string&, MonotonicNs) {
                          port_ = std::move(port);
                        }};
  std::unique_ptr<Port> port_;
};

/// Waits as a blocking client does.
void await(const Port& port, short events) {
  pollfd entry{port.fd(), events, 0};
  if (poll(&entry, 1, 10'000) == 1) return;
  std::fprintf(stderr, "bench_commands: no answer in 10 s\n");
  std::exit(1);
}

double exchange_us(Port& port, const std::string& line) {
  const auto from = Clock::now();
  port.write(reinterpret_cast<const std::uint8_t*>(line.data()), line.size());
  for (bool ended = false; !ended;) {
    await(port, POLLIN);
    std::uint8_t bytes[16384];
    const std::size_t n = port.read(bytes, sizeof bytes);
    ended = n > 0 && bytes[n - 1] == '\n';
  }
  return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}

double row(const char* what, std::uint16_t at, const std::string& line, int repeats) {
  const auto port = tcp_port("127.0.0.1", at);
  port->open();
  await(*port, POLLOUT);
  for (int i = 0; i < repeats / 10; ++i) exchange_us(*port, line);  // caches and the scheduler settle
  std::vector<double> us;
  for (int i = 0; i < repeats; ++i) us.push_back(exchange_us(*port, line));
  std::sort(us.begin(), us.end());
  const auto share = [&](double s) {
    return us[static_cast<std::size_t>(s * static_cast<double>(us.size() - 1))];
  };
  std::printf("%-40s %9.1f %9.1f %9.1f us\n", what, share(0.5), share(0.99), us.back());
  return share(0.5);
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 20'000;
  testing::FreshFolder folder;
  testing::TestCell cell(folder / "results.db");
  cell.finish_board(testing::board());
  CommandServerSettings settings;
  settings.port = 0;
  settings.commands_per_second = 1'000'000;
  CommandServer server(settings, cell, [](int, const std::string&) {});
  Echo echo;
  const testing::LoopThread loop({&server, &echo});
  std::printf("%-40s %9s %9s %9s\n", "", "median", "99 %", "longest");
  const double plain = row("plain echo on the same loop", echo.port(), "DIAG:ECHO? 'x'\n", repeats);
  const double command = row("DIAG:ECHO? 'x'", server.port(), "DIAG:ECHO? 'x'\n", repeats);
  row("*STB?", server.port(), "*STB?\n", repeats);
  row("SYST:STAT?;:STAT:OPER:COND?;*OPC?", server.port(), "SYST:STAT?;:STAT:OPER:COND?;*OPC?\n", repeats);
  row("FETC:BOAR? of the store", server.port(), "FETC:BOAR?\n", repeats);
  std::printf("a command over an echo: %.1f us; its median must stay below 200 us\n", command - plain);
  return command < 200 ? 0 : 1;
}

// The daemon and a service manager: inherited sockets, and the watchdog.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

constexpr int exit_config = 78;

/// Stops all threads of a program except the first: an inspection that hangs while the loop turns.
class FrozenThreads {
 public:
  explicit FrozenThreads(pid_t pid) {
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
      const pid_t thread = std::stoi(task.path().filename());
      if (thread == pid || ::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) continue;
      ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
      ::waitpid(thread, nullptr, __WALL);
      threads_.push_back(thread);
    }
  }
  ~FrozenThreads() {
    for (const pid_t thread : threads_) ::ptrace(PTRACE_DETACH, thread, nullptr, nullptr);
  }
  FrozenThreads(const FrozenThreads&) = delete;
  FrozenThreads& operator=(const FrozenThreads&) = delete;

  std::size_t count() const { return threads_.size(); }

 private:
  std::vector<pid_t> threads_;
};

TEST(ScenarioManager, AHungInspectionIsNotFedThoughTheLoopTurns) {
  Cell cell;
  Program& datumd = cell.start({{"WATCHDOG_USEC", "2000000"}});
  const auto host = cell.connect();
  {
    const FrozenThreads frozen(datumd.pid());
    if (frozen.count() == 0) GTEST_SKIP() << "no thread may be traced here";
    cell.deliver("a", frame_of_box(good_height_um, 1));
    // Notified until half of the demanded period is over, then silent for a whole period: systemd would have killed it.
    const auto begin = std::chrono::steady_clock::now();
    auto fed = begin;
    while (std::chrono::steady_clock::now() < fed + std::chrono::seconds(2)) {
      ASSERT_LT(fed, begin + std::chrono::seconds(20)) << "fed on and on";
      readable({cell.notify().fd()}, fed + std::chrono::seconds(2));
      for (std::string message; !(message = cell.notify().next()).empty();)
        if (message == "WATCHDOG=1") fed = std::chrono::steady_clock::now();
    }
    EXPECT_NE(host->ask("SYST:STAT?"), "") << "the loop turns";
    EXPECT_FALSE(host->pushed());
  }
  EXPECT_EQ(host->result().decision, "PASS");
  EXPECT_EQ(cell.notify().await("WATCHDOG=1", datumd), "WATCHDOG=1");
}

/// The service manager's part: creates and keeps the socket, and passes it to each datumd that it starts.
class SocketUnit {
 public:
  explicit SocketUnit(const Cell& cell) : cell_(cell), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
  }
  ~SocketUnit() { ::close(socket_); }
  SocketUnit(const SocketUnit&) = delete;
  SocketUnit& operator=(const SocketUnit&) = delete;

  int port() const { return port_; }
  /// `names` as of FileDescriptorName=, one per passed socket.
  std::unique_ptr<Program> start(const std::string& names) const {
    std::string hand_over;
    int count = 0;
    for (const std::string& name : plc::split(names))
      if (!name.empty()) hand_over += std::to_string(3 + count++) + "<&" + std::to_string(socket_) + " ";
    std::string colons = names;
    std::replace(colons.begin(), colons.end(), ',', ':');
    return std::make_unique<Program>(
        std::vector<std::string>{
            "/bin/bash", "-c",
            "exec " + hand_over + "; LISTEN_PID=$$ exec " DATUM_BIN "/datumd --config datumd.toml"},
        cell_.path(), "unit." + std::to_string(++starts_) + ".log",
        std::map<std::string, std::string>{{"NOTIFY_SOCKET", (cell_.path() / "notify").string()},
                                           {"LISTEN_FDS", std::to_string(count)},
                                           {"LISTEN_FDNAMES", colons}});
  }

 private:
  const Cell& cell_;
  int socket_, port_ = 0;
  mutable int starts_ = 0;
};

void configure_port(const Cell& cell, int port) {
  std::string config = slurp(cell.path() / "datumd.toml");
  config.replace(config.find("port = 0"), 8, "port = " + std::to_string(port));
  cell.write("datumd.toml", config);
}

TEST(ScenarioManager, AHostThatComesWhileTheDaemonRestartsWaitsInTheServiceManagersSocket) {
  Cell cell;
  const SocketUnit unit(cell);
  configure_port(cell, unit.port());
  {
    const auto datumd = unit.start("tcp");
    ASSERT_EQ(cell.notify().await("READY=1", *datumd), "READY=1") << datumd->output();
    Host host(connect_tcp(unit.port()));
    EXPECT_EQ(host.ask("SYST:STAT?").rfind("ARMED", 0), 0u);
    cell.deliver("a", frame_of_box(good_height_um, 1));
    EXPECT_EQ(host.result().decision, "PASS");
    datumd->signal(SIGTERM);
    EXPECT_EQ(datumd->wait(), 0);
  }
  Host waiting(connect_tcp(unit.port()));  // not served yet
  waiting.send("DATA:COUN?");
  const auto datumd = unit.start("tcp");
  ASSERT_EQ(cell.notify().await("READY=1", *datumd), "READY=1") << datumd->output();
  EXPECT_EQ(waiting.ask("SYST:STAT?"), "1") << "the answer to what was asked before";
}

TEST(ScenarioManager, ASocketThatTheConfigurationDoesNotNameIsRefused) {
  Cell cell;
  const SocketUnit unit(cell);
  const auto refusal = [&](const std::string& names) {
    const auto datumd = unit.start(names);
    EXPECT_EQ(datumd->wait(), exit_config) << names;
    return datumd->output();
  };
  const std::string unnamed = refusal("datumd.socket");
  EXPECT_NE(
      unnamed.find("a socket 'datumd.socket'; FileDescriptorName= of the socket unit must be one of: tcp"),
      std::string::npos)
      << unnamed;
  EXPECT_NE(refusal("modbus_tcp").find("a socket 'modbus_tcp'"), std::string::npos);
  EXPECT_NE(refusal("tcp,tcp").find("a second socket 'tcp'"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(cell.path() / "results.db")) << "nothing was begun";
  // The configuration says port 0, a free one; the socket has another.
  EXPECT_NE(refusal("tcp").find("listens at 127.0.0.1:" + std::to_string(unit.port())), std::string::npos);
}

}  // namespace
}  // namespace datum::scenario

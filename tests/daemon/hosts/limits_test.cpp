// Limits of a host: access, number and rate of connections. Time is injected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "daemon/hosts/command_server.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/daemon/scpi/memory_port.h"
#include "tests/drivers/port/pty_pair.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using testing::MemoryPort;
using ::testing::StartsWith;

constexpr MonotonicNs second = 1'000'000'000;

TEST(TokenBucket, GivesItsBurstAndThenItsRate) {
  TokenBucket bucket(4, 3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(10 * second));
  EXPECT_FALSE(bucket.take(10 * second));
  EXPECT_EQ(bucket.ready_at(), 10 * second + second / 4);
  EXPECT_FALSE(bucket.take(10 * second + second / 4 - 1));
  EXPECT_TRUE(bucket.take(10 * second + second / 4));
  EXPECT_FALSE(bucket.take(10 * second)) << "a clock that goes back gives nothing";
  int taken = 0;
  while (bucket.take(100 * second)) ++taken;
  EXPECT_EQ(taken, 3) << "an hour of silence saves no more than the burst";
}

struct Paced : ::testing::Test {
  void connect(int commands_per_second) {
    CommandLinkSettings settings;
    settings.commands_per_second = commands_per_second;
    link = std::make_unique<CommandLink>(std::make_unique<MemoryPort>(wire), cell, settings,
                                         [](int, const std::string&) {});
    link->on_deadline(0);
  }
  int lines() const {
    return static_cast<int>(std::count(wire.from_daemon.begin(), wire.from_daemon.end(), '\n'));
  }
  testing::FreshFolder folder;
  testing::TestCell cell{folder / "results.db"};
  MemoryPort::Wire wire;
  std::unique_ptr<CommandLink> link;
};

// 10 a second, a burst of one.
TEST_F(Paced, SlowsAFastHostAndLosesNothing) {
  connect(10);
  std::string due;
  for (int i = 0; i < 300; ++i) {
    wire.to_daemon += "DIAG:ECHO? 'command " + std::to_string(i) + "'\n";
    due += "\"command " + std::to_string(i) + "\"\n";
  }
  link->on_ready(second);
  EXPECT_EQ(lines(), 1);
  const std::size_t left = wire.to_daemon.size();
  EXPECT_GT(left, 0u) << "the rest stays with the host";
  for (MonotonicNs now = second; lines() < 300;) {
    ASSERT_TRUE(link->deadline());
    ASSERT_GT(*link->deadline(), now);
    ASSERT_LE(*link->deadline(), now + second / 10);
    const int before = lines();
    link->on_deadline(now = *link->deadline());
    ASSERT_EQ(lines(), before + 1);
  }
  EXPECT_EQ(wire.from_daemon, due);
  link->on_ready(1000 * second);
  EXPECT_EQ(link->deadline(), std::nullopt);
}

TEST_F(Paced, CountsTheCommandsOfOneMessage) {
  connect(10);
  wire.to_daemon = "*ESE?;*ESE?;*ESE?\n";
  link->on_ready(second);
  EXPECT_EQ(lines(), 0);
  link->on_deadline(*link->deadline());
  EXPECT_EQ(lines(), 0);
  link->on_deadline(*link->deadline());
  EXPECT_EQ(wire.from_daemon, "0;0;0\n");
}

TEST_F(Paced, GivesTheOtherLinksTheirTurn) {
  connect(1'000'000);
  for (int i = 0; i < 1000; ++i) wire.to_daemon += "*ESE?\n";
  link->on_ready(second);
  EXPECT_EQ(lines(), 64);
  ASSERT_TRUE(link->deadline());
  EXPECT_LE(*link->deadline(), second) << "at once, when the others were served";
  for (int turns = 1; lines() < 1000; ++turns) {
    ASSERT_LT(turns, 20);
    link->on_deadline(second);
  }
}

TEST_F(Paced, ForgetsWhatWaitedWhenTheLineBreaks) {
  connect(10);
  wire.to_daemon = "*ESE?\n*ESE?\n*ESE?\n";
  link->on_ready(second);
  wire.broken = true;
  link->on_deadline(*link->deadline());
  EXPECT_TRUE(link->finished());
  EXPECT_EQ(link->deadline(), std::nullopt);
}

/// A server on the loopback device.
struct Served : ::testing::Test {
  void listen(CommandServerSettings settings) {
    settings.port = 0;
    settings.account_of = [this](const std::string&, int) { return account; };
    server = std::make_unique<CommandServer>(settings, cell,
                                             [this](int, const std::string& text) { log.push_back(text); });
  }
  std::unique_ptr<Port> connect() {
    auto host = tcp_port("127.0.0.1", server->port());
    host->open();
    serve();
    return host;
  }
  void serve() {
    if (testing::wait_readable(server->fd())) server->on_ready(now);
    if (server->deadline() && *server->deadline() <= now) server->on_deadline(now);
  }
  std::string ask(Port& host, const std::string& query, std::size_t answer) {
    const std::string line = query + "\n";
    host.write(reinterpret_cast<const std::uint8_t*>(line.data()), line.size());
    serve();
    return testing::receive(host, answer);
  }
  MonotonicNs now = 0;
  std::optional<std::uint32_t> account = ::geteuid() + 1;  // of the peer: another account
  testing::FreshFolder folder;
  testing::TestCell cell{folder / "results.db"};
  std::vector<std::string> log;
  std::unique_ptr<CommandServer> server;
};

TEST_F(Served, ClosesWhoIsNotAllowed) {
  CommandServerSettings settings;
  settings.allow = AllowList({"127.0.0.2", "192.168.0.0/16"});
  listen(settings);
  const auto stranger = connect();
  EXPECT_EQ(server->connections(), 0u);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_THAT(log[0], HasSubstr("127.0.0.1:"));
  EXPECT_THAT(log[0], HasSubstr("is not in host.tcp.allow"));
  EXPECT_THROW(testing::receive(*stranger, 1), LostError) << "without a word";
  settings.allow = AllowList({"127.0.0.0/8"});
  listen(settings);
  const auto friendly = connect();
  EXPECT_EQ(ask(*friendly, "*ESE?", 2), "0\n");
}

TEST_F(Served, KeepsAPlaceForRootAndItsOwnAccount) {
  CommandServerSettings settings;
  settings.most_connections = 1;
  listen(settings);
  const auto stuck = connect();
  account = std::nullopt;
  EXPECT_EQ(testing::receive(*connect(), 8), "REFUSED,");
  for (const std::uint32_t maintainer : {0u, static_cast<std::uint32_t>(::geteuid())}) {
    account = maintainer;
    const auto host = connect();
    EXPECT_EQ(ask(*host, "*ESE?", 2), "0\n");
    EXPECT_EQ(testing::receive(*connect(), 8), "REFUSED,") << "one";
    host->close();
    serve();
  }
  // Beyond the rate of look-ups, no account is looked up.
  account = ::geteuid() + 1;
  for (int i = 0; i < 20; ++i) connect();
  account = 0;
  EXPECT_EQ(testing::receive(*connect(), 8), "REFUSED,");
  now += 1'000'000'000;
  EXPECT_EQ(ask(*connect(), "*ESE?", 2), "0\n");
}

TEST_F(Served, TellsTheHostThatIsOneTooManyAndKeepsTheOthers) {
  CommandServerSettings settings;
  settings.most_connections = 2;
  listen(settings);
  const auto a = connect(), b = connect(), c = connect();
  const std::string said = "REFUSED,2 hosts are connected: host.tcp.most_connections\r\n";
  EXPECT_EQ(testing::receive(*c, said.size()), said);
  EXPECT_THROW(testing::receive(*c, 1), LostError);
  EXPECT_EQ(ask(*a, "*ESE?", 2), "0\n");
  EXPECT_EQ(ask(*b, "*ESE?", 2), "0\n");
}

// 60 s of silence suffice. A host that has control, receives results or waits for an operation is not idle.
TEST_F(Served, AHostThatIsIdleMakesRoomForAnother) {
  CommandServerSettings settings;
  settings.most_connections = 6;
  listen(settings);
  const auto owner = connect(), listener = connect(), receiver = connect(), waiter = connect();
  const auto silent = connect(), busy = connect();
  EXPECT_EQ(ask(*owner, "SYST:LOCK:REQ?", 2), "1\n");
  EXPECT_EQ(ask(*listener, "DATA:PUSH ON;*ESE?", 2), "0\n");
  ask(*receiver, with_crc("RESUME,-,0", LineCheck::crc16), 1);
  cell.replays.now.state = "RUNNING";
  EXPECT_EQ(ask(*waiter, "*ESE?;*STB?\n*OPC?", 2).substr(0, 2), "0;");
  now = 30 * second;
  EXPECT_EQ(ask(*busy, "*ESE?", 2), "0\n");
  now = 60 * second - 1;
  const std::string refused = "REFUSED,7 hosts are connected: host.tcp.most_connections\r\n";
  const auto owners_second = connect();
  EXPECT_EQ(ask(*owners_second, "*ESE?", 2), "0\n") << "the place of the address that has control";
  EXPECT_EQ(testing::receive(*connect(), refused.size()), refused);
  now = 60 * second;
  const auto another = connect();
  EXPECT_EQ(ask(*another, "*ESE?", 2), "0\n");
  const std::string said = "CLOSED,silent for 60 s, and another host came: host.tcp.idle_s\r\n";
  EXPECT_EQ(testing::receive(*silent, said.size()), said);
  EXPECT_THROW(testing::receive(*silent, 1), LostError);
  EXPECT_THAT(log, Contains(HasSubstr("another host came")));
  EXPECT_EQ(testing::receive(*connect(), 8), "REFUSED,") << "the next one has been silent for 30 s";
  for (const auto* host : {&owner, &listener, &busy, &another}) EXPECT_EQ(ask(**host, "*ESE?", 2), "0\n");
  EXPECT_EQ(server->connections(), 7u);
}

TEST_F(Served, AnEmptyLineOrARefusedCommandIsNoSignOfLife) {
  CommandServerSettings settings;
  settings.most_connections = 3;
  listen(settings);
  const auto empty = connect(), wrong = connect(), busy = connect();
  now = 30 * second;
  for (const auto& [host, line] :
       {std::pair(&empty, "\n"), std::pair(&wrong, "NONSENSE\n"), std::pair(&busy, "*ESE?\n")}) {
    (*host)->write(reinterpret_cast<const std::uint8_t*>(line), std::string(line).size());
    serve();
  }
  now = 60 * second;
  const auto a = connect(), b = connect(), c = connect();
  EXPECT_EQ(testing::receive(*empty, 7), "CLOSED,");
  EXPECT_EQ(testing::receive(*wrong, 7), "CLOSED,");
  EXPECT_EQ(ask(*a, "*ESE?", 2), "0\n");
  EXPECT_EQ(ask(*b, "*ESE?", 2), "0\n");
  EXPECT_EQ(testing::receive(*c, 8), "REFUSED,") << "the third one is at work";
}

// The newest goes: a long-lasting listener stays.
TEST_F(Served, HostsThatOnlyListenAreSafeInHalfOfThePlaces) {
  CommandServerSettings settings;
  settings.most_connections = 4;
  settings.push_results = true;
  listen(settings);
  const auto first = connect(), second_one = connect(), third = connect(), fourth = connect();
  now = 60 * second;
  const auto a = connect();
  EXPECT_EQ(ask(*a, "DATA:PUSH OFF;*ESE?", 2), "0\n");
  const auto b = connect();
  EXPECT_EQ(ask(*b, "DATA:PUSH OFF;*ESE?", 2), "0\n");
  EXPECT_EQ(testing::receive(*fourth, 7), "CLOSED,");
  EXPECT_EQ(testing::receive(*third, 7), "CLOSED,");
  EXPECT_EQ(testing::receive(*connect(), 8), "REFUSED,");
  EXPECT_EQ(ask(*first, "*ESE?", 2), "0\n");
  EXPECT_EQ(ask(*second_one, "*ESE?", 2), "0\n");
}

TEST_F(Served, OneAddressDoesNotTakeAllPlaces) {
  CommandServerSettings settings;
  settings.address = "0.0.0.0";
  settings.most_connections = 3;
  listen(settings);
  const auto a = connect(), b = connect(), local = connect();
  EXPECT_EQ(ask(*local, "*ESE?", 2), "0\n") << "the place of this computer";
  const std::string said = "REFUSED,2 hosts of 127.0.0.1 are connected: host.tcp.most_per_address\r\n";
  EXPECT_EQ(testing::receive(*connect(), said.size()), said);
  now = 60 * second;
  const auto d = connect();
  EXPECT_EQ(ask(*d, "*ESE?", 2), "0\n") << "an idle one of the same address went";
}

TEST_F(Served, KeepsAPlaceForTheHostThatHadControlWhenItsLinkBroke) {
  CommandServerSettings settings;
  settings.most_connections = 2;
  listen(settings);
  auto owner = connect();
  EXPECT_EQ(ask(*owner, "SYST:LOCK:REQ?", 2), "1\n");
  owner.reset();
  serve();
  const auto a = connect(), b = connect(), back = connect();
  EXPECT_EQ(ask(*back, "SYST:LOCK:REQ?", 2), "1\n");
  EXPECT_EQ(testing::receive(*connect(), 8), "REFUSED,");
  EXPECT_EQ(ask(*back, "SYST:LOCK:REL;*ESE?", 2), "0\n");
}

TEST_F(Served, FreesTheControlOfAHostThatIsGone) {
  listen({});
  auto a = connect();
  const auto b = connect();
  EXPECT_EQ(ask(*a, "SYST:LOCK:REQ?", 2), "1\n");
  EXPECT_EQ(ask(*b, "SYST:LOCK:REQ?", 2), "0\n");
  a.reset();
  serve();
  EXPECT_EQ(ask(*b, "SYST:LOCK:OWN?", 7), "\"NONE\"\n");
}

// Log lines about hosts: 50 at once and 2 a second.
TEST_F(Served, DoesNotFillTheJournalForHostsThatComeAndGo) {
  CommandServerSettings settings;
  settings.allow = AllowList({"127.0.0.2"});
  listen(settings);
  for (int i = 0; i < 200; ++i) connect();
  EXPECT_EQ(log.size(), 50u);
  now = second / 2;
  connect();
  EXPECT_THAT(log.at(50), StartsWith("commands: 150 lines about hosts are left out"));
  EXPECT_THAT(log.at(51), HasSubstr("is not in host.tcp.allow"));
}

/// A turn ends with the command that exceeds its 1 ms; further commands follow in the host's next turns.
TEST_F(Paced, AHostsTurnHasABudgetOfTime) {
  connect(10'000);
  cell.unit_takes_ns = 400'000;
  for (int i = 0; i < 10; ++i) wire.to_daemon += "CONF:UNIT 'u" + std::to_string(i) + "'\n";
  link->on_ready(second);
  EXPECT_EQ(cell.unit(), "u2");
  ASSERT_TRUE(link->deadline());
  EXPECT_LE(*link->deadline(), second) << "at once, when the others had their turn";
  for (const char* last : {"u5", "u8", "u9"}) {
    link->on_deadline(second);
    EXPECT_EQ(cell.unit(), last);
  }
  EXPECT_EQ(link->deadline(), std::nullopt);
}

}  // namespace
}  // namespace datum

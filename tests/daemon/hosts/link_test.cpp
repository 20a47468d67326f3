// Command links on real descriptors: a pseudo-terminal and TCP on the loopback device. Time is injected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <utility>

#include "daemon/ctl/scpi_client.h"
#include "daemon/delivery/result_line.h"
#include "daemon/hosts/command_server.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/drivers/port/pty_pair.h"

namespace datum {
namespace {

using testing::board;
using testing::FreshFolder;
using ::testing::HasSubstr;
using testing::PtyPair;
using ::testing::StartsWith;
using testing::TestCell;

struct Cell {
  FreshFolder folder;
  TestCell cell{folder / "results.db"};
  std::vector<std::string> log;
  LogSink sink = [this](int, const std::string& text) { log.push_back(text); };
};

/// Handles due events of a pollable: readable descriptor or deadline.
void serve(Pollable& p, MonotonicNs now = 0) {
  if (p.deadline() && *p.deadline() <= now) p.on_deadline(now);
  if (p.fd() >= 0 && testing::wait_readable(p.fd())) p.on_ready(now);
}

struct SocketLink : Cell {
  SocketLink() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
      throw std::runtime_error("socketpair");
    link = std::make_unique<CommandLink>(accepted_port(ends[0], "host"), cell,
                                         CommandLinkSettings{true, false}, sink);
  }
  ~SocketLink() { close(ends[1]); }
  void say(const std::string& text) {
    ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    serve(*link);
  }
  /// All received bytes.
  std::string heard() {
    std::string out;
    char bytes[65536];
    for (ssize_t n = 0; (n = read(ends[1], bytes, sizeof bytes)) > 0;)
      out.append(bytes, static_cast<std::size_t>(n));
    return out;
  }
  /// Reads and lets the link write until no more bytes come.
  std::string drain() {
    std::string out, part;
    while (!(part = heard()).empty() || link->wants_write()) {
      out += part;
      link->on_ready(0);
    }
    return out;
  }
  int ends[2] = {-1, -1};
  std::unique_ptr<CommandLink> link;
};

/// Further input stays with the host, and none is lost.
TEST(CommandLink, ReadsNoMoreWhileAnUploadIsUnderWay) {
  SocketLink s;
  s.cell.files.lasts = true;
  std::string behind;
  for (int i = 0; i < 2000; ++i) behind += "*OPC?\n";
  s.say("MMEM:DATA 'bench',#15bench,'good'\n" + behind);
  EXPECT_EQ(s.link->fd(), -1);
  EXPECT_EQ(s.link->deadline(), std::nullopt) << "the loop does not spin";
  EXPECT_EQ(s.heard(), "");
  s.cell.files.end_one();
  s.link->instrument_changed();
  EXPECT_GE(s.link->fd(), 0);
  std::string heard;
  for (int i = 0; i < 200 && heard.size() < 4000; ++i) {
    const MonotonicNs now = i * MonotonicNs{100'000'000};  // beyond one burst of the rate limit
    if (s.link->deadline())
      s.link->on_deadline(now);
    else
      s.link->on_ready(now);
    heard += s.heard();
  }
  EXPECT_EQ(heard.size(), 4000u) << "all are answered";
  EXPECT_EQ(s.cell.files.texts.count("bench"), 1u);
}

TEST(CommandLink, AnswersOverASerialLineAndComesBackAfterALoss) {
  Cell c;
  PtyPair pty;
  SerialSettings line;
  line.path = pty.path();
  CommandLink link(serial_port(line), c.cell, {false, true}, c.sink);
  ASSERT_EQ(link.deadline(), 0);
  link.on_deadline(0);
  ASSERT_GE(link.fd(), 0) << link.describe();
  pty.send("*IDN?\r\n");
  serve(link);
  EXPECT_EQ(pty.receive(26), "datum,datumd,cell-1,0.1.0\n");
  pty.hang_up();
  link.on_ready(1'000);
  EXPECT_EQ(link.fd(), -1);
  EXPECT_FALSE(link.finished());
  ASSERT_EQ(link.deadline(), 1'000 + 250'000'000);
  MonotonicNs now = *link.deadline(), last = 0;
  for (int i = 0; i < 8; ++i) {  // the path is missing: the pauses double up to 5 s
    link.on_deadline(now);
    ASSERT_TRUE(link.deadline());
    EXPECT_GE(*link.deadline() - now, last);
    last = *link.deadline() - now;
    now += last;
  }
  EXPECT_EQ(last, 5'000'000'000);
  EXPECT_THAT(link.describe(), HasSubstr("waiting to reopen"));
}

TEST(CommandLink, SaysNothingAtAWrongDeviceAndTriesNoMore) {
  Cell c;
  const auto file = c.folder / "plain";
  std::FILE* made = std::fopen(file.c_str(), "w");
  std::fclose(made);
  SerialSettings line;
  line.path = file.string();
  CommandLink link(serial_port(line), c.cell, {false, true}, c.sink);
  link.on_deadline(0);
  EXPECT_TRUE(link.finished());
  ASSERT_EQ(c.log.size(), 1u);
  EXPECT_THAT(c.log[0], HasSubstr("is it a serial device?"));
  EXPECT_THAT(link.describe(), HasSubstr("is it a serial device?"));
}

TEST(CommandLink, PushesAResultLineBetweenAnswers) {
  SocketLink s;
  s.say("CONF:REC 'mainboard';:INIT;:TRIG;*OPC?\n");
  const auto verdict = s.cell.finish_board(board());
  s.link->push_result(verdict);
  s.link->instrument_changed();
  EXPECT_EQ(s.heard(), result_line(verdict) + "\n1\n");
  s.say("DATA:PUSH OFF;PUSH?\n");
  s.link->push_result(verdict);
  EXPECT_EQ(s.heard(), "0\n");
}

TEST(CommandLink, LeavesOutLinesForAHostThatDoesNotReadAndSaysSo) {
  SocketLink s;
  std::vector<BoardVerdict> verdicts;
  for (std::uint64_t n = 1; n <= 6000; ++n) {
    BoardVerdict v = board();
    v.sequence = n;
    v.store_id = "abc";
    s.link->push_result(v);
  }
  const auto lost = s.link->lost_results();
  ASSERT_GT(lost, 0u);
  ASSERT_EQ(s.log.size(), 1u) << "one line, not one per result";
  const std::string heard = s.drain();
  const auto lines = static_cast<std::uint64_t>(std::count(heard.begin(), heard.end(), '\n'));
  EXPECT_EQ(lines, 6000 - lost + 1) << "all that was taken, and the gap";
  EXPECT_THAT(heard, HasSubstr("\n" + gap_line("abc", 6000 - lost + 1, 6000) + "\n"));
  EXPECT_THAT(s.link->describe(), HasSubstr(std::to_string(lost) + " result lines not sent"));
  for (std::size_t from = 0, n = 1; n + lost <= 6000; ++n) {  // whole lines, in order
    const auto to = heard.find('\n', from);
    ASSERT_EQ(parse_result_line(heard.substr(from, to - from)).sequence, n);
    from = to + 1;
  }
}

TEST(CommandLink, DropsAnswersThatNobodyReads) {
  SocketLink s;
  for (int i = 0; i < 100; ++i) {
    const std::string echo = "DIAG:ECHO? '" + std::string(60000, static_cast<char>('A' + i % 26)) + "'\n";
    for (std::size_t sent = 0; sent < echo.size(); s.link->on_ready(0)) {
      const ssize_t n = write(s.ends[1], echo.data() + sent, echo.size() - sent);
      if (n > 0) sent += static_cast<std::size_t>(n);
    }
  }
  const std::string heard = s.drain();
  EXPECT_LT(heard.size(), CommandLink::most_unsent + (1 << 20));
  for (std::size_t from = 0; from < heard.size(); from += 60003) {  // a partly sent line was completed
    const std::string line = heard.substr(from, 60003);
    ASSERT_EQ(line, '"' + std::string(60000, line[1]) + "\"\n");
  }
  s.say("SYST:ERR?\n");
  EXPECT_THAT(s.drain(), StartsWith("-430,\"Query DEADLOCKED;"));
}

TEST(CommandLink, SurvivesAHostThatVanishesWhileItIsAnswered) {
  SocketLink s;
  s.say("*IDN?\n");
  const std::string flood = "*IDN?;*IDN?\n*IDN?\n";
  ASSERT_GT(write(s.ends[1], flood.data(), flood.size()), 0);
  close(std::exchange(s.ends[1], -1));
  s.link->on_ready(0);
  s.link->on_ready(0);
  EXPECT_TRUE(s.link->finished());
  s.link->instrument_changed();
  s.link->push_result(s.cell.finish_board(board()));
  EXPECT_EQ(s.link->fd(), -1);
}

/// The server in a thread of its own, as with the daemon's loop, while blocking hosts use it. The account of the test is
/// replaced, since hosts of root have a reserved place.
CommandServerSettings for_nobody(CommandServerSettings settings) {
  settings.account_of = [](const std::string&, int) { return std::optional<std::uint32_t>(65'534); };
  return settings;
}

struct Served : Cell {
  explicit Served(const CommandServerSettings& settings = {"127.0.0.1", 0, 3, 0, 60, false})
      : server(for_nobody(settings), cell, sink), thread([this] {
          while (!stop) {
            pollfd entry{server.fd(), POLLIN, 0};
            if (poll(&entry, 1, 20) == 1) server.on_ready(0);
            if (server.deadline()) server.on_deadline(0);
          }
        }) {}
  ~Served() {
    stop = true;
    thread.join();
  }
  ScpiClient host() { return {tcp_port("127.0.0.1", server.port()), std::chrono::seconds(20)}; }

  CommandServer server;
  std::atomic<bool> stop = false;
  std::thread thread;
};

TEST(CommandServer, ServesHostsEachWithItsOwnErrors) {
  Served s;
  auto a = s.host(), b = s.host();
  EXPECT_EQ(a.send("*IDN?").answers, std::vector<std::string>{"datum,datumd,cell-1,0.1.0"});
  EXPECT_EQ(a.send("FOO").errors, std::vector<std::string>{"-113,\"Undefined header;FOO\""});
  EXPECT_EQ(b.send("SYST:ERR:COUN?;:DIAG:ECHO? 'x'").answers, std::vector<std::string>{"0;\"x\""});
  a.send("CONF:REC 'mainboard'");
  EXPECT_EQ(b.send("CONF:REC?").answers, std::vector<std::string>{"\"mainboard\",\"ab12\""})
      << "one instrument";
}

TEST(CommandServer, ClosesOneConnectionTooManyAndTakesTheNextWhenOneEnds) {
  Served s;
  {
    auto a = s.host(), b = s.host(), c = s.host();
    for (auto* host : {&a, &b, &c}) EXPECT_EQ(host->send("*ESE?").answers.size(), 1u);
    EXPECT_THROW(s.host().send("*ESE?"), LostError);
  }
  for (;;) {  // the three hang-ups reach the server at their own pace
    try {
      EXPECT_EQ(s.host().send("*ESE?").answers.size(), 1u);
      break;
    } catch (const LostError&) {
    }
  }
}

TEST(CommandServer, ForgetsAHostThatAPushFoundGone) {
  Cell c;
  CommandServer server({"127.0.0.1", 0, 3, 0, 60, true}, c.cell, c.sink);
  {
    auto host = tcp_port("127.0.0.1", server.port());
    host->open();
    serve(server);
    ASSERT_EQ(server.connections(), 1u);
    server.push_result(c.cell.finish_board(board()));
    ASSERT_TRUE(testing::wait_readable(host->fd()));
  }  // closed with the line unread: the connection is reset
  ASSERT_EQ(server.deadline(), std::nullopt);
  server.push_result(c.cell.finish_board(board()));
  ASSERT_EQ(server.deadline(), 0);
  server.on_deadline(0);
  EXPECT_EQ(server.connections(), 0u);
  EXPECT_EQ(server.deadline(), std::nullopt);
}

TEST(CommandServer, IsUnderstoodByLxiTools) {
  if (access("/usr/bin/lxi", X_OK) != 0) GTEST_SKIP() << "lxi-tools is not installed";
  Served s;
  const std::string command = fmt::format("lxi scpi -r -p {} -a 127.0.0.1 '*IDN?;*OPC?'", s.server.port());
  std::FILE* lxi = popen(command.c_str(), "r");
  char answer[256] = "";
  ASSERT_TRUE(std::fgets(answer, sizeof answer, lxi));
  EXPECT_STREQ(answer, "datum,datumd,cell-1,0.1.0;1\n");
  EXPECT_EQ(pclose(lxi), 0);
}

TEST(CommandServer, RefusesAnAddressThatIsTaken) {
  Served s;
  EXPECT_THROW(CommandServer({"127.0.0.1", s.server.port(), 3, false}, s.cell, s.sink), RefusedError);
}

}  // namespace
}  // namespace datum

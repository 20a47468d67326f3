// The metrics server with correct and faulty scrapers. Time is injected; sockets are real.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

#include "daemon/metrics/metrics_server.h"
#include "drivers/port/allow_list.h"
#include "tests/fresh_folder.h"

namespace datum::server_test {
namespace {

constexpr MonotonicNs ms = 1'000'000;

class Scraper {
 public:
  explicit Scraper(const std::filesystem::path& path) : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    path.native().copy(to.sun_path, sizeof to.sun_path - 1);
    connected = connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  explicit Scraper(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(port);
    connected = connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    fcntl(fd_, F_SETFL, O_NONBLOCK);
  }
  ~Scraper() { close(fd_); }
  Scraper(const Scraper&) = delete;
  Scraper& operator=(const Scraper&) = delete;

  void send(const std::string& text) const {
    EXPECT_EQ(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL), text.size());
  }
  void say_no_more() const { shutdown(fd_, SHUT_WR); }
  /// All waiting bytes; `ended` where the server has closed.
  std::string receive() {
    std::string text;
    char bytes[65536];
    ssize_t n = 0;
    while ((n = recv(fd_, bytes, sizeof bytes, 0)) > 0) text.append(bytes, static_cast<std::size_t>(n));
    ended = n == 0 || errno != EAGAIN;
    return text;
  }
  bool connected = false, ended = false;

 private:
  int fd_;
};

const std::string get = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";

class Server : public ::testing::Test {
 protected:
  Server() { start(); }
  void start(std::size_t size = 5) {
    server.reset();
    server.emplace(
        MetricsSettings{folder / "m.sock"},
        [this, size](MetricsForm form) {
          ++made;
          return form == MetricsForm::openmetrics ? "open\n" : std::string(size - 1, 'x') + "\n";
        },
        [this](int, const std::string& text, const LogEvent& event) {
          log += text + "\n";
          last = event.event;
        });
    turn();
  }
  /// Turns as the loop does, until no event is pending.
  void turn() {
    for (int i = 0; i < 100; ++i) {
      server->on_ready(now);
      if (const auto due = server->deadline(); due && *due <= now) server->on_deadline(now);
    }
  }
  std::string answer(const std::string& request) {
    Scraper s(folder / "m.sock");
    s.send(request);
    turn();
    const std::string text = s.receive();
    EXPECT_TRUE(s.ended) << request;
    return text;
  }

  testing::FreshFolder folder;
  MonotonicNs now = 1'000'000 * ms;
  int made = 0;
  std::string log;
  Event last = Event::none;
  std::optional<MetricsServer> server;
};

TEST_F(Server, AnswersAndCloses) {
  const std::string text = answer(get);
  EXPECT_EQ(text.substr(0, 17), "HTTP/1.1 200 OK\r\n");
  EXPECT_NE(text.find("Content-Type: text/plain; version=0.0.4"), std::string::npos);
  EXPECT_NE(text.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_EQ(text.substr(text.size() - 9), "\r\n\r\nxxxx\n");
  EXPECT_EQ(server->counts().answered, 1u);
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(Server, AsksForOpenMetricsAreFollowed) {
  const std::string accept = "GET /metrics HTTP/1.1\r\nAccept: ";
  EXPECT_NE(
      answer(accept + "application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1\r\n\r\n").find("open\n"),
      std::string::npos);
  EXPECT_NE(answer(accept + "text/plain, application/openmetrics-text;q=0\r\n\r\n").find("xxxx\n"),
            std::string::npos);
  EXPECT_NE(answer("GET /metrics HTTP/1.0\r\n\r\n").find("xxxx\n"), std::string::npos);
}

TEST_F(Server, WhatIsNoneIsRefusedInWords) {
  EXPECT_EQ(answer("GET / HTTP/1.1\r\n\r\n").substr(9, 3), "404");
  EXPECT_EQ(answer("GET /metricsx HTTP/1.1\r\n\r\n").substr(9, 3), "404");
  EXPECT_EQ(answer("POST /metrics HTTP/1.1\r\n\r\n").substr(9, 3), "405");
  EXPECT_EQ(answer("rubbish\r\n\r\n").substr(9, 3), "400");
  EXPECT_EQ(answer("GET /metrics HTTP/1.1\r\nno field\r\n\r\n").substr(9, 3), "400");
  EXPECT_EQ(answer("GET /metrics HTTP/2.0\r\n\r\n").substr(9, 3), "505");
  EXPECT_EQ(answer("GET /metrics HTTP/1.1\r\nX: " + std::string(HttpRequest::longest, 'x')).substr(9, 3),
            "431");
  EXPECT_EQ(server->counts().refused, 7u);
  EXPECT_EQ(made, 0) << "no text was made for them";
  const std::string head = answer("HEAD /metrics HTTP/1.1\r\n\r\n");
  EXPECT_EQ(head.substr(head.size() - 4), "\r\n\r\n") << "no body";
}

TEST_F(Server, ARequestInPiecesIsOneAndASlowOneIsGivenUp) {
  Scraper slow(folder / "m.sock"), in_time(folder / "m.sock");
  slow.send(get.substr(0, 5));
  in_time.send(get.substr(0, 5));
  turn();
  now += (MetricsServer::timeout_ms - 1) * ms;
  in_time.send(get.substr(5));
  turn();
  EXPECT_NE(in_time.receive().find("200 OK"), std::string::npos);
  EXPECT_EQ(server->connections(), 1u);
  now += ms;
  turn();
  EXPECT_EQ(server->connections(), 0u);
  slow.receive();
  EXPECT_TRUE(slow.ended);
  EXPECT_EQ(server->counts().given_up, 1u);
}

TEST_F(Server, WhoDoesNotReadHoldsNobodyUpForLong) {
  start(8 << 20);  // more than a socket buffers
  Scraper deaf(folder / "m.sock");
  deaf.send(get);
  turn();
  EXPECT_EQ(server->connections(), 1u);
  start(5);
  EXPECT_NE(answer(get).find("xxxx"), std::string::npos);
  start(8 << 20);
  Scraper hung_up(folder / "m.sock");
  hung_up.send(get);
  hung_up.say_no_more();
  turn();
  EXPECT_EQ(server->connections(), 0u) << "a half closed one must not wake the loop without end";
}

// Eight of them once blocked a scrape for 10 s.
TEST_F(Server, HalfARequestOrADeafReaderHoldsNoScrapeUp) {
  std::vector<std::unique_ptr<Scraper>> flood;
  for (std::size_t i = 0; i < MetricsServer::most_connections + 20; ++i) {
    flood.push_back(std::make_unique<Scraper>(folder / "m.sock"));
    flood.back()->send(get.substr(0, 5));
    now += 1000 / MetricsServer::per_second * ms;
    turn();
  }
  EXPECT_EQ(server->connections(), MetricsServer::most_connections);
  EXPECT_EQ(server->counts().given_up, 20u) << "the oldest went, before their time was over";
  flood[0]->receive();
  EXPECT_TRUE(flood[0]->ended);
  now += 1000 / MetricsServer::per_second * ms;
  EXPECT_NE(answer(get).find("xxxx"), std::string::npos);
  EXPECT_EQ(server->counts().answered, 1u);
  flood.back()->send(get.substr(5));
  turn();
  EXPECT_NE(flood.back()->receive().find("200 OK"), std::string::npos) << "the others are still served";
}

TEST_F(Server, AFloodIsServedAtItsPaceAndTheTextMadeSeldom) {
  int answered = 0;
  for (int i = 0; i < MetricsServer::burst + 10; ++i) {
    Scraper s(folder / "m.sock");
    s.send(get);
    turn();
    answered += !s.receive().empty();
  }
  EXPECT_EQ(answered, MetricsServer::burst);
  EXPECT_EQ(made, 1);
  const auto due = server->deadline();
  ASSERT_TRUE(due);
  EXPECT_GT(*due, now);
  now += 1000 * ms;
  turn();
  EXPECT_GE(server->counts().answered + server->counts().given_up, MetricsServer::burst + 1u);
}

TEST_F(Server, TheSocketIsTheGroupsAndASecondDaemonIsRefused) {
  struct stat s {};
  ASSERT_EQ(stat((folder / "m.sock").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0660u);
  std::string said;
  Event event = Event::none;
  MetricsServer second(
      {folder / "m.sock"}, [](MetricsForm) { return ""; },
      [&](int, const std::string& text, const LogEvent& e) {
        said = text;
        event = e.event;
      });
  second.on_deadline(now);
  EXPECT_NE(said.find("another program listens there"), std::string::npos) << said;
  EXPECT_EQ(event, Event::metrics_trouble);
  server.reset();  // the first server ends
  second.on_deadline(now + MetricsServer::listen_again_ms * ms);
  EXPECT_TRUE(Scraper(folder / "m.sock").connected) << "tried again by itself";
}

TEST_F(Server, WhatACrashLeftBehindIsTakenAwayAndNothingElse) {
  server.reset();
  { const Descriptor left = listen_at(folder / "m.sock"); }
  EXPECT_FALSE(Scraper(folder / "m.sock").connected);
  start();
  EXPECT_TRUE(Scraper(folder / "m.sock").connected);
  std::ofstream(folder / "file") << "kept";
  EXPECT_THROW(listen_at(folder / "file"), std::runtime_error);
  EXPECT_TRUE(std::filesystem::exists(folder / "file"));
  EXPECT_THROW(listen_at(std::filesystem::path(std::string(200, 'x'))), std::runtime_error);
}

TEST_F(Server, OnlyThisComputerReachesAPort) {
  EXPECT_TRUE(is_loopback("127.0.0.1") && is_loopback("127.8.8.8") && is_loopback("::1"));
  EXPECT_FALSE(is_loopback("0.0.0.0") || is_loopback("::") || is_loopback("192.168.1.1") ||
               is_loopback("localhost"));
  EXPECT_THROW(listen_at(std::string("0.0.0.0"), 0), std::runtime_error);
  const std::uint16_t free = port_of(listen_at(std::string("127.0.0.1"), 0));
  MetricsServer tcp(
      {{}, "127.0.0.1", free}, [](MetricsForm) { return "tcp\n"; }, [](int, const std::string&) {});
  tcp.on_deadline(now);
  Scraper s(free);
  ASSERT_TRUE(s.connected);
  s.send(get);
  for (int i = 0; i < 10; ++i) tcp.on_ready(now);
  EXPECT_NE(s.receive().find("tcp\n"), std::string::npos);
}

}  // namespace
}  // namespace datum::server_test

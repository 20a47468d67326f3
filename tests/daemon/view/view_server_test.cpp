// HTTP of the pages with clients as bad as they come.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <thread>

#include "daemon/view/view_server.h"

namespace datum {
namespace view_server_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// `from`: number of the address 127.0.0.N of the client.
int connected(std::uint16_t port, std::uint32_t from = 1) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in own{}, at{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl((127u << 24) + from);
  EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  const timeval patience{60, 0};  // far beyond every duration here
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return fd;
}

/// All bytes of the answer until the server closes.
std::string answer_to(std::uint16_t port, const std::string& bytes, std::uint32_t from = 1) {
  const int fd = connected(port, from);
  ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  std::string got;
  char some[4096];
  for (ssize_t n; (n = ::recv(fd, some, sizeof some, 0)) > 0;) got.append(some, static_cast<std::size_t>(n));
  ::close(fd);
  return got;
}

std::string request(const std::string& line, const std::string& more = "") {
  return line + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + more + "\r\n";
}

}  // namespace

struct ViewServerTest : ::testing::Test {
  std::string last_path;
  std::map<std::string, std::string> last_query;
  ViewServer server{{"127.0.0.1", 0}, {"cell-3"}, [this](const PageRequest& r) {
                      last_path = r.path;
                      last_query = r.query;
                      return PageAnswer{200, "text/html; charset=utf-8", "<p>page</p>", false};
                    }};
  std::string ask(const std::string& bytes) const { return answer_to(server.port(), bytes); }
};

TEST_F(ViewServerTest, AnswersGetAndHeadWithItsPolicy) {
  const std::string page = ask(request("GET /board/1?a=b%20c&d=%3Cx%3E&e"));
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(
      page, HasSubstr("Content-Security-Policy: default-src 'none'; style-src 'self'; img-src 'self' data:; "
                      "form-action 'self'; base-uri 'none'; frame-ancestors 'none'\r\n"));
  EXPECT_THAT(page, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(page, HasSubstr("Referrer-Policy: no-referrer\r\n"));
  EXPECT_THAT(page, HasSubstr("\r\n\r\n<p>page</p>"));
  EXPECT_EQ(last_path, "/board/1");
  EXPECT_EQ(last_query, (std::map<std::string, std::string>{{"a", "b c"}, {"d", "<x>"}, {"e", ""}}));
  const std::string head = ask(request("HEAD /"));
  EXPECT_THAT(head, HasSubstr("Content-Length: 11\r\n"));
  EXPECT_THAT(head, ::testing::EndsWith("\r\n\r\n"));
}

TEST_F(ViewServerTest, RefusesEveryOtherMethod) {
  for (const char* method :
       {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "FROB"}) {
    last_path = "none";
    EXPECT_THAT(ask(request(std::string(method) + " /board/1", "Content-Length: 1000000000\r\n")),
                HasSubstr(" 405 "))
        << method;
    EXPECT_EQ(last_path, "none");
  }
}

TEST_F(ViewServerTest, AnswersOnlyToItsOwnNames) {
  for (const char* good : {"127.0.0.1", "127.0.0.1:8025", "localhost", "localhost:1", "[::1]:8025",
                           "10.0.0.7", "cell-3", "cell-3:80"})
    EXPECT_TRUE(is_own_host(good, {"cell-3"})) << good;
  for (const char* bad : {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil", "[::1", "[evil]",
                          "cell-3:x", "cell-33", ":80", "127.0.0.1:80:80", "1"})
    EXPECT_FALSE(is_own_host(bad, {"cell-3"})) << bad;
  last_path = "none";
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"), HasSubstr(" 421 "));
  EXPECT_THAT(ask("GET / HTTP/1.0\r\n\r\n"), HasSubstr(" 421 "));
  EXPECT_EQ(last_path, "none");
}

TEST_F(ViewServerTest, StandsMalformedAndHugeRequests) {
  const std::string huge(1 << 20, 'x');
  for (const std::string& bytes :
       {std::string("\0\xff\x80 / \r\n\r\n", 9), std::string("GET\r\n\r\n"),
        "GET /" + huge + " HTTP/1.1\r\n\r\n", request("GET /", "X: " + huge + "\r\n"),
        std::string(1 << 16, '\n'), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")}) {
    const int fd = connected(server.port());
    ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    EXPECT_THAT(ask(request("GET /")), HasSubstr("<p>page</p>")) << "after " << bytes.substr(0, 20);
    char some[4096];
    const ssize_t n = ::recv(fd, some, sizeof some, MSG_DONTWAIT);
    EXPECT_THAT(std::string(some, static_cast<std::size_t>(std::max<ssize_t>(n, 0))),
                Not(HasSubstr("<p>page</p>")))
        << bytes.substr(0, 20);
    ::close(fd);
  }
}

TEST_F(ViewServerTest, HalfSentRequestsAndDeafReadersLeaveRoom) {
  std::vector<int> bad;
  for (unsigned n = 0; n + 4 < ViewServer::most_of_an_address; ++n) {
    bad.push_back(connected(server.port()));
    const std::string half = n % 2 ? "GET / HTTP/1.1\r\nHost: 127" : request("GET /deaf");
    ::send(bad.back(), half.data(), half.size(), MSG_NOSIGNAL);
  }
  EXPECT_THAT(ask(request("GET /")), HasSubstr("<p>page</p>"));
  for (const int fd : bad) ::close(fd);
}

TEST_F(ViewServerTest, OneAddressDoesNotHoldAllPlaces) {
  std::vector<int> bad;
  for (unsigned n = 0; n < ViewServer::most_of_an_address; ++n) {
    bad.push_back(connected(server.port()));
    ::send(bad.back(), "GET / HT", 8, MSG_NOSIGNAL);
  }
  EXPECT_EQ(ask(request("GET /")), "");  // closed at once
  EXPECT_THAT(answer_to(server.port(), request("GET /"), 2), HasSubstr("<p>page</p>"));
  for (const int fd : bad) ::close(fd);
}

TEST_F(ViewServerTest, AClientThatSendsAByteAtATimeLosesItsPlace) {
  const int slow = connected(server.port());
  ::send(slow, "GET / HTTP/1.1\r\nHost: 127", 25, MSG_NOSIGNAL);
  const int idle = connected(server.port());
  const std::string kept = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  ::send(idle, kept.data(), kept.size(), MSG_NOSIGNAL);
  char some[4096];
  EXPECT_GT(::recv(idle, some, sizeof some, 0), 0);
  EXPECT_THAT(ask(request("GET /")), HasSubstr("<p>page</p>"));  // accepted behind both
  const auto now = std::chrono::steady_clock::now();
  EXPECT_EQ(server.end_slow(now), 0u);
  ::send(slow, "x", 1, MSG_NOSIGNAL);  // a byte is no progress
  EXPECT_GE(server.end_slow(now + 2 * ViewServer::request_s), 1u);
  EXPECT_EQ(::recv(slow, some, sizeof some, 0), 0);
  EXPECT_EQ(::recv(idle, some, sizeof some, 0), 0);
  ::close(slow);
  ::close(idle);
  EXPECT_THAT(ask(request("GET /")), HasSubstr("<p>page</p>"));
}

PageAnswer page(const PageRequest&) {
  // Some processor time, so that the share of the next test is used up for days.
  const std::clock_t begin = std::clock();
  while (std::clock() == begin) {
  }
  return {200, "text/plain", "page", false};
}

TEST(PacedViewServer, HoldsWhatIsTooMuchAnswersStylesAndEndsWithRequestsThatWait) {
  std::vector<int> waiting;
  {
    ViewServer server({"127.0.0.1", 0}, {}, page,
                      PaceSettings{.share = 1e-12, .burst = std::chrono::nanoseconds(1), .most_waiting = 2});
    EXPECT_THAT(answer_to(server.port(), request("GET /")), StartsWith("HTTP/1.1 200"));
    // Both wait before the third asks: one epoll thread takes bytes in their order, and the styles' answer comes behind them.
    for (int i = 0; i < 2; ++i) {
      waiting.push_back(connected(server.port()));
      const std::string bytes = request("GET /");
      ::send(waiting.back(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      EXPECT_THAT(answer_to(server.port(), request("GET /style.css")), StartsWith("HTTP/1.1 200"));
    }
    const std::string refused = answer_to(server.port(), request("GET /", ""), 2);
    EXPECT_THAT(refused, StartsWith("HTTP/1.1 429"));
    EXPECT_THAT(refused, HasSubstr("Retry-After: 5\r\n"));
    EXPECT_THAT(answer_to(server.port(), request("POST /")), StartsWith("HTTP/1.1 405"));
  }
  for (const int fd : waiting) ::close(fd);
}

TEST(PacedViewServer, AnswersEachRequestAtItsTurn) {
  // Whatever share: each of eight connections that ask without a pause gets all its pages.
  ViewServer server({"127.0.0.1", 0}, {}, page,
                    PaceSettings{.share = 0.5, .burst = std::chrono::microseconds(1)});
  std::atomic<int> good = 0;
  std::vector<std::thread> clients;
  for (std::uint32_t c = 1; c <= 8; ++c)
    clients.emplace_back([&, c] {
      for (int i = 0; i < 20; ++i)
        good += answer_to(server.port(), request("GET /"), c % 2 + 1).starts_with("HTTP/1.1 200");
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 160);
}

TEST(PacedViewServer, AClientThatLeavesWhileItWaitsHoldsNobody) {
  ViewServer server({"127.0.0.1", 0}, {}, page,
                    PaceSettings{.share = 0.5, .burst = std::chrono::microseconds(1)});
  for (int i = 0; i < 50; ++i) {
    const int fd = connected(server.port());
    const std::string bytes = request("GET /");
    ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::close(fd);
  }
  // Until the server has seen them leave, 32 of them wait, and others are told to come again.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);  // of a failing test
  std::string answer;
  do answer = answer_to(server.port(), request("GET /"), 2);
  while (answer.starts_with("HTTP/1.1 429") && std::chrono::steady_clock::now() < deadline);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
}

TEST(ListenPlace, IsAPortOrANumericAddressAndAPort) {
  EXPECT_EQ(read_listen_place("8025").address, "127.0.0.1");
  EXPECT_EQ(read_listen_place("[::1]:81").address, "::1");
  EXPECT_EQ(read_listen_place("192.168.1.5:81").port, 81);
  EXPECT_FALSE(is_loopback(read_listen_place("0.0.0.0:80")));
  EXPECT_TRUE(is_loopback(read_listen_place("127.1.2.3:80")));
  for (const char* wrong :
       {"", "x", "65536", "cell-3:80", "::1:80", "127.0.0.1:", "127.0.0.1", "[127.0.0.1]:80", "-1"})
    EXPECT_THROW(read_listen_place(wrong), std::invalid_argument) << wrong;
}

}  // namespace view_server_test
}  // namespace datum

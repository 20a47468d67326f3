#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "drivers/port/tcp_listener.h"
#include "tests/drivers/port/pty_pair.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::receive;
using ::testing::StartsWith;
using testing::wait_readable;

const std::uint8_t* raw(const char* text) { return reinterpret_cast<const std::uint8_t*>(text); }

struct Server {
  std::vector<std::unique_ptr<Port>> links;
  std::vector<std::string> peers;
  MonotonicNs accepted_at = 0;
  TcpListener listener{"127.0.0.1", 0,
                       [this](std::unique_ptr<Port> link, const std::string& peer, MonotonicNs now) {
                         links.push_back(std::move(link));
                         peers.push_back(peer);
                         accepted_at = now;
                       }};
  std::unique_ptr<Port> connect() {
    auto client = tcp_port("127.0.0.1", listener.port());
    client->open();
    EXPECT_TRUE(wait_readable(listener.fd()));
    listener.on_ready(42);
    return client;
  }
};

// No network of this test loses a peer: only the socket options can be verified.
TEST(TcpPort, LosesAPeerThatIsGone) {
  Server server;
  const auto client = server.connect();
  const auto option = [&](const Port& port, int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    getsockopt(port.fd(), level, name, &value, &size);
    return value;
  };
  for (const Port* port : {server.links.at(0).get(), client.get()})
    EXPECT_EQ(option(*port, SOL_SOCKET, SO_KEEPALIVE), 1) << "where nothing is under way";
  EXPECT_EQ(option(*server.links.at(0), IPPROTO_TCP, TCP_USER_TIMEOUT), 60'000)
      << "where something is, in ms: a host's results";
  EXPECT_EQ(option(*client, IPPROTO_TCP, TCP_USER_TIMEOUT), 11'000) << "a device's polls";
}

TEST(TcpPort, CarriesBytesBothWays) {
  Server server;
  const auto client = server.connect();
  ASSERT_EQ(server.links.size(), 1u);
  EXPECT_EQ(server.accepted_at, 42);
  EXPECT_THAT(server.peers[0], StartsWith("127.0.0.1:"));
  EXPECT_EQ(server.links[0]->describe(), "tcp from " + server.peers[0]);
  EXPECT_TRUE(client->connected());
  ASSERT_EQ(client->write(raw("ping"), 4), 4u);
  EXPECT_EQ(receive(*server.links[0], 4), "ping");
  ASSERT_EQ(server.links[0]->write(raw("pong"), 4), 4u);
  EXPECT_EQ(receive(*client, 4), "pong");
  std::uint8_t byte = 0;
  EXPECT_EQ(client->read(&byte, 1), 0u);
}

TEST(TcpPort, APeerThatClosesIsLostAndTheClientConnectsAgain) {
  Server server;
  const auto client = server.connect();
  server.links.clear();
  ASSERT_TRUE(wait_readable(client->fd()));
  std::uint8_t byte = 0;
  EXPECT_THAT(message_of<LostError>([&] { client->read(&byte, 1); }), HasSubstr("the peer closed"));
  client->open();
  ASSERT_TRUE(wait_readable(server.listener.fd()));
  server.listener.on_ready(43);
  ASSERT_EQ(client->write(raw("again"), 5), 5u);
  EXPECT_EQ(receive(*server.links.at(0), 5), "again");
}

TEST(TcpPort, ARefusedConnectionIsLost) {
  auto server = std::make_unique<Server>();
  const auto client = tcp_port("127.0.0.1", server->listener.port());
  server.reset();
  const std::string why = message_of<LostError>([&] {
    client->open();  // the loopback may refuse at once or later
    std::uint8_t byte = 0;
    while (wait_readable(client->fd())) client->read(&byte, 1);
  });
  EXPECT_THAT(why, HasSubstr("can't connect: Connection refused"));
  EXPECT_FALSE(client->connected());
}

TEST(TcpPort, WrongTargetsAreRefused) {
  EXPECT_EQ(message_of<RefusedError>([] { tcp_port("", 5025); }),
            "tcp ':5025': needs a host and a port from 1 to 65535");
  EXPECT_EQ(message_of<RefusedError>([] { tcp_port("127.0.0.1", 0); }),
            "tcp '127.0.0.1:0': needs a host and a port from 1 to 65535");
}

TEST(TcpPort, AnAcceptedConnectionCantBeReopenedFromHere) {
  Server server;
  const auto client = server.connect();
  Port& accepted = *server.links.at(0);
  accepted.open();  // still open: nothing to do
  accepted.close();
  EXPECT_THAT(message_of<RefusedError>([&] { accepted.open(); }), HasSubstr("the peer must connect again"));
}

TEST(TcpListener, WaitsASecondWhereTheProcessIsOutOfDescriptors) {
  Server server;
  const auto client = tcp_port("127.0.0.1", server.listener.port());
  client->open();
  ASSERT_TRUE(wait_readable(server.listener.fd()));
  rlimit all{};
  getrlimit(RLIMIT_NOFILE, &all);
  const int next = dup(0);  // the lowest free descriptor
  close(next);
  const rlimit none{static_cast<rlim_t>(next), all.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  server.listener.on_ready(100);
  setrlimit(RLIMIT_NOFILE, &all);
  EXPECT_TRUE(server.links.empty());
  EXPECT_EQ(server.listener.fd(), -1);
  ASSERT_EQ(server.listener.deadline(), 1'000'000'100);
  EXPECT_THAT(server.listener.describe(), HasSubstr("out of descriptors"));
  server.listener.on_deadline(1'000'000'100);
  EXPECT_EQ(server.links.size(), 1u);
  EXPECT_GE(server.listener.fd(), 0);
}

TEST(TcpListener, TakesSixtyFourAtATimeSoThatAStormHoldsNobodyUp) {
  Server server;
  std::vector<std::unique_ptr<Port>> storm;
  for (int i = 0; i < 70; ++i) {
    storm.push_back(tcp_port("127.0.0.1", server.listener.port()));
    storm.back()->open();
  }
  server.listener.on_ready(1);
  EXPECT_EQ(server.links.size(), 64u);
  ASSERT_TRUE(wait_readable(server.listener.fd())) << "the others are there still";
  server.listener.on_ready(2);
  EXPECT_EQ(server.links.size(), 70u);
}

TEST(TcpListener, WrongAddressesAreRefused) {
  const auto ignore = [](std::unique_ptr<Port>, const std::string&, MonotonicNs) {};
  EXPECT_EQ(message_of<RefusedError>([&] { TcpListener("localhost", 0, ignore); }),
            "listen address 'localhost': must be numeric, e.g. 127.0.0.1 or ::");
  Server server;
  EXPECT_EQ(message_of<RefusedError>([&] { TcpListener("127.0.0.1", server.listener.port(), ignore); }),
            server.listener.describe() + ": Address already in use");
}

/// A socket as made by a service manager: bound, listening unless stated otherwise, blocking, not closed on
/// exec.
int listening_at(const char* address, int family, std::uint16_t port, bool listens = true) {
  const int socket = ::socket(family, SOCK_STREAM, 0);
  sockaddr_storage at{};
  at.ss_family = static_cast<sa_family_t>(family);
  if (family == AF_INET6) {
    reinterpret_cast<sockaddr_in6&>(at).sin6_port = htons(port);
    inet_pton(family, address, &reinterpret_cast<sockaddr_in6&>(at).sin6_addr);
  } else {
    reinterpret_cast<sockaddr_in&>(at).sin_port = htons(port);
    inet_pton(family, address, &reinterpret_cast<sockaddr_in&>(at).sin_addr);
  }
  EXPECT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&at),
                 family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in)),
            0);
  EXPECT_EQ(listens ? listen(socket, 5) : 0, 0);
  return socket;
}

std::uint16_t port_of(int socket) {
  sockaddr_in6 at{};  // its port has the offset of that in sockaddr_in
  socklen_t size = sizeof at;
  getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.sin6_port);
}

TEST(TcpListener, TakesASocketThatListensWhereItIsTold) {
  for (const auto& [address, family] : {std::pair{"127.0.0.1", AF_INET}, std::pair{"::1", AF_INET6}}) {
    const int socket = listening_at(address, family, 0);
    const std::uint16_t port = port_of(socket);
    const auto client = tcp_port(address, port);  // pending before it is accepted
    client->open();
    std::size_t accepted = 0;
    TcpListener listener(
        address, port, [&](std::unique_ptr<Port>, const std::string&, MonotonicNs) { ++accepted; }, socket);
    EXPECT_EQ(listener.fd(), socket);
    EXPECT_EQ(listener.port(), port);
    ASSERT_TRUE(wait_readable(listener.fd()));
    listener.on_ready(1);  // returns, so it does not block
    EXPECT_EQ(accepted, 1u);
    EXPECT_EQ(fcntl(socket, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  }
}

TEST(TcpListener, ASocketElsewhereIsRefusedAndClosed) {
  const auto ignore = [](std::unique_ptr<Port>, const std::string&, MonotonicNs) {};
  const auto refusal = [&](const char* address, std::uint16_t port, int socket) {
    const std::string said = message_of<RefusedError>([&] { TcpListener(address, port, ignore, socket); });
    EXPECT_EQ(fcntl(socket, F_GETFD), -1) << "still open";
    return said;
  };
  const int one = listening_at("127.0.0.1", AF_INET, 0);
  const std::uint16_t port = port_of(one);
  const std::string at = "listens at 127.0.0.1:" + std::to_string(port) + ";";
  EXPECT_THAT(refusal("127.0.0.1", static_cast<std::uint16_t>(port - 1), one), HasSubstr(at)) << "its port";
  for (const char* address : {"0.0.0.0", "127.0.0.2", "::", "::ffff:127.0.0.1"})
    EXPECT_THAT(refusal(address, port, listening_at("127.0.0.1", AF_INET, port)), HasSubstr(at)) << address;
  EXPECT_THAT(refusal("127.0.0.1", 0, listening_at("127.0.0.1", AF_INET, port)), HasSubstr(at)) << "any port";
  EXPECT_THAT(refusal("127.0.0.1", port, listening_at("127.0.0.1", AF_INET, port, false)),
              HasSubstr("is no listening TCP socket"));
  EXPECT_THAT(refusal("127.0.0.1", port, socket(AF_UNIX, SOCK_STREAM, 0)),
              HasSubstr("is no listening TCP socket"));
}

}  // namespace
}  // namespace datum

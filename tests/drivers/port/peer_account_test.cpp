// The account at the other end of a local connection.
#include "drivers/port/peer_account.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace datum::peer_account_test {
namespace {

constexpr const char* table =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 0100007F:13A1 00000000:0000 0A 00000000:00000000 00:00000000 00000000   996        0 100 1 0 100 "
    "0 0 10 0\n"
    "   1: 0100007F:13A1 0100007F:A2BF 01 00000000:00000000 00:00000000 00000000   996        0 101 1 0 20 4 "
    "30 10 -1\n"
    "   2: 0100007F:A2BF 0100007F:13A1 01 00000000:00000000 00:00000000 00000000  1000        0 102 1 0 20 4 "
    "30 10 -1\n"
    "   3: 0100007F:A2C0 0100007F:13A1 06 00000000:00000000 03:00000F00 00000000     0        0 0 3 0\n"
    "   4: 0900007F:A2BF 0100007F:13A1 01 00000000:00000000 00:00000000 00000000    33        0 103 1 0 20 4 "
    "30 10 -1\n"
    "   5: 0100007F:A2C1 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 104 1 0 20 4 "
    "30 10 -1\n";

TEST(PeerAccount, IsThatOfTheOtherEndOfAnEstablishedConnection) {
  EXPECT_EQ(account_in(table, "127.0.0.1:41663", 5025), 1000u);
  EXPECT_EQ(account_in(table, "127.0.0.9:41663", 5025), 33u);
  EXPECT_FALSE(account_in(table, "127.0.0.1:41664", 5025)) << "it has hung up: uid 0 is nobody's";
  EXPECT_FALSE(account_in(table, "127.0.0.1:41665", 5025)) << "connected to another port";
  EXPECT_FALSE(account_in(table, "127.0.0.1:1", 5025));
  EXPECT_FALSE(account_in(table, "nonsense", 5025));
  EXPECT_FALSE(account_in("", "127.0.0.1:41663", 5025));
  EXPECT_EQ(
      account_in(
          "0: 00000000000000000000000001000000:A2BF 00000000000000000000000001000000:13A1 01 0:0 0:0 0 7 0",
          "[::1]:41663", 5025),
      7u);
}

TEST(PeerAccount, IsToldOfARealConnection) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0), host = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{}, own{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  ASSERT_EQ(::connect(host, reinterpret_cast<sockaddr*>(&address), size), 0);
  ::getsockname(host, reinterpret_cast<sockaddr*>(&own), &size);
  EXPECT_EQ(account_of_peer("127.0.0.1:" + std::to_string(ntohs(own.sin_port)), ntohs(address.sin_port)),
            ::geteuid());
  ::close(host);
  ::close(listener);
}

}  // namespace
}  // namespace datum::peer_account_test

// The gate before a TLS server alone, over socket pairs with assigned addresses.
#include "daemon/hosts/tls_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/drivers/tls/tls_wire.h"

namespace datum {
namespace tls_gate_test {

using ::testing::ElementsAre;
using ::testing::StartsWith;

struct Gate : ::testing::Test {
  Gate()
      : gate(files.server, {testing::tls_clock, [this] { return monotonic += each_look_ns; },
                            [this](std::unique_ptr<Port>, const std::string& peer, const TlsIdentity&,
                                   MonotonicNs) { in.push_back(peer); },
                            [this](const std::string& peer, const std::string& why, MonotonicNs) {
                              out.push_back(peer + ": " + why);
                            },
                            "REFUSED\r\n"}) {}
  ~Gate() override {
    for (const int fd : ends) close(fd);
  }
  int enter(const std::string& peer) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0)
      throw std::runtime_error("socketpair");
    ends.push_back(pair[1]);
    gate.enter(accepted_port(pair[0], peer), peer, 0);
    return pair[1];
  }
  testing::TlsFiles files;
  MonotonicNs monotonic = 0, each_look_ns = 0;
  std::vector<std::string> in, out;
  std::vector<int> ends;
  TlsGate gate;
};

TEST_F(Gate, TheOldestHandshakeMakesRoom) {
  for (std::size_t i = 0; i < TlsGate::most_handshakes; ++i) enter("10.0.0." + std::to_string(i) + ":1");
  EXPECT_EQ(gate.handshakes(), TlsGate::most_handshakes);
  EXPECT_TRUE(out.empty());
  enter("10.0.1.1:1");
  EXPECT_EQ(gate.handshakes(), TlsGate::most_handshakes);
  EXPECT_THAT(out, ElementsAre(StartsWith("10.0.0.0:1: its TLS handshake is the oldest of 32")));
}

/// An account of this computer opens handshakes as fast as it can, from many loopback addresses.
TEST_F(Gate, AFloodOfThisComputerLeavesRootsHandshakeAlone) {
  enter("127.0.0.1:1000");
  for (int i = 0; i < 200; ++i) enter("127.0.0." + std::to_string(i % 50) + ":" + std::to_string(30'000 + i));
  for (const std::string& line : out) EXPECT_THAT(line, ::testing::Not(StartsWith("127.0.0.1:1000")));
  enter("127.0.0.1:1001");
  EXPECT_EQ(gate.handshakes(), TlsGate::most_per_address + 2);
}

TEST_F(Gate, ATurnOfTheLoopIsNotAllItsOwn) {
  each_look_ns = TlsGate::turn_ns / 2;
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(write(enter("10.0.0." + std::to_string(i) + ":1"), "plain text\n", 11), 11);
  int turns = 0;
  while (gate.handshakes() > 0 && turns < 20) {
    const std::size_t before = gate.handshakes();
    gate.on_ready(0);
    EXPECT_LE(before - gate.handshakes(), 1u);
    ++turns;
  }
  EXPECT_EQ(out.size(), 9u) << "all have their turn";
  EXPECT_EQ(turns, 9);
}

}  // namespace tls_gate_test
}  // namespace datum

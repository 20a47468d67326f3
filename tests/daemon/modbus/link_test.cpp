// The TCP server on real sockets with libmodbus as host, and with peers that do not speak Modbus.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>

#include "tests/daemon/modbus/modbus_server.h"

namespace datum::modbus {
namespace {

using testing::ModbusServer;
using testing::TcpHost;

using Bytes = std::vector<std::uint8_t>;

void send(TcpHost& host, const Bytes& bytes) {
  ASSERT_EQ(::send(host.socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}
/// The next bytes; empty: the server hung up.
Bytes receive(TcpHost& host) {
  pollfd watched{host.socket(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, 30'000), 1);
  Bytes bytes(300);
  const auto n = ::recv(host.socket(), bytes.data(), bytes.size(), 0);
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return bytes;
}

TEST(ModbusTcp, ReadsAndWritesTheMap) {
  ModbusServer server;
  TcpHost host(server.port());
  ASSERT_TRUE(host.connected());
  const auto words = host.read(at_test_i32, 8);
  ASSERT_EQ(words.size(), 8u);
  EXPECT_EQ(MODBUS_GET_INT32_FROM_INT16(words.data(), 0), -123456789);
  EXPECT_EQ(MODBUS_GET_INT64_FROM_INT16(words.data(), 4), 0x0123456789ABCDEF);
  EXPECT_EQ(modbus_get_float_abcd(words.data() + 2), 123456.0f);
  std::uint16_t word = 0;
  ASSERT_EQ(modbus_read_input_registers(host.context(), at_test_u16, 1, &word), 1);
  EXPECT_EQ(word, 4660);
  std::uint8_t bits[16] = {};
  ASSERT_EQ(modbus_read_input_bits(host.context(), 0, 16, bits), 16);
  EXPECT_EQ(bits[0], 1) << "READY";
  ASSERT_EQ(modbus_write_bit(host.context(), 0, 1), 1) << "TRIGGER";
  ASSERT_EQ(modbus_read_input_bits(host.context(), 0, 16, bits), 16);
  EXPECT_EQ(bits[1], 1) << "TRIGGER_ACK, as soon as the write is answered";
  EXPECT_EQ(host.read(at_result_id, 1), (std::vector<std::uint16_t>{1}));
}

TEST(ModbusTcp, AnswersWithTheExceptionsOfTheStandard) {
  ModbusServer server;
  TcpHost host(server.port());
  EXPECT_TRUE(host.read(base_end, 1).empty());
  EXPECT_EQ(errno, EMBXILADD);
  EXPECT_FALSE(host.write(at_status, {1}));
  EXPECT_EQ(errno, EMBXILADD);
  EXPECT_FALSE(host.write(at_command, {999}));
  EXPECT_EQ(errno, EMBXILVAL);
  EXPECT_EQ(modbus_mask_write_register(host.context(), at_control, 0, 0), -1);
  EXPECT_EQ(errno, EMBXILFUN);
  EXPECT_EQ(host.read(at_test_u16, 1), (std::vector<std::uint16_t>{4660})) << "the link goes on";
}

// libmodbus does not know the length of such a request: its rest must not become the next request.
TEST(ModbusTcp, StaysInStepAfterAFunctionThatItDoesNotKnow) {
  ModbusServer server;
  TcpHost host(server.port());
  send(host, {0, 7, 0, 0, 0, 5, 1, 0x2B, 0x0E, 0x01, 0x00});  // read device identification
  EXPECT_EQ(receive(host), (Bytes{0, 7, 0, 0, 0, 3, 1, 0xAB, 1}));
  EXPECT_EQ(host.read(at_test_u16, 1), (std::vector<std::uint16_t>{4660}));
}

// Each refusal has the transaction and function code of its request, and the link continues.
TEST(ModbusTcp, AnswersEachRequestThatItRefuses) {
  ModbusServer server;
  TcpHost host(server.port());
  Bytes many{16, 0, 100, 0, 124, 248};
  many.resize(many.size() + 248);
  const std::pair<Bytes, int> refused[] = {
      {{8, 0, 0, 1, 2}, 1},    {{43, 14, 1, 0}, 1},       {{100, 1, 2, 3}, 1}, {{22, 0, 4}, 1},
      {{23, 0, 4}, 1},         {{16, 0, 100, 0}, 3},      {{15, 0, 0}, 3},     {{3}, 3},
      {{3, 0, 1, 0, 1, 9}, 3}, {{6, 0, 100, 0, 1, 9}, 3}, {many, 3},           {{0, 1}, 1},
      {{128, 1}, 1},           {{131, 0, 1, 0, 1}, 1},    {{255}, 1}};
  for (const auto& [pdu, why] : refused) {
    const auto length = static_cast<std::uint16_t>(pdu.size() + 1);
    Bytes request{3, 7, 0, 0, static_cast<std::uint8_t>(length >> 8), static_cast<std::uint8_t>(length), 9};
    request.insert(request.end(), pdu.begin(), pdu.end());
    send(host, request);
    ASSERT_EQ(receive(host), (Bytes{3, 7, 0, 0, 0, 3, 9, static_cast<std::uint8_t>(pdu[0] | 0x80),
                                    static_cast<std::uint8_t>(why)}))
        << "function " << int(pdu[0]);
  }
  EXPECT_EQ(host.read(at_test_u16, 1), (std::vector<std::uint16_t>{4660}));
}

TEST(ModbusTcp, HangsUpOnWhatIsNoModbus) {
  ModbusServer server;
  for (const Bytes& rubbish :
       {Bytes{'G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P', '/', '1', '.', '1', '\r', '\n'},
        Bytes{0, 1, 0, 0, 0, 1, 1, 3, 0, 1, 0, 1},  // no function code
        Bytes{0, 1, 0, 9, 0, 6, 1, 3, 0, 1, 0, 1},  // another protocol
        Bytes{0, 1, 0, 0, 9, 9, 1, 3, 0, 1, 0, 1},  // longer than any request
        Bytes{0, 1, 0, 0, 0, 6, 1, 3}}) {           // an incomplete request, then silence
    TcpHost host(server.port());
    send(host, rubbish);
    EXPECT_TRUE(receive(host).empty());
  }
  TcpHost good(server.port());
  EXPECT_EQ(good.read(at_test_u16, 1), (std::vector<std::uint16_t>{4660}));
}

TEST(ModbusTcp, OneMoreThanTheMostIsClosedAtOnceAndRoomIsMadeAgain) {
  ModbusServer server(2);
  TcpHost first(server.port());
  {
    TcpHost second(server.port());
    EXPECT_FALSE(first.read(0, 1).empty());
    EXPECT_FALSE(second.read(0, 1).empty());
    TcpHost third(server.port());
    EXPECT_TRUE(receive(third).empty());
  }
  for (bool served = false; !served;) {  // until the server has detected the second hang-up
    TcpHost again(server.port());
    served = !again.read(0, 1).empty();
  }
}

TEST(ModbusTcp, TheHostThatIsSilentLongestMakesRoomUnlessItHasControl) {
  ModbusServer server(2, 0);
  TcpHost first(server.port()), second(server.port());
  EXPECT_FALSE(first.read(0, 1).empty());
  EXPECT_FALSE(second.read(0, 1).empty());
  EXPECT_FALSE(first.read(0, 1).empty());
  TcpHost third(server.port());
  EXPECT_FALSE(third.read(0, 1).empty());
  EXPECT_TRUE(receive(second).empty());
  EXPECT_FALSE(first.read(0, 1).empty());
  ASSERT_TRUE(third.write(at_command, {command_take_control}));
  TcpHost kept(server.port());
  EXPECT_FALSE(kept.read(0, 1).empty()) << "the place of the address that has control";
  TcpHost fourth(server.port());
  EXPECT_TRUE(receive(fourth).empty());
  EXPECT_FALSE(first.read(0, 1).empty());
}

// A peer with incomplete requests or unread answers has a thread of its own, and delays no other.
TEST(ModbusTcp, ServesOthersWhilePeersFloodAndStall) {
  ModbusServer server;
  std::vector<std::unique_ptr<TcpHost>> stalled;
  for (int i = 0; i < 3; ++i) {
    stalled.push_back(std::make_unique<TcpHost>(server.port()));
    send(*stalled.back(), {0, 1, 0, 0, 0});
  }
  std::atomic<bool> stop{false};
  TcpHost flooding(server.port());
  std::thread flood([&] {
    Bytes many;
    for (int i = 0; i < 100; ++i) many.insert(many.end(), {0, 1, 0, 0, 0, 6, 1, 3, 0, 0, 0, 125});
    // Its answers are never read: the server closes the link.
    while (!stop && ::send(flooding.socket(), many.data(), many.size(), MSG_NOSIGNAL) > 0) continue;
  });
  TcpHost good(server.port());
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(good.read(at_test_u16, 1), (std::vector<std::uint16_t>{4660}));
    ASSERT_TRUE(good.write(at_job_index, {static_cast<std::uint16_t>(i)}));
    ASSERT_EQ(good.read(at_job_index, 1), (std::vector<std::uint16_t>{static_cast<std::uint16_t>(i)}));
  }
  stop = true;
  ::shutdown(flooding.socket(), SHUT_RDWR);
  flood.join();
}

TEST(ModbusTcp, EndsWhilePeersAreConnected) {
  TcpHost* left = nullptr;
  {
    ModbusServer server;
    left = new TcpHost(server.port());
    EXPECT_FALSE(left->read(0, 1).empty());
    send(*left, {0, 1, 0});
  }
  EXPECT_TRUE(receive(*left).empty());
  delete left;
}

TEST(ModbusTcp, AHostThatComesAgainFindsItsHandshake) {
  ModbusServer server;
  {
    TcpHost host(server.port());
    ASSERT_TRUE(host.write(at_control, {control_trigger}));
    ASSERT_TRUE(host.write(at_control, {0}));
  }
  const BoardVerdict v = server.finish(Decision::pass, 1);
  TcpHost host(server.port());
  std::vector<std::uint16_t> words;
  do words = host.read(at_status, 8);
  while (words.size() == 8 && !(words[0] & status_results_valid));
  ASSERT_EQ(words.size(), 8u);
  EXPECT_EQ(words[0] & (status_pass | status_fail), status_pass);
  EXPECT_EQ(words[at_result_id - at_status], 1);
  EXPECT_EQ(get_u64(words, at_result_sequence - at_status), v.sequence);
}

}  // namespace
}  // namespace datum::modbus

// Values of several registers, and related values, are of one instant, whatever the cell does meanwhile.
#include <gtest/gtest.h>

#include <atomic>

#include "daemon/modbus/window.h"
#include "tests/daemon/modbus/modbus_server.h"

namespace datum::modbus {
namespace {

using testing::ModbusServer;
using testing::TcpHost;

/// Registers derived from one number, so that a mixture of two images is detected.
std::shared_ptr<const Image> image_of(std::uint32_t n) {
  auto image = std::make_shared<Image>();
  put_u64(image->base, at_result_sequence, std::uint64_t{n} << 32 | n);
  put_u64(image->base, at_fifo_sequence, std::uint64_t{n} << 32 | n);
  BoardVerdict v = datum::testing::board();
  v.sequence = std::uint64_t{n} << 32 | n;
  v.components = {datum::testing::component("U1", Decision::pass, n & 0xFFF, Reason::none)};
  image->result = window_of(v, static_cast<std::uint16_t>(n));
  image->fifo = empty_window();
  return image;
}

// 20,000 images, read in requests of several values.
TEST(Torn, NoReadMixesTwoImages) {
  Mailbox mailbox(-1, image_of(0));
  const std::jthread writer([&](const std::stop_token& stop) {
    for (std::uint32_t n = 1; !stop.stop_requested(); ++n) mailbox.publish(image_of(n));
  });
  Request request;
  std::uint64_t seen = 0, differing = 0;
  // Independent of the scheduling, the reads overlap with writes.
  for (int reads = 0; reads < 20'000 || differing <= 1000; ++reads) {
    request.address = at_result_sequence;
    request.count = at_fifo_sequence + 4 - at_result_sequence;
    const auto base = mailbox.image()->read(request);
    const std::uint64_t a = get_u64(base, 0), b = get_u64(base, at_fifo_sequence - at_result_sequence);
    ASSERT_EQ(a, b);
    ASSERT_EQ(a >> 32, a & 0xFFFFFFFF);
    request.address = at_result;
    request.count = 120;
    const auto image = mailbox.image();
    const auto head = image->read(request);
    request.address = static_cast<Address>(at_result + Address{in_first_row});
    request.count = row_size;
    const auto row = image->read(request);
    const std::uint64_t n = get_u64(head, in_sequence) & 0xFFFFFFFF;
    ASSERT_EQ(head[in_result_id], n & 0xFFFF);
    ASSERT_EQ(get_u32(row, of_value_milli), 1000 * (n & 0xFFF));
    ASSERT_EQ(get_f32(row, of_value), static_cast<float>(n & 0xFFF));
    differing += a != seen;
    seen = a;
  }
}

// The same through sockets: 300 boards of a cell with a real handshake, while a second host reads.
TEST(Torn, AHostThatReadsWhileBoardsComeSeesEachWhole) {
  ModbusServer server;
  std::atomic<bool> done{false};
  std::uint64_t reads = 0;
  std::thread reader([&] {
    TcpHost host(server.port());
    while (!done) {
      const auto status = host.read(at_status, 40);
      const auto window = host.read(at_fifo, 20);
      ASSERT_EQ(status.size(), 40u);
      ASSERT_EQ(window.size(), 20u);
      const std::uint32_t boards = get_u32(status, at_boards_pass - at_status);
      ASSERT_EQ(get_u32(status, at_fifo_count - at_status), boards);
      ASSERT_EQ(get_u64(status, at_fifo_sequence - at_status), boards > 0 ? 1u : 0u);
      ASSERT_EQ(window[in_decision], window[in_shown] ? 1 : 0);
      ++reads;
    }
  });
  for (int n = 1; n <= 300; ++n) {
    server.run([&] { server.cell().trigger(); });
    server.finish(Decision::pass, n);
  }
  done = true;
  reader.join();
  EXPECT_GT(reads, 0u);
}

}  // namespace
}  // namespace datum::modbus

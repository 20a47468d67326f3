// Modbus RTU on a pseudo-terminal, byte by byte: damaged, incomplete and foreign frames, and an unplugged line.
#include <gtest/gtest.h>
#include <termios.h>

#include "daemon/modbus/serial_link.h"
#include "daemon/text/checked_line.h"
#include "tests/daemon/modbus/modbus_server.h"
#include "tests/drivers/port/pty_pair.h"

namespace datum::modbus {
namespace {

using datum::testing::PtyPair;

/// Appends the CRC, low byte first.
std::string frame(std::string bytes) {
  const std::uint16_t crc = crc16(bytes);
  bytes += static_cast<char>(crc & 0xFF);
  return bytes + static_cast<char>(crc >> 8);
}
std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int v : values) text += static_cast<char>(v);
  return text;
}

/// A pseudo-terminal without echo, also before it is opened.
std::unique_ptr<PtyPair> raw_pty() {
  auto pty = std::make_unique<PtyPair>();
  termios line{};
  ::tcgetattr(pty->fd(), &line);
  ::cfmakeraw(&line);
  ::tcsetattr(pty->fd(), TCSANOW, &line);
  return pty;
}

struct RtuLine {
  RtuLine() {
    std::filesystem::create_symlink(pty->path(), folder / "line");
    SerialLineSettings settings;
    settings.line.path = (folder / "line").string();
    settings.line.baud = 115200;
    settings.unit = 17;
    server.run([&] {
      link = std::make_unique<SerialLink>(settings, server.desk(), [](int, const std::string&) {});
    });
  }
  ~RtuLine() {
    server.run([&] { link.reset(); });
  }
  /// Sends the request until it is answered: the line must open first, and after invalid frames it needs a silence.
  std::string ask(const std::string& request, std::size_t size) {
    for (int tries = 0; tries < 100; ++tries) {
      pty->send(request);
      pollfd watched{pty->fd(), POLLIN, 0};
      if (::poll(&watched, 1, 300) == 1) return pty->receive(size);
    }
    return "";
  }
  /// The answer to a single request within some seconds.
  std::string once(const std::string& request, std::size_t size) {
    pty->send(request);
    pollfd watched{pty->fd(), POLLIN, 0};
    return ::poll(&watched, 1, 3000) == 1 ? pty->receive(size) : "";
  }
  void expect_served() {
    EXPECT_EQ(ask(frame(bytes({17, 3, 0, at_test_u16, 0, 1})), 7), frame(bytes({17, 3, 2, 0x12, 0x34})));
  }
  datum::testing::FreshFolder folder;
  std::unique_ptr<PtyPair> pty = raw_pty();
  testing::ModbusServer server;
  std::unique_ptr<SerialLink> link;
};

TEST(ModbusRtu, ReadsWritesAndRefuses) {
  RtuLine line;
  line.expect_served();
  EXPECT_EQ(line.ask(frame(bytes({17, 4, 0, at_test_f32, 0, 2})), 9),
            frame(bytes({17, 4, 4, 0x47, 0xF1, 0x20, 0})));
  EXPECT_EQ(line.ask(frame(bytes({17, 6, 0, at_job_index, 0, 2})), 8),
            frame(bytes({17, 6, 0, at_job_index, 0, 2})));
  EXPECT_EQ(line.ask(frame(bytes({17, 3, 0, at_job_index, 0, 1})), 7), frame(bytes({17, 3, 2, 0, 2})));
  EXPECT_EQ(line.ask(frame(bytes({17, 6, 1, 44, 0, 1})), 5), frame(bytes({17, 0x86, 2})))
      << "STATUS is only read";
  EXPECT_EQ(line.ask(frame(bytes({17, 3, 0, 0, 0, 126})), 5), frame(bytes({17, 0x83, 3})));
}

TEST(ModbusRtu, IsInStepAgainAfterDamage) {
  RtuLine line;
  line.expect_served();
  std::string damaged = frame(bytes({17, 6, 0, at_job_index, 0, 7}));
  damaged[5] = 9;
  for (const std::string& rubbish :
       {damaged, frame(bytes({17, 6, 0, at_job_index, 0, 7})).substr(0, 5), std::string(1000, '\x55'),
        frame(bytes({17, 0x2B, 0x0E, 1, 0})), bytes({17, 16, 0, 100, 0, 123, 255})}) {
    line.pty->send(rubbish);
    line.expect_served();
  }
  EXPECT_EQ(line.ask(frame(bytes({17, 3, 0, at_job_index, 0, 1})), 7), frame(bytes({17, 3, 2, 0, 0})))
      << "none of it was taken";
}

TEST(ModbusRtu, LeavesOthersOnTheLineAlone) {
  RtuLine line;
  line.expect_served();
  line.pty->send(frame(bytes({18, 6, 0, at_job_index, 0, 7})));  // another unit's
  line.expect_served();
  EXPECT_EQ(line.ask(frame(bytes({17, 3, 0, at_job_index, 0, 1})), 7), frame(bytes({17, 3, 2, 0, 0})));
  line.pty->send(frame(bytes({0, 6, 0, at_job_index, 0, 7})));  // broadcast: executed, not answered
  EXPECT_EQ(line.once(frame(bytes({17, 3, 0, at_job_index, 0, 1})), 7), frame(bytes({17, 3, 2, 0, 7})));
}

// libmodbus 3.1 took bytes after a request to another unit for that unit's answer.
TEST(ModbusRtu, AnswersTheRequestBehindOneToAnAbsentUnit) {
  RtuLine line;
  line.expect_served();
  const std::string read = frame(bytes({17, 3, 0, at_test_u16, 0, 1}));
  for (const std::string& absent :
       {frame(bytes({18, 3, 0, 0, 0, 1})), frame(bytes({18, 16, 0, 100, 0, 1, 2, 0, 7}))}) {
    line.pty->send(absent);
    EXPECT_EQ(line.once(read, 7), frame(bytes({17, 3, 2, 0x12, 0x34})));
    line.pty->send(absent);
    EXPECT_EQ(line.once(frame(bytes({17, 6, 0, at_job_index, 0, 3})), 8),
              frame(bytes({17, 6, 0, at_job_index, 0, 3})));
  }
  // Answers of a present unit are not requests.
  line.pty->send(frame(bytes({18, 3, 0, 0, 0, 2})) + frame(bytes({18, 3, 4, 1, 2, 3, 4})) +
                 frame(bytes({18, 5, 0, 0, 0xFF, 0})) + frame(bytes({18, 0x85, 2})));
  EXPECT_EQ(line.once(read, 7), frame(bytes({17, 3, 2, 0x12, 0x34})));
}

// With and without data, known and unknown, too short and too long.
TEST(ModbusRtu, AnswersEachRequestThatItRefuses) {
  RtuLine line;
  line.expect_served();
  std::string many = bytes({17, 16, 0, 100, 0, 124, 248});
  many.append(248, 0);
  const std::pair<std::string, int> refused[] = {{bytes({17, 8, 0, 0, 0xA5, 0x37}), 1},
                                                 {bytes({17, 8, 0, 0, 1, 2, 3, 4}), 1},
                                                 {bytes({17, 43, 14, 1, 0}), 1},
                                                 {bytes({17, 100, 1, 2, 3}), 1},
                                                 {bytes({17, 100}), 1},
                                                 {bytes({17, 22, 0, 4, 0, 1}), 1},
                                                 {bytes({17, 23, 0, 4, 0, 1}), 1},
                                                 {bytes({17, 16, 0, 100, 0}), 3},
                                                 {bytes({17, 15, 0, 0, 0, 1}), 3},
                                                 {many, 3},
                                                 {bytes({17, 3, 0, at_test_u16, 0, 1, 9}), 3}};
  for (const auto& [request, why] : refused)
    EXPECT_EQ(line.once(frame(request), 5), frame(bytes({17, request[1] | 0x80, why})))
        << "function " << int(request[1]);
  line.pty->send(frame(bytes({17, 6, 0, at_job_index, 0, 7})) + "\x01");
  line.expect_served();
  EXPECT_EQ(line.once(frame(bytes({17, 3, 0, at_job_index, 0, 1})), 7), frame(bytes({17, 3, 2, 0, 0})))
      << "a byte behind the request";
}

TEST(ModbusRtu, OpensTheLineAgainAfterItWasUnplugged) {
  RtuLine line;
  line.expect_served();
  line.pty = nullptr;
  std::filesystem::remove(line.folder / "line");
  line.pty = raw_pty();
  std::filesystem::create_symlink(line.pty->path(), line.folder / "line");
  line.expect_served();
}

}  // namespace
}  // namespace datum::modbus

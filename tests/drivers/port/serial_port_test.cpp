#include <gmock/gmock.h>
#include <termios.h>

#include <filesystem>

#include "tests/drivers/port/pty_pair.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::PtyPair;
using testing::receive;
using testing::wait_readable;

SerialSettings at(const std::string& path) {
  SerialSettings settings;
  settings.path = path;
  return settings;
}

std::string all_bytes() {
  std::string bytes;
  for (int b = 0; b < 256; ++b) bytes += static_cast<char>(b);
  return bytes;
}

const std::uint8_t* raw(const std::string& text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

TEST(SerialPort, CarriesEveryByteUnchangedBothWays) {
  PtyPair pty;
  const auto port = serial_port(at(pty.path()));
  port->open();
  ASSERT_TRUE(port->connected());
  pty.send(all_bytes());
  EXPECT_EQ(receive(*port, 256), all_bytes());
  ASSERT_EQ(port->write(raw(all_bytes()), 256), 256u);
  EXPECT_EQ(pty.receive(256), all_bytes());
}

TEST(SerialPort, ReadsNothingWhereNothingIsThere) {
  PtyPair pty;
  const auto port = serial_port(at(pty.path()));
  port->open();
  std::uint8_t byte = 0;
  EXPECT_EQ(port->read(&byte, 1), 0u);
}

TEST(SerialPort, HangUpIsLostAndTheSameLinkReopensOnAnotherDevice) {
  const auto folder = std::filesystem::temp_directory_path() / ("datum_port_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto link = folder / "by-id";
  auto first = std::make_unique<PtyPair>();
  std::filesystem::create_symlink(first->path(), link);
  const auto port = serial_port(at(link.string()));
  port->open();
  first->hang_up();
  std::uint8_t byte = 0;
  ASSERT_TRUE(wait_readable(port->fd()));
  EXPECT_THROW(port->read(&byte, 1), LostError);
  EXPECT_THROW(port->write(&byte, 1), LostError);
  port->close();
  EXPECT_FALSE(port->is_open());
  std::filesystem::remove(link);
  EXPECT_THROW(port->open(), LostError);  // unplugged: may return

  PtyPair second;
  std::filesystem::create_symlink(second.path(), link);
  port->open();
  second.send("back");
  EXPECT_EQ(receive(*port, 4), "back");
  std::filesystem::remove_all(folder);
}

TEST(SerialPort, ReopeningSetsTheLineAgainAndDropsOldBytes) {
  PtyPair pty;
  const auto port = serial_port(at(pty.path()));
  port->open();
  termios line{};
  ASSERT_EQ(tcgetattr(port->fd(), &line), 0);
  line.c_lflag |= ICANON | ECHO;
  line.c_iflag |= ICRNL;
  ASSERT_EQ(tcsetattr(port->fd(), TCSANOW, &line), 0);
  pty.send("old");
  port->close();
  port->open();
  ASSERT_EQ(tcgetattr(port->fd(), &line), 0);
  EXPECT_EQ(line.c_lflag & (ICANON | ECHO), 0u);
  EXPECT_EQ(line.c_iflag & ICRNL, 0u);
  EXPECT_EQ(line.c_cflag & HUPCL, 0u);
  EXPECT_EQ(line.c_cc[VMIN], 1);
  pty.send("\r");
  EXPECT_EQ(receive(*port, 1), "\r");
}

TEST(SerialPort, ParityErrorsAreNotIgnored) {
  PtyPair pty;
  SerialSettings settings = at(pty.path());
  settings.parity = Parity::even;
  const auto port = serial_port(settings);
  port->open();
  termios line{};
  ASSERT_EQ(tcgetattr(port->fd(), &line), 0);
  EXPECT_NE(line.c_iflag & INPCK, 0u);
  EXPECT_EQ(line.c_iflag & (IGNPAR | PARMRK), 0u);
}

TEST(SerialPort, TwoProgramsCantShareALine) {
  PtyPair pty;
  const auto first = serial_port(at(pty.path())), second = serial_port(at(pty.path()));
  first->open();
  EXPECT_THAT(message_of<LostError>([&] { second->open(); }), HasSubstr("another program has it open"));
  EXPECT_FALSE(second->is_open());
  first->close();
  second->open();
  EXPECT_TRUE(second->is_open());
}

TEST(SerialPort, WrongDevicesAreRefused) {
  EXPECT_EQ(
      message_of<RefusedError>([] { serial_port(at("/dev/null"))->open(); }),
      "serial /dev/null 115200 8N1: can't be opened: Inappropriate ioctl for device; is it a serial device?");
  EXPECT_EQ(message_of<LostError>([] { serial_port(at("/dev/nosuch"))->open(); }),
            "serial /dev/nosuch 115200 8N1: can't be opened: No such file or directory");
}

TEST(SerialPort, WrongSettingsAreRefusedAndNeverDefaulted) {
  const auto refusal = [](auto change) {
    SerialSettings settings = at("/dev/ttyS0");
    change(settings);
    return message_of<RefusedError>([&] { serial_port(settings); });
  };
  EXPECT_EQ(refusal([](auto& s) { s.path = "ttyS0"; }),
            "serial port: path 'ttyS0' must be absolute, e.g. /dev/serial/by-id/...");
  EXPECT_EQ(refusal([](auto& s) { s.baud = 0; }), "serial port: 0 baud; allowed: 50 to 4000000");
  EXPECT_EQ(refusal([](auto& s) { s.data_bits = 9; }), "serial port: 9 data bits; allowed: 5 to 8");
  EXPECT_EQ(refusal([](auto& s) { s.stop_bits = 0; }), "serial port: 0 stop bits; allowed: 1 or 2");
}

TEST(SerialPort, NamesItsLine) {
  SerialSettings settings = at("/dev/ttyS0");
  settings.baud = 9600;
  settings.data_bits = 7;
  settings.parity = Parity::even;
  settings.stop_bits = 2;
  settings.flow = FlowControl::xon_xoff;
  EXPECT_EQ(serial_port(settings)->describe(), "serial /dev/ttyS0 9600 7E2 xon/xoff");
  EXPECT_THAT(message_of<LostError>([&] { serial_port(settings)->read(nullptr, 0); }),
              HasSubstr("is not open"));
}

}  // namespace
}  // namespace datum

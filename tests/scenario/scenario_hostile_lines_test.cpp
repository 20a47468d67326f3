// Hostile hosts on Modbus and on serial lines of the real daemon: boards are measured and reported meanwhile, nobody
// changes or reads foreign data, and a valid request is served again at once.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <random>

#include "daemon/modbus/register_map.h"
#include "tests/scenario/hostile_peers.h"
#include "tests/scenario/process_usage.h"
#include "tests/scenario/scenario_cell.h"
#include "tests/virtual_cell/virtual_cmm_line.h"
#include "tests/virtual_cell/virtual_plc_answers.h"

namespace datum::scenario {
namespace {

using namespace modbus;
using Clock = std::chrono::steady_clock;

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int v : values) text += static_cast<char>(v);
  return text;
}
std::string word(unsigned value) {
  return bytes({static_cast<int>(value >> 8 & 0xFF), static_cast<int>(value & 0xFF)});
}
std::string read_of(unsigned address, unsigned count) { return bytes({3}) + word(address) + word(count); }
std::string write_of(unsigned address, unsigned value) { return bytes({6}) + word(address) + word(value); }
/// A Modbus TCP request for unit 1.
std::string framed(const std::string& pdu) {
  return bytes({0, 1, 0, 0}) + word(static_cast<unsigned>(pdu.size()) + 1) + bytes({1}) + pdu;
}
/// A Modbus RTU frame for unit 17.
std::string rtu(const std::string& pdu) {
  const std::string all = bytes({17}) + pdu;
  const unsigned crc = plc::crc16(all);
  return all + bytes({static_cast<int>(crc & 0xFF), static_cast<int>(crc >> 8)});
}
const std::string proof = bytes({3, 2, test_u16 >> 8, test_u16 & 0xFF});  // the constant in register 1
std::string exception(int function, int code) { return bytes({function | 0x80, code}); }

int modbus_port(const Program& datumd) {
  const std::string log = datumd.output(), before = "modbus, tcp 127.0.0.1:";
  const auto at = log.find(before);
  return at == std::string::npos ? 0 : std::atoi(log.c_str() + at + before.size());
}

/// Bytes that a descriptor delivers within `time`; "": none, or its end.
std::string heard(int fd, std::size_t most, std::chrono::milliseconds time) {
  if (!readable({fd}, Clock::now() + time)) return "";
  std::string got(most, '\0');
  const ssize_t n = ::read(fd, got.data(), most);
  got.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return got;
}

class ModbusPeer {
 public:
  explicit ModbusPeer(int port) : fd_(connect_tcp(port)) {}
  ~ModbusPeer() { ::close(fd_); }
  ModbusPeer(const ModbusPeer&) = delete;
  ModbusPeer& operator=(const ModbusPeer&) = delete;

  void send(const std::string& what) const {
    [[maybe_unused]] const auto sent = ::send(fd_, what.data(), what.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  /// The answer to a request; "": the daemon hung up.
  std::string ask(const std::string& pdu) const {
    send(framed(pdu));
    const std::string answer = heard(fd_, 300, std::chrono::seconds(30));
    return answer.size() > 7 ? answer.substr(7) : "";
  }
  unsigned read(unsigned address) const {
    const std::string answer = ask(read_of(address, 1));
    return answer.size() < 4
               ? 0xFFFFFFFF
               : static_cast<unsigned char>(answer[2]) << 8 | static_cast<unsigned char>(answer[3]);
  }
  bool is_served() const { return ask(read_of(at_test_u16, 1)) == proof; }

 private:
  int fd_;
};

/// All state that a foreign host might change.
std::string world_of(const Cell& cell, Host& owner) {
  std::string all = slurp(cell.path() / "recipes/box.toml");
  for (const char* query :
       {"SYST:STAT?", "CONF:REC?", "CONF:UNIT?", "TRIG:SOUR?", "SYST:LOCK:OWN?", "DATA:COUN?", "DATA:LAST?"})
    all += owner.ask(query) + "\n";
  for (const char* folder : {"recipes", "drop", "drop/work"})
    for (const auto& name : cell.list(folder)) all += name + "\n";
  return all;
}

TEST(ScenarioHostileModbus, WhoHasNoControlReadsAndChangesNothing) {
  CellOptions options;
  options.trigger = "bus";
  options.push_results = false;
  options.more = "[host.modbus_tcp]\nport = 0\n";
  Cell cell(options);
  Program& datumd = cell.start();
  const auto owner = cell.connect();
  EXPECT_EQ(owner->ask("SYST:LOCK:REQ?"), "1");
  const ModbusPeer stranger(modbus_port(datumd));
  ASSERT_TRUE(stranger.is_served());
  const std::string before = world_of(cell, *owner);

  for (unsigned at = 0; at < base_end; ++at)
    if (at < at_control || at >= control_end) {
      ASSERT_EQ(stranger.ask(write_of(at, 0x5555)), exception(6, 2)) << "register " << at << " is only read";
    }
  for (const unsigned at : {9999u, 10000u, 29999u, 30000u, 49999u, 50000u, 65535u})
    EXPECT_EQ(stranger.ask(write_of(at, 1)), exception(6, 2)) << at;
  for (const unsigned at : {unsigned{base_end}, 9999u, 50000u, 65535u})
    EXPECT_EQ(stranger.ask(read_of(at, 1)), exception(3, 2)) << at;
  for (const unsigned count : {0u, 126u, 65535u})
    EXPECT_EQ(stranger.ask(read_of(0, count)), exception(3, 3)) << count;
  EXPECT_EQ(stranger.ask(bytes({5}) + word(16) + word(0xFF00)), exception(5, 2)) << "no such coil";
  EXPECT_EQ(stranger.ask(bytes({5}) + word(0) + word(1)), exception(5, 3)) << "neither on nor off";
  EXPECT_EQ(stranger.ask(write_of(at_command, 999)), exception(6, 3));
  EXPECT_EQ(stranger.ask(write_of(at_control, 0x8000)), exception(6, 3));
  for (const int function : {20, 21, 24, 43, 65, 100, 127})
    EXPECT_EQ(ModbusPeer(modbus_port(datumd)).ask(bytes({function, 0, 0, 0, 0})), exception(function, 1));
  EXPECT_EQ(world_of(cell, *owner), before);

  const auto told = [&] { return static_cast<std::int16_t>(stranger.read(at_command_result)); };
  EXPECT_EQ(stranger.ask(write_of(at_job_index, 1)), write_of(at_job_index, 1)) << "its own parameters are";
  for (const unsigned command :
       {command_arm, command_choose_job_by_index, command_choose_job_by_name, command_set_unit,
        command_set_temperature, command_reopen_links, command_take_control}) {
    EXPECT_EQ(stranger.ask(write_of(at_command, command)), write_of(at_command, command));
    EXPECT_EQ(told(), -203) << "command " << command;
    ASSERT_EQ(world_of(cell, *owner), before) << "command " << command;
  }
  EXPECT_EQ(stranger.ask(write_of(at_control, control_trigger)), write_of(at_control, control_trigger));
  EXPECT_EQ(stranger.read(at_status) & (status_trigger_ack | status_busy), 0u);
  EXPECT_EQ(stranger.read(at_status) & status_fault, unsigned{status_fault});
  EXPECT_EQ(stranger.ask(write_of(at_control, control_job_strobe)), write_of(at_control, control_job_strobe));
  EXPECT_EQ(told(), -203);
  EXPECT_EQ(world_of(cell, *owner), before);
}

int next_board() {
  static int number = 0;
  return ++number;
}

/// Measures boards with `harm` before each: all are measured and reported in order.
template <class Harm>
void expect_boards(Cell& cell, Host& host, int boards, Harm&& harm) {
  for (int i = 0; i < boards; ++i) {
    harm(i);
    const int number = next_board();
    const std::string name = "f" + std::to_string(number);
    const bool good = number % 3 != 0;
    cell.deliver(name,
                 frame_of_box(good ? good_height_um : bad_height_um, static_cast<std::uint32_t>(number)));
    const auto line = host.result();
    EXPECT_EQ(line.frame, name);
    EXPECT_EQ(line.decision, good ? "PASS" : "FAIL");
  }
}

TEST(ScenarioHostileModbus, BoardsAreMeasuredWhileOthersDoTheirWorst) {
  CellOptions options;
  options.more = "[host.modbus_tcp]\nport = 0\n";
  Cell cell(options);
  Program& datumd = cell.start();
  const auto host = cell.connect();
  const int port = modbus_port(datumd);
  const ModbusPeer plc(port);
  ASSERT_TRUE(plc.is_served());
  const double before = usage_of(datumd.pid()).rss_kib;
  std::string many;
  for (int i = 0; i < 500; ++i) many += framed(read_of(at_fifo, 125));
  std::string tests;  // each of them computes
  for (int i = 0; i < 200; ++i)
    tests += framed(write_of(at_command, i % 2 ? command_none : command_self_test));
  std::vector<std::unique_ptr<ModbusPeer>> peers;
  HostilePeers strangers({port}, 1);
  expect_boards(cell, *host, 12, [&](int i) {
    peers.clear();
    strangers.leave();
    ASSERT_TRUE(plc.is_served());
    const auto send = [&](const std::string& what) {
      peers.push_back(std::make_unique<ModbusPeer>(port));
      peers.back()->send(what);
    };
    switch (i % 6) {
      case 0:
        for (int n = 0; n < 3; ++n) send(many);  // without reading the answers
        break;
      case 1:
        send(bytes({0, 1, 0, 0, 255, 255, 1, 16}) + std::string(60'000, 'A'));
        strangers.oversized(1 << 18);
        break;
      case 2:
        for (std::size_t n = 1; n <= 6; ++n) send(bytes({0, 1, 0, 0, 0, 6, 1, 3}).substr(0, n));
        break;
      case 3:
        strangers.storm(40);
        break;
      case 4:
        strangers.garbage(1 << 16);
        break;
      default:
        send(tests);
    }
    ASSERT_TRUE(plc.is_served());
  });
  const Deadline deadline = timeout();
  while (plc.read(at_boards_pass + 1) + plc.read(at_boards_fail + 1) != 12) ASSERT_LT(Clock::now(), deadline);
  // 8 links, each with a thread, a request and an answer of 260 bytes, and socket buffers in the kernel.
  if (memory_tells) {
    EXPECT_LT(usage_of(datumd.pid()).peak_kib - before, 8 * 1024);
  }
}

/// The line of the daemon to a hostile program.
struct HostileLine {
  explicit HostileLine(const std::filesystem::path& link) : line(link) { line.plug_in(); }
  /// Writes as many bytes as the line accepts within 1 s; unread bytes stay in the line.
  void pour(const std::string& what) const {
    const auto until = Clock::now() + std::chrono::seconds(1);
    for (std::size_t at = 0; at < what.size() && Clock::now() < until;) {
      const ssize_t n = ::write(line.fd(), what.data() + at, what.size() - at);
      if (n > 0) at += static_cast<std::size_t>(n);
      pollfd room{line.fd(), POLLOUT, 0};
      if (n <= 0) ::poll(&room, 1, 10);
    }
  }
  std::string hear(std::chrono::milliseconds time) const { return heard(line.fd(), 4096, time); }
  VirtualLine line;
};

std::string any_bytes(std::size_t size) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < size) text += static_cast<char>(random());
  return text;
}

TEST(ScenarioHostileModbus, ALineOfRubbishIsInStepAgainAndTakesNothing) {
  CellOptions options;
  options.more = "[host.modbus_serial]\npath = \"FOLDER/rtu\"\nbaud = 115200\nunit = 17\n";
  Cell cell(options);
  const HostileLine line(cell.path() / "rtu");
  cell.start();
  const auto host = cell.connect();
  // After invalid frames the line needs a silence, and it must be opened first.
  const auto ask = [&](const std::string& pdu) {
    std::string answer;
    for (int tries = 0; tries < 100 && answer.empty(); ++tries) {
      line.pour(rtu(pdu));
      answer = line.hear(std::chrono::milliseconds(300));
    }
    return answer;
  };
  EXPECT_EQ(ask(read_of(at_test_u16, 1)), rtu(proof));
  std::string damaged = rtu(write_of(at_job_index, 7));
  damaged[5] = 9;
  std::string flood;
  for (int i = 0; i < 2000; ++i) flood += damaged;
  const std::string rubbish[] = {any_bytes(1 << 14),
                                 damaged,
                                 rtu(write_of(at_job_index, 7)).substr(0, 5),
                                 flood,
                                 bytes({17, 16}) + word(at_control) + bytes({0, 123, 246}),
                                 std::string(4096, '\0')};
  expect_boards(cell, *host, static_cast<int>(std::size(rubbish)), [&](int i) { line.pour(rubbish[i]); });
  EXPECT_EQ(ask(read_of(at_test_u16, 1)), rtu(proof));
  EXPECT_EQ(ask(write_of(at_status, 1)), rtu(exception(6, 2)));
  EXPECT_EQ(ask(read_of(at_job_index, 1)), rtu(bytes({3, 2, 0, 0}))) << "none of it was taken";
}

TEST(ScenarioHostile, ASerialHostOfRubbishNeitherStopsNorFillsTheDaemon) {
  CellOptions options;
  options.more = "[host.serial]\npath = \"FOLDER/host\"\nbaud = 115200\n";
  Cell cell(options);
  const HostileLine line(cell.path() / "host");
  Program& datumd = cell.start();
  const auto host = cell.connect();
  EXPECT_EQ(host->ask("SYST:LOCK:REQ?"), "1");
  expect_boards(cell, *host, 1, [](int) {});
  const double before = usage_of(datumd.pid()).rss_kib;
  std::string questions, commands;
  for (int i = 0; i < 6000; ++i) questions += "FETC:JSON?\n", commands += "*RST;:INIT;:CONF:REC 'x'\n";
  const std::string rubbish[] = {std::string(1 << 18, 'A'),
                                 any_bytes(1 << 16),
                                 "\n" + questions,
                                 "\n" + commands,
                                 "#9999999999\n" + std::string(1 << 16, '#'),
                                 std::string(1 << 16, '\n')};
  // Nothing of this is executed.
  expect_boards(cell, *host, static_cast<int>(std::size(rubbish)), [&](int i) { line.pour(rubbish[i]); });
  // 4 MiB of answers are kept for a host that does not read; first boards touch less than 8 MiB of new pages.
  const double grown = usage_of(datumd.pid()).peak_kib - before;
  std::printf("%+.0f KiB for a line that is not read\n", grown);
  if (memory_tells) {
    EXPECT_LT(grown, 12 * 1024);
  }
  std::string said;
  const Deadline deadline = timeout();
  while (said.find("\"end\"") == std::string::npos && Clock::now() < deadline) {
    const std::string more = line.hear(std::chrono::milliseconds(100));
    said = said.substr(said.size() > 64 ? said.size() - 64 : 0) + more;
    if (more.empty()) line.pour("\n*CLS\nDIAG:ECHO? 'end'\n");  // all outstanding answers have been read
  }
  EXPECT_NE(said.find("\"end\""), std::string::npos) << "it is served again";
  EXPECT_EQ(fields(host->ask("SYST:LOCK:OWN?")).at(0).rfind("tcp ", 0), 0u);
  EXPECT_EQ(fields(host->ask("SYST:STAT?")).at(0), "ARMED");
}

}  // namespace
}  // namespace datum::scenario

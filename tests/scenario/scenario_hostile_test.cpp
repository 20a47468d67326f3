// Hostile hosts, devices and file producers with the real daemon: a working host gets every result, nobody changes
// foreign data, nothing leaves the drop folder, and memory stays within its limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <zlib.h>

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>

#include "daemon/hosts/command_link.h"
#include "daemon/scpi/scpi_commands.h"
#include "tests/scenario/hostile_peers.h"
#include "tests/scenario/process_usage.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

/// The port of a link from the log.
int port_of(const Program& datumd, const std::string& link) {
  const std::regex listening(link + R"( 127\.0\.0\.1:(\d+):)");
  std::smatch found;
  const std::string log = datumd.output();
  return std::regex_search(log, found, listening) ? std::stoi(found[1]) : 0;
}

CellOptions all_ports() {
  CellOptions options;
  options.more = "[host.gocator]\nport = 0\n[host.modbus_tcp]\nport = 0\n";
  return options;
}

/// Delivers boards one at a time, with `harm` before each; returns the sorted latencies in ms.
template <class Harm>
std::vector<double> measure(Cell& cell, Host& host, std::uint64_t first, int boards, Harm&& harm) {
  std::vector<double> took;
  for (int i = 0; i < boards; ++i) {
    const std::string good = frame_of_box(
        good_height_um, static_cast<std::uint32_t>(first) + 1000u * boards + static_cast<std::uint32_t>(i));
    harm(i);
    const auto from = Clock::now();
    const std::string name = "f" + std::to_string(first + static_cast<std::uint64_t>(i));
    cell.deliver(name, good);
    const auto line = host.result();
    took.push_back(std::chrono::duration<double, std::milli>(Clock::now() - from).count());
    EXPECT_EQ(line.sequence, first + static_cast<std::uint64_t>(i));
    EXPECT_EQ(line.frame, name);
    EXPECT_EQ(line.decision, "PASS");
  }
  std::sort(took.begin(), took.end());
  return took;
}

// Between frame and result the loop turns five times (event, frame read, measured, line, acknowledged by the host's
// socket). In each turn each of 24 links may execute 64 commands of a few us: 24 x 64 x 5 x 5 us = 40 ms. A quiet board
// takes at least 2 ms, so hostile hosts raise its latency at most 20 times. The median is compared, since the machine has
// other load.
constexpr double most_times_slower = 20;

TEST(ScenarioHostile, AHostAtWorkGetsEveryResultWhileOthersDoTheirWorst) {
  Cell cell(all_ports());
  Program& datumd = cell.start();
  const auto host = cell.connect();
  EXPECT_EQ(host->ask("SYST:LOCK:REQ?"), "1");
  constexpr int boards = 25;
  const auto quiet = measure(cell, *host, 1, boards, [](int) {});
  const Usage before = usage_of(datumd.pid());
  {
    HostilePeers peers(
        {cell.tcp_port(), port_of(datumd, "commands, gocator"), port_of(datumd, "modbus, tcp")}, 1);
    const auto loud = measure(cell, *host, boards + 1, boards, [&](int i) {
      if (i % 5 != 4) peers.leave();
      for (int round = 0; round < 3; ++round) EXPECT_EQ(host->ask("*OPC?"), "1");  // places are free again
      peers.drip();
      if (i % 5 == 0) peers.storm(30);
      if (i % 5 == 1) peers.garbage(1 << 18);
      if (i % 5 == 2) peers.oversized(1 << 20);
      if (i % 5 == 3) peers.mute("FETC:JSON?\n", 1000);  // and continues in the next round
    });
    std::printf("median latency: quiet %.1f ms, among hostile hosts %.1f ms (%.1f times); worst %.1f ms\n",
                quiet[boards / 2], loud[boards / 2], loud[boards / 2] / quiet[boards / 2], loud.back());
    EXPECT_LT(loud[boards / 2], most_times_slower * quiet[boards / 2]);
  }
  // Limit of the 8 + 16 command links for hosts that do not read; the rest is a few KiB per link.
  const double most_kib = 24.0 * CommandLink::most_unsent / 1024;
  const Usage after = usage_of(datumd.pid());
  if (memory_tells) {
    EXPECT_LT(after.peak_kib - before.rss_kib, most_kib);
  }
  std::printf("resident: %.0f KiB before, %.0f at most, %.0f after\n", before.rss_kib, after.peak_kib,
              after.rss_kib);
  // State of closed connections is released: descriptors and threads are as before.
  const Deadline deadline = timeout();
  for (Usage now = after; now.descriptors > before.descriptors || now.threads > before.threads;
       now = usage_of(datumd.pid())) {
    ASSERT_LT(Clock::now(), deadline) << now.descriptors << " descriptors, " << now.threads << " threads";
    EXPECT_EQ(host->ask("*OPC?"), "1");
  }
  EXPECT_EQ(fields(host->ask("SYST:STAT?")).at(0), "ARMED");
}

// A leak of 10 KiB in each of 100 steps is detected under noise of 64 KiB; a single step is no growth, but a span.
TEST(ProcessUsage, GrowthIsToldFromNoiseAndFromAStep) {
  std::vector<double> flat, leaking, step;
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    const double noise = static_cast<double>(random() % 64);
    flat.push_back(36'000 + noise);
    leaking.push_back(36'000 + noise + 10 * i);
    step.push_back(36'000 + noise + (i < 80 ? 0 : 360));
  }
  EXPECT_LT(std::abs(growth_of(flat).whole), 0.001);
  EXPECT_NEAR(growth_of(leaking).whole, 990 / growth_of(leaking).mean, 0.001);
  EXPECT_GT(growth_of(leaking).whole, 0.01);
  EXPECT_LT(std::abs(growth_of(step).whole), 0.01);
  EXPECT_GT(growth_of(step).span, 0.01);
}

std::string argument_for(const scpi::Parameter& p) {
  using Kind = scpi::Parameter::Kind;
  switch (p.kind) {
    case Kind::number:
    case Kind::integer:
      return p.min <= 1 && p.max >= 1 ? "1" : "MIN";
    case Kind::boolean:
      return "ON";
    case Kind::character:
      return p.words.front();
    case Kind::string:
      return "'box'";
    case Kind::block:
      return "#11x";
    case Kind::channels:
      return "(@1)";
  }
  return "";
}

/// The command with valid parameters.
std::string message_of(const scpi::Command& command) {
  std::string text = std::regex_replace(command.pattern.text(), std::regex(R"(\[[^\]]*\])"), "");
  text = std::regex_replace(text, std::regex("<n>"), "1");
  const char* before = " ";
  for (const auto& p : command.parameters) {
    if (p.optional) continue;
    text += before + argument_for(p);
    before = ",";
  }
  return text;
}

/// Sends it; returns its answers and errors.
std::string outcome_of(Host& host, const std::string& message) {
  host.send("*CLS\n" + message + "\nSYST:ERR:ALL?");
  std::string all;
  for (std::string line = host.ask("DIAG:ECHO? 'end'"); line != "\"end\""; line = host.ask(""))
    all += line + "\n";
  return all;
}

// Commands without query mark that a host may use without control: settings of its own link, acknowledgements, stops, and
// taking control, which is logged. A new command of the table belongs here, or is refused.
const std::set<std::string> free_to_all{"*CLS",
                                        "*ESE",
                                        "*OPC",
                                        "*SRE",
                                        "*WAI",
                                        "STATus:OPERation:ENABle",
                                        "STATus:OPERation:PTRansition",
                                        "STATus:OPERation:NTRansition",
                                        "STATus:QUEStionable:ENABle",
                                        "STATus:QUEStionable:PTRansition",
                                        "STATus:QUEStionable:NTRansition",
                                        "STATus:PRESet",
                                        "SYSTem:LOCK:RELease",
                                        "SYSTem:LOCK:FORCe",
                                        "SYSTem:PERSon",
                                        "ABORt",
                                        "PROBe:HOLE:ABORt",
                                        "DATA:PUSH",
                                        "DATA:ACK",
                                        "FORMat[:DATA]",
                                        "FORMat:BORDer",
                                        "UNIT:LENGth"};

TEST(ScenarioHostile, NobodyDoesWithoutControlWhatIsNotFreeToAll) {
  CellOptions options;
  options.trigger = "bus";
  options.push_results = false;
  Cell cell(options);
  cell.start();
  const auto owner = cell.connect(), stranger = cell.connect();
  EXPECT_EQ(owner->ask("SYST:LOCK:REQ?"), "1");
  const auto world = [&] {
    std::string all = slurp(cell.path() / "recipes/box.toml");
    for (const char* query :
         {"SYST:STAT?", "CONF:REC?", "CONF:UNIT?", "TRIG:SOUR?", "SYST:LOCK:OWN?", "DATA:COUN?"})
      all += owner->ask(query) + "\n";
    for (const char* folder : {"recipes", "drop", "drop/work"})
      for (const auto& name : cell.list(folder)) all += name + "\n";
    return all;
  };
  const std::string before = world();
  int refused = 0, asked = 0;
  for (const auto& command : scpi::all_commands()) {
    if (free_to_all.count(command.pattern.text()) > 0) continue;
    const std::string message = message_of(command), outcome = outcome_of(*stranger, message);
    if (!command.pattern.is_query()) {
      EXPECT_NE(outcome.find("-203,"), std::string::npos) << message << ": " << outcome;
    }
    ++(command.pattern.is_query() ? asked : refused);
    ASSERT_EQ(world(), before) << message << " changed the cell";
  }
  EXPECT_GT(refused, 20);
  EXPECT_GT(asked, 50);
  std::printf("%d commands refused, %d questions change nothing\n", refused, asked);
}

/// A PNG chunk: its type, then its data.
std::string png_chunk(const std::string& body) {
  std::string bytes;
  const auto big = [&](std::uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift & 0xFF);
  };
  big(static_cast<std::uint32_t>(body.size() - 4));
  bytes += body;
  big(static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size())));
  return bytes;
}

/// Files that only claim a large size: 10^10 and 10^12 pixels, nested brackets, TIFF directories in a cycle.
std::map<std::string, std::string> bombs() {
  const auto png = [](const std::string& side) {
    return "\x89PNG\r\n\x1A\n" + png_chunk("IHDR" + side + side + std::string("\x10\0\0\0\0", 5)) +
           png_chunk("IDAT" + std::string(64, '\0')) + png_chunk("IEND");
  };
  const std::string points =
      "element vertex 1000000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\nx";
  // little-endian TIFF; directory at 8 with no usable entry, the next one at 8 again
  const std::string loop("II*\0\x08\0\0\0\1\0\0\1\3\0\1\0\0\0\xFF\xFF\xFF\xFF\x08\0\0\0", 26);
  return {
      {"png", png(std::string("\0\1\x86\xA0", 4))},  // 100,000 x 100,000
      {"PNG", png(std::string("\0\0\x75\x30", 4))},  // 30,000 x 30,000: 1.8 GB
      {"tif", loop},
      {"ply", "ply\nformat binary_little_endian 1.0\ncomment rows 1000000\ncomment cols 1000000\n" + points},
      {"pcd",
       "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1000000\nHEIGHT 1000000\nPOINTS 1000000000000\n"
       "DATA binary\nx"},
      {"x3p", "PK\5\6" + std::string(18, '\xFF')}};
}

class ScenarioHostileDrop : public ::testing::Test {
 protected:
  void SetUp() override {
    cell.start();
    host = cell.connect();
    secret = cell.path() / "secret.ptr";
    cell.write("secret.ptr", frame_of_box(good_height_um, 77));
    expect_pass();
  }
  void put(const std::string& name, const std::string& bytes) {
    cell.write("outbox/any", bytes);
    fs::rename(cell.path() / "outbox/any", cell.drop() / name);
  }
  void expect_pass() {
    const std::string name = "good" + std::to_string(++good);
    cell.deliver(name, frame_of_box(good_height_um, static_cast<std::uint32_t>(good)));
    const auto line = host->result();
    EXPECT_EQ(line.frame, name);
    EXPECT_EQ(line.decision, "PASS");
  }
  /// The result of the last delivery; the next board is good.
  void expect_invalid(const std::string& what) {
    SCOPED_TRACE(what);
    EXPECT_EQ(host->result().decision, "INVALID");
    EXPECT_EQ(fields(host->ask("FETC:BOAR?")).at(2), "FRAME");
    expect_pass();
  }
  static std::string sidecar_of(const std::string& image, const std::string& more = "") {
    return R"({"schema_version":1,"sensor_serial":"S-1","job":{"name":"a","hash":"b"},"frame_id":"h",)"
           R"("capture_time":{"ns":1,"clock":"unknown"},"x":{"scale":0.05,"offset":0,"unit":"mm"},)"
           R"("y":{"scale":0.05,"offset":0,"unit":"mm"},"z":{"scale":1,"offset":0,"unit":"um"},)"
           R"("invalid_value":0,"handedness":"right","height_file":")" +
           image + "\"" + more + "}";
  }

  Cell cell;
  std::unique_ptr<Host> host;
  fs::path secret;
  int good = 0;
};

// Objects that are not plain files are not read, awaited or moved.
TEST_F(ScenarioHostileDrop, StrangeThingsAreLeftAloneAndTheNextBoardPasses) {
  const fs::path drop = cell.drop();
  fs::create_symlink(secret, drop / "absolute.ptr");
  fs::create_symlink("../secret.ptr", drop / "relative.ptr");
  fs::create_symlink("nowhere", drop / "dangling.json");
  fs::create_directory_symlink("/etc", drop / "folder.json");
  ASSERT_EQ(::mkfifo((drop / "fifo.json").c_str(), 0600), 0);
  fs::create_directory(drop / "board.ptr");
  const bool device = ::mknod((drop / "zero.ptr").c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0;
  if (!device) std::printf("no device file: %s\n", std::strerror(errno));
  put("link.json", sidecar_of("absolute.ptr"));
  expect_invalid("a sidecar that names a link");
  put("outside.json", sidecar_of("../secret.ptr"));
  expect_invalid("a sidecar that names a file outside");
  put("rooted.json", sidecar_of("/etc/passwd"));
  expect_invalid("a sidecar with an absolute path");
  put("fifo2.json", sidecar_of("fifo.json"));
  expect_invalid("a sidecar that names a fifo");
  put("itself.json", sidecar_of("itself.json"));
  expect_invalid("a sidecar that names itself");
  for (const char* name :
       {"absolute.ptr", "relative.ptr", "dangling.json", "folder.json", "fifo.json", "board.ptr"})
    EXPECT_TRUE(fs::exists(fs::symlink_status(drop / name))) << name;
  EXPECT_TRUE(fs::exists(secret));
  if (device) fs::remove(drop / "zero.ptr");
}

TEST_F(ScenarioHostileDrop, NamesOfAnyBytesAreRefusedOrMeasuredAndForgeNoLine) {
  put("a\nR,x,1,2,box,f,PASS,1,0,0,0*0000.ptr", frame_of_box(good_height_um, 50));
  const auto forged = host->result();
  EXPECT_EQ(forged.decision, "INVALID");
  EXPECT_EQ(forged.sequence, static_cast<std::uint64_t>(good) + 1) << "one line, of its own result";
  expect_pass();
  put("\xFF\xFE.ptr", frame_of_box(good_height_um, 51));
  expect_invalid("no UTF-8");
  put("...ptr.ptr", "x");  // hidden names are ignored
  expect_pass();
  put(std::string(251, 'n') + ".ptr", "x");
  expect_invalid("255 bytes");
}

// 40 MiB: a decompressed bomb takes 1 GiB and more; a refusal by the header takes the size of the file. The frames of
// this cell take 2 MiB each.
TEST_F(ScenarioHostileDrop, BombsAreRefusedByTheirHeaders) {
  const double before = usage_of(cell.daemon().pid()).rss_kib;
  for (const auto& [type, bytes] : bombs()) {
    put("bomb." + type, bytes);
    put("bomb_" + type + ".json", sidecar_of("bomb." + type));
    expect_invalid(type);
  }
  put("envi.img", "x");
  put("envi.hdr", "ENVI\nsamples = 1000000\nlines = 1000000\nbands = 1\ndata type = 4\nbyte order = 0\n");
  put("envi.json", sidecar_of("envi.img", R"(,"header_file":"envi.hdr")"));
  expect_invalid("envi");
  put("arrays.json", std::string(60'000, '['));
  expect_invalid("nested arrays");
  std::string objects;
  while (objects.size() < 60'000) objects += "{\"a\":";
  put("objects.json", objects);
  expect_invalid("nested objects");
  put("long.json", std::string(1 << 20, ' '));
  expect_invalid("a sidecar of 1 MiB");
  cell.write("outbox/any", "");
  fs::resize_file(cell.path() / "outbox/any", std::uintmax_t{1} << 40);
  fs::rename(cell.path() / "outbox/any", cell.drop() / "sparse.ptr");
  expect_invalid("a sparse file of 1 TiB");
  if (memory_tells) {
    EXPECT_LT(usage_of(cell.daemon().pid()).peak_kib - before, 40 * 1024);
  }
}

// A file that changes during reading is measured with the bytes present, or refused; the daemon never waits for it.
TEST_F(ScenarioHostileDrop, AFileThatShrinksUnderTheReaderIsRefused) {
  const std::string whole = frame_of_box(good_height_um, 60);
  cell.write("outbox/any", whole);
  std::ofstream writer(cell.path() / "outbox/any", std::ios::binary | std::ios::in);
  fs::create_hard_link(cell.path() / "outbox/any", cell.path() / "other-name");
  fs::rename(cell.path() / "outbox/any", cell.drop() / "shared.ptr");
  fs::resize_file(cell.path() / "other-name", 40);
  const auto line = host->result();
  EXPECT_EQ(line.frame, "shared");
  EXPECT_TRUE(line.decision == "PASS" || line.decision == "INVALID") << line.decision;
  expect_pass();
}

}  // namespace
}  // namespace datum::scenario

// The real daemon and a host with a faulty line between them: every result arrives exactly once.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "daemon/system/event_loop.h"
#include "drivers/port/port.h"
#include "tests/daemon/scpi/lossless_host.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

/// A host that reopens its serial line whenever possible.
class HostBehindTheLine {
 public:
  explicit HostBehindTheLine(const std::filesystem::path& path) {
    SerialSettings line;
    line.path = path;
    port_ = serial_port(line);
  }
  /// Runs until it has this number of results; false: it never got them.
  bool work(std::size_t results, const Program& relay) {
    const Deadline end = timeout();
    while (host.results.size() < results && std::chrono::steady_clock::now() < end && !relay.has_ended()) {
      try {
        turn(relay);
      } catch (const LostError&) {
        losses += port_->is_open();
        port_->close();
      }
    }
    return host.results.size() == results;
  }

  testing::LosslessHost host{LineCheck::crc32};
  int losses = 0;

 private:
  void turn(const Program& relay) {
    const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    if (!port_->is_open()) {
      readable({relay.ended()}, soon);  // the relay plugs it in again at its own pace
      port_->open();
      host.link_lost(EventLoop::now());
    }
    host.tick(EventLoop::now());
    if (!host.to_daemon.empty())
      host.to_daemon.erase(0, port_->write(reinterpret_cast<const std::uint8_t*>(host.to_daemon.data()),
                                           host.to_daemon.size()));
    readable({port_->fd(), relay.ended()}, soon);
    std::uint8_t bytes[4096];
    const std::size_t n = port_->read(bytes, sizeof bytes);
    host.receive({reinterpret_cast<const char*>(bytes), n}, EventLoop::now());
  }
  std::unique_ptr<Port> port_;
};

// 0.3 % of bytes are damaged, hence every third line of 110; and some twenty hang-ups and stalls.
TEST(ScenarioRelay, ABadSerialLineLosesNoResult) {
  constexpr int boards = 40;
  CellOptions options;
  options.push_results = false;
  options.more = "[host.serial]\npath = \"FOLDER/daemon-end\"\nbaud = 115200\npush_results = false\n";
  Cell cell(options);
  const Program relay(
      {"virtual-relay", "--lines", "host-end",  "daemon-end",  "--drop",      "0.0015", "--flip",  "0.0007",
       "--duplicate",   "0.0007",  "--hang-up", "0.001",       "--replug-ms", "50",     "--stall", "0.0005",
       "--stall-ms",    "100",     "--split",   "--jitter-ms", "2",           "--seed", "5"},
      cell.path(), "relay.log");
  ASSERT_TRUE(relay.says("host-end daemon-end"));
  Program& datumd = cell.start();
  for (int i = 0; i < boards; ++i)
    cell.deliver("board" + std::to_string(i),
                 frame_of_box(i % 3 == 0 ? bad_height_um : good_height_um, static_cast<unsigned>(i)));
  HostBehindTheLine behind(cell.path() / "host-end");
  ASSERT_TRUE(behind.work(boards, relay))
      << behind.host.results.size() << " results; relay: " << relay.output() << datumd.output();
  const auto stored = cell.results();
  ASSERT_EQ(stored.size(), static_cast<std::size_t>(boards));
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const ResultLine& r = behind.host.results[i];
    EXPECT_EQ(r.sequence, i + 1);
    EXPECT_EQ(stored[i]["store_id"], r.store_id);
    EXPECT_EQ(stored[i]["frame_id"], r.frame);
    EXPECT_EQ(stored[i]["decision"], name_of(r.decision));
  }
  relay.signal(SIGTERM);
  ASSERT_TRUE(relay.says("hang-ups"));
  std::printf("%sthe host lost its line %d times, %llu lines were damaged\n", relay.output().c_str(),
              behind.losses, static_cast<unsigned long long>(behind.host.damaged));
  EXPECT_GT(behind.losses, 0);
  EXPECT_GT(behind.host.damaged, 0u);
}

}  // namespace
}  // namespace datum::scenario

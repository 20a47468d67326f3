// One frame of what stands still, and one touch: what ends them, and where a frame's delivery goes.
#include "daemon/calibration/frame_scan.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "daemon/calibration/awaited_touch.h"
#include "drivers/frame/frame_error.h"
#include "tests/daemon/calibration/fake_frames.h"

namespace datum::frame_scan {
namespace {

constexpr MonotonicNs ms = 1'000'000;

class FakeCmm final : public CmmSource {
 public:
  void on_sample(OnSample) override {}
  void on_touch(OnSample) override {}
  void start(MonotonicNs) override {}
  void poll_soon(MonotonicNs) override { ++polls; }
  void listen(bool on, MonotonicNs) override { listens = on; }
  bool listening() const override { return listens; }
  void confirm_referenced() override {}
  ProbePoint latest(MonotonicNs) const override { return {}; }
  bool refused() const override { return false; }
  int fd() const override { return -1; }
  void on_ready(MonotonicNs) override {}
  std::optional<MonotonicNs> deadline() const override { return std::nullopt; }
  void on_deadline(MonotonicNs) override {}
  std::string describe() const override { return "cmm"; }
  std::optional<LinkReport> report(MonotonicNs) const override { return std::nullopt; }

  int polls = 0;
  bool listens = false;
};

struct Received final : ReceivedFrame {
  explicit Received(std::string id) : id(std::move(id)) {}
  HeightFrame read(const SensorProfile&) override {
    HeightFrame frame;
    frame.frame_id = id;
    return frame;
  }
  std::string id;
};

ProbePoint at(double x_mm, MonotonicNs ns) {
  ProbePoint p;
  p.position_mm = {x_mm, 0, 0};
  p.state = ProbeState::ok;
  p.first_byte_ns = p.last_byte_ns = ns;
  return p;
}

class FrameScanTest : public ::testing::Test {
 protected:
  void start(FrameScan::Examine examine = [](DroppedFrame&) {}) {
    scan.start(
        std::move(examine), [this](const FrameScan::Result& r) { results.push_back(r); }, 100 * ms);
  }
  void deliver(const std::string& id, MonotonicNs seen_ns) {
    ClaimedFrame claim;
    claim.entry = id + ".json";
    claim.first_seen_ns = seen_ns;
    claim.received = std::make_shared<Received>(id);
    frames.waiting.push_back(claim);
  }
  void let_worker_end() {
    pollfd done{worker.fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&done, 1, 60'000), 1);
    worker.on_ready(0);
  }
  /// Position before, frame `id`, position after.
  void take(const std::string& id) {
    scan.position(at(1, 110 * ms), 111 * ms);
    deliver(id, 120 * ms);
    scan.after_round(121 * ms);
    scan.position(at(1, 130 * ms), 131 * ms);
    let_worker_end();
  }

  std::filesystem::path folder;
  std::optional<CalibrateSettings> calibrate;
  std::optional<CmmSettings> cmm_settings = CmmSettings{};
  SensorProfile sensor;
  Worker worker;
  testing::FakeFrames frames;
  FakeCmm cmm;
  int changes = 0;
  ProcedureDependencies dependencies{{folder, calibrate, cmm_settings, 5000},
                                     sensor,
                                     worker,
                                     frames,
                                     &cmm,
                                     [] { return std::int64_t{0}; },
                                     {},
                                     [this] { ++changes; },
                                     [](int, const std::string&) {}};
  FrameScan scan{dependencies, "TEST:SCAN"};
  std::vector<FrameScan::Result> results;
};

TEST_F(FrameScanTest, GivesTheFrameWithThePositionAfterIt) {
  std::string examined;
  start([&](DroppedFrame& frame) { examined = frame.identity.frame_id; });
  EXPECT_FALSE(scan.awaits_frame());
  scan.position(at(1, 110 * ms), 111 * ms);
  EXPECT_TRUE(scan.awaits_frame());
  EXPECT_EQ(frames.exposures, 1);
  EXPECT_EQ(changes, 1) << "hosts hear that the sensor may expose";
  deliver("a", 120 * ms);
  scan.after_round(121 * ms);
  let_worker_end();
  EXPECT_TRUE(results.empty()) << "the position after it is missing";
  scan.position(at(1.001, 130 * ms), 131 * ms);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].error, "");
  EXPECT_EQ(results[0].identity.frame_id, "a");
  EXPECT_EQ(results[0].q_mm[0], 1.001);
  EXPECT_EQ(examined, "a");
  EXPECT_EQ(frames.ends, std::vector<std::string>{"a.json measured"});
  EXPECT_FALSE(scan.active());
  EXPECT_FALSE(scan.deadline());
}

TEST_F(FrameScanTest, RefusesWhatCameBeforeIt) {
  start();
  scan.position(at(1, 110 * ms), 111 * ms);
  deliver("early", 100 * ms);
  scan.after_round(112 * ms);
  EXPECT_EQ(frames.ends, std::vector<std::string>{
                             "early.json failed: arrived before TEST:SCAN; the sensor must expose after it"});
  EXPECT_TRUE(scan.awaits_frame());
}

TEST_F(FrameScanTest, AFrameThatWasDeliveredBeforeIsNoScan) {
  start();
  take("old");
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].error, "frame old was delivered before; let the sensor expose again");
  EXPECT_EQ(frames.ends, std::vector<std::string>{"old.json duplicate"});
}

TEST_F(FrameScanTest, WhatIsNotFoundInTheFrameFailsItsDelivery) {
  start([](DroppedFrame&) { throw FrameError("no hole"); });
  take("a");
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].error, "no hole");
  EXPECT_EQ(frames.ends, std::vector<std::string>{"a.json failed: no hole"});
}

TEST_F(FrameScanTest, AMachineThatMovedGivesNoScan) {
  start();
  scan.position(at(1, 110 * ms), 111 * ms);
  deliver("a", 120 * ms);
  scan.after_round(121 * ms);
  scan.position(at(2, 130 * ms), 131 * ms);
  EXPECT_TRUE(results.empty()) << "the delivery is still being read";
  let_worker_end();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_NE(results[0].error, "");
}

TEST_F(FrameScanTest, WithoutAFrameItEndsAtItsDeadline) {
  start();
  scan.position(at(1, 110 * ms), 111 * ms);
  ASSERT_TRUE(scan.deadline());
  scan.on_deadline(5100 * ms);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].error, "no frame came within 5000 ms; check the sensor and the folder");
}

TEST_F(FrameScanTest, AbortedItEndsItsDeliveryAndCallsNobody) {
  start();
  scan.position(at(1, 110 * ms), 111 * ms);
  deliver("a", 120 * ms);
  scan.after_round(121 * ms);
  scan.abort();
  let_worker_end();
  scan.position(at(1, 130 * ms), 131 * ms);
  EXPECT_TRUE(results.empty());
  EXPECT_EQ(frames.ends, std::vector<std::string>{"a.json measured"});
}

TEST(AwaitedTouch, EndsOnceAndListensWhileItIsAwaited) {
  FakeCmm cmm;
  std::vector<TouchSource::Step> ends;
  AwaitedTouch touch(&cmm, [&](const TouchSource& t, MonotonicNs) { ends.push_back(t.step()); });
  TouchSettings settings;
  settings.rule = TouchRule::latched;
  touch.latched(at(1, 1 * ms), 1 * ms);
  EXPECT_TRUE(ends.empty()) << "nothing is awaited";
  touch.start(settings, 10 * ms);
  EXPECT_TRUE(cmm.listens);
  touch.latched(at(1, 20 * ms), 20 * ms);
  EXPECT_EQ(ends, std::vector{TouchSource::Step::done});
  EXPECT_FALSE(cmm.listens);
  EXPECT_FALSE(touch.active());
  touch.latched(at(1, 30 * ms), 30 * ms);
  EXPECT_EQ(ends.size(), 1u);

  touch.start(settings, 40 * ms);
  ASSERT_TRUE(touch.deadline());
  touch.on_deadline(*touch.deadline());
  EXPECT_EQ(ends.back(), TouchSource::Step::failed);
  touch.start(settings, 90'000 * ms);
  touch.abort(90'001 * ms);
  EXPECT_FALSE(touch.deadline());
  EXPECT_EQ(ends.size(), 2u);
}

}  // namespace
}  // namespace datum::frame_scan

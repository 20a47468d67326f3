// A thousand random bores, tips, scans, machine limits, habits and defaults: the moved tip touches only the
// wall of its target, at any instant, also when it is aborted, terminated or killed at a random instant.
#include <gmock/gmock.h>

#include <random>

#include "calib/hybrid/hybrid_probe.h"
#include "daemon/holes/hole_room.h"
#include "drivers/cmm/presets.h"
#include "drivers/ipp/ipp_reader.h"
#include "tests/drivers/ipp/ipp_letter.h"

namespace datum {
namespace {

using testing::LetterHabits;
using testing::LetterServer;
using testing::Solid;
using Vec = Eigen::Vector3d;

class LetterWire final : public Port {
 public:
  LetterWire(LetterServer& server, MonotonicNs& now, std::string& queued)
      : server_(server), now_(now), queued_(queued) {}
  void open() override {
    server_.hung_up();
    queued_.clear();
    open_ = true;
  }
  void close() noexcept override { open_ = false; }
  bool is_open() const override { return open_; }
  int fd() const override { return -1; }
  std::size_t read(std::uint8_t* to, std::size_t room) override {
    const std::size_t size = std::min(room, queued_.size());
    std::copy_n(queued_.begin(), size, to);
    queued_.erase(0, size);
    return size;
  }
  std::size_t write(const std::uint8_t* from, std::size_t size) override {
    queued_ += server_.receive(std::string(reinterpret_cast<const char*>(from), size), now_);
    return size;
  }
  std::string describe() const override { return "letter"; }

 private:
  LetterServer& server_;
  MonotonicNs& now_;
  std::string& queued_;
  bool open_ = false;
};

/// The daemon's reader and the server, driven like the daemon does; a killed daemon is a new reader.
struct LetterRig {
  MonotonicNs now = 1000 * ns_per_ms;
  LetterServer server;
  CmmSettings settings;
  std::string queued;
  std::unique_ptr<IppReader> reader;
  std::optional<std::string> ended;
  std::optional<Vec> touched;
  std::optional<MonotonicNs> interrupt_at;  // time of an interruption, in any state
  std::function<void()> interrupt;

  void start() {
    reader = std::make_unique<IppReader>(settings, std::make_unique<LetterWire>(server, now, queued));
    reader->mover()->on_moved([this](const std::string& why, MonotonicNs) { ended = why; });
    reader->on_touch([this](const ProbePoint& p, MonotonicNs) {
      if (p.state == ProbeState::ok) touched = Vec(p.position_mm.data());
    });
    reader->listen(true, now);
    reader->start(now);
  }
  /// Advances from deadline to deadline until `reached`; false: not within a minute.
  bool pass_until(const std::function<bool()>& reached) {
    const MonotonicNs end = now + 60'000 * ns_per_ms;
    while (!reached()) {
      for (int i = 0; i < 1000 && !queued.empty() && !reached(); ++i) {
        const std::size_t before = queued.size();
        reader->on_ready(now);
        if (queued.size() == before) break;
      }
      if (reached()) return true;
      MonotonicNs next = end;
      if (const auto due = reader->deadline()) next = std::min(next, *due);
      if (const auto due = server.deadline()) next = std::min(next, *due);
      if (interrupt_at) next = std::min(next, *interrupt_at);
      if (now >= end) return false;
      now = std::max(now, next);
      if (interrupt_at && now >= *interrupt_at) {
        interrupt_at.reset();
        interrupt();
      }
      queued += server.advance(now);
      reader->on_deadline(now);
    }
    return true;
  }
  bool until_good() {
    return pass_until([this] { return reader->latest(now).state == ProbeState::ok && reader->listening(); });
  }
};

struct Case {
  LetterRig rig;
  HybridSettings hybrid;
  HoleCandidate scan;
  std::mt19937_64 random;

  double uniform(double from, double to) { return std::uniform_real_distribution<>(from, to)(random); }
  bool chance(double of) { return uniform(0, 1) < of; }
  double one_of(std::initializer_list<double> values) {
    return values.begin()[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
  }
  Vec noise(double most) { return {uniform(-most, most), uniform(-most, most), uniform(-most, most)}; }

  explicit Case(std::uint64_t seed) : random(seed) {
    LetterServer& server = rig.server;
    Solid& solid = server.solid;
    solid.mouth_mm = Vec(100, 80, 30) + noise(20);
    solid.axis = (Vec::UnitZ() + noise(0.1)).normalized();
    solid.radius_mm = uniform(0.6, 6);
    solid.walls_min_mm = Vec(20, 10, 0);
    solid.walls_max_mm = Vec(180, 150, 90);
    solid.true_from_scales = Eigen::Matrix3d::Identity();
    solid.true_from_scales(0, 1) = uniform(-1e-3, 1e-3);
    server.ball_mm = uniform(0.1, 1.5);
    server.place(solid.mouth_mm + Vec(uniform(-10, 10), uniform(-10, 10), uniform(10, 30)));
    habits();
    scanned();

    CmmSettings& s = rig.settings;
    s = ipp_dme();
    s.link = TcpSettings{"127.0.0.1", 1294};
    s.ipp.tool = "Probe1";
    ProbeMotionSettings& motion = s.ipp.motion.emplace();
    motion.speed_mm_s = uniform(5, 100);
    motion.probing_speed_mm_s = uniform(1, 10);
    motion.min_mm = {20, 10, 0};
    motion.max_mm = {180, 150, 90};
  }
  void habits() {
    LetterServer& server = rig.server;
    server.habits.adds_radius = chance(0.5);
    server.habits.retracts_to_approach = chance(0.3);
    server.habits.tells_part = chance(0.7);
    server.habits.tells_radius = chance(0.5);
    server.habits.tells_ranges = chance(0.8);
    server.habits.aborts_without_session = chance(0.7);
    server.habits.aborted =
        static_cast<LetterHabits::Aborted>(std::uniform_int_distribution<int>(0, 2)(random));
    // A controller that reports its radius may have any; otherwise it is configured for this tip.
    server.habits.radius_mm = server.ball_mm * (server.habits.tells_radius ? uniform(0, 3) : uniform(0, 1));
    for (auto& [name, parameter] : server.parameters) {
      parameter.min = name.ends_with("Speed") ? one_of({0.01, 1}) : one_of({0, 0, 0.1, 0.5, 1, 2});
      parameter.max = one_of({5, 100, 500});
      parameter.act = uniform(parameter.min, parameter.max);
    }
    for (auto& [name, value] : server.part)
      value = server.habits.tells_part && chance(0.3) ? uniform(0, 2) : 0;
  }
  /// The scan's result, wrong by up to 3 standard uncertainties in each direction.
  void scanned() {
    const Solid& solid = rig.server.solid;
    hybrid.probe = {rig.server.ball_mm, 0.0005, 0.001};
    hybrid.spare_mm = one_of({0.05, 0.2, 0.5});
    hybrid.depth_mm = uniform(0.5, 4);
    // At the smallest distance from the floor that the cell's configuration permits.
    rig.server.solid.floor_mm = hybrid.depth_mm + hybrid.spare_mm + rig.server.ball_mm + 0.05;
    const double u_xy = uniform(0.002, 0.05), u_r = uniform(0.002, 0.05);
    scan.normal = solid.axis;
    scan.u_shared_mm = {u_xy, u_xy, u_r};
    const double angle = uniform(0, 6.3), off = uniform(0, 3 * u_xy);
    const Vec across = solid.axis.unitOrthogonal();
    scan.center_mm =
        solid.mouth_mm + off * (std::cos(angle) * across + std::sin(angle) * solid.axis.cross(across));
    scan.radius_mm = solid.radius_mm + uniform(-3, 3) * u_r;
  }

  Eigen::Matrix3d scales_from_machine() const { return rig.server.solid.true_from_scales.inverse(); }

  /// One move, as requested by a hole procedure; empty: success.
  std::string move(const HybridProbe& probe, const ProbeMove& to) {
    const Vec q = scales_from_machine() * to.to_mm;
    ProbeWay way{{q.x(), q.y(), q.z()},
                 to.until_contact,
                 room_in_scales(probe.room(), scales_from_machine(), hybrid.probe.radius_mm)};
    rig.ended.reset();
    rig.touched.reset();
    try {
      rig.reader->mover()->move(way, rig.now);
    } catch (const RefusedError& refused) {
      return refused.what();
    }
    if (!rig.pass_until([this] { return rig.ended.has_value(); })) return "no end";
    return *rig.ended;
  }

  /// Runs until the hole is done or stopped; returns the reason of the end.
  std::string run() {
    if (!rig.until_good()) return "no session";
    HybridProbe probe(hybrid);
    probe.scan(scan, rig.now);
    while (!probe.finished()) {
      const bool entering = probe.state() == HybridProbe::State::approach;
      const auto moves = probe.moves();
      const std::string first = move(probe, moves[0]);
      if (!first.empty()) return first;
      if (!entering) {
        if (!rig.touched) return "no touch";
        probe.touched(rig.server.solid.true_from_scales * *rig.touched, rig.now);
        if (probe.finished() && probe.state() != HybridProbe::State::done) break;
      }
      const std::string second = move(probe, moves[1]);
      if (!second.empty()) return second;
      if (entering) probe.entered(moves[1].to_mm, rig.now);
    }
    if (probe.state() != HybridProbe::State::done) return probe.why();
    return move(probe, {false, probe.above_mm()});
  }
};

std::string words_of(const LetterServer& server) {
  std::string text;
  const char* parts[] = {"nothing", "bore", "plate", "floor", "wall"};
  for (const auto& crash : server.crashes)
    text += std::string(parts[static_cast<int>(crash.part)]) + " during " + crash.during + "; ";
  return text;
}

constexpr std::uint64_t cases = 1000;

TEST(IppSolid, TouchesNothingButWhereItWasSent) {
  int done = 0, refused = 0, touches = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    Case c(seed);
    c.rig.start();
    const std::string why = c.run();
    ASSERT_TRUE(c.rig.server.crashes.empty()) << "case " << seed << ": " << words_of(c.rig.server) << why;
    const ProbeMotionSettings& motion = *c.rig.settings.ipp.motion;
    EXPECT_LE(c.rig.server.fastest_mm_s, std::max(motion.speed_mm_s, motion.probing_speed_mm_s) + 1e-5)
        << "case " << seed;
    done += why.empty();
    refused += why.find("probe motion: ") == 0;
    touches += c.rig.server.touches;
    EXPECT_THAT(why, ::testing::Not(::testing::AnyOf("no session", "no end", "no touch"))) << "case " << seed;
  }
  // Tight bores, large tips and long minimum retracts leave no path; all others are measured completely.
  EXPECT_GE(done, static_cast<int>(cases) / 4);
  EXPECT_GE(touches, 12 * done) << "a round of four, one of eight";
  ::testing::Test::RecordProperty("done", done);
  std::printf("%d done, %d refused before they moved, %d touches\n", done, refused, touches);
}

// The tip is in one bore and the next scan is of another: a straight path would lead through the wall.
TEST(IppSolid, ATipLeftInABoreIsNotDraggedThroughItsWall) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Case c(seed);
    const Solid& solid = c.rig.server.solid;
    c.rig.server.place(c.scales_from_machine() * (solid.mouth_mm - c.hybrid.depth_mm * solid.axis));
    if (solid.gap(c.rig.server.at(0), c.rig.server.ball_mm).mm < 0) continue;  // it does not fit
    c.scan.center_mm += 10 * solid.axis.unitOrthogonal();
    c.rig.start();
    const std::string why = c.run();
    ASSERT_TRUE(c.rig.server.crashes.empty()) << "case " << seed << ": " << words_of(c.rig.server) << why;
    EXPECT_NE(why, "") << "case " << seed;
  }
}

// A stopped tip touches nothing new, and stops within the protocol's own time.
TEST(IppSolid, IsStoppedAtAnyInstant) {
  int stopped = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    Case c(seed);
    LetterRig& rig = c.rig;
    rig.start();
    const int how = static_cast<int>(seed % 3);  // an operator, SIGTERM, or kill -9 and the next start
    bool moved = false;
    rig.interrupt_at = rig.now + static_cast<MonotonicNs>(c.uniform(0, 15e9));
    rig.interrupt = [&] {
      moved = rig.server.moving(rig.now);
      if (how == 0) rig.reader->mover()->stop("an operator", rig.now);
      if (how == 1) rig.reader->close(rig.now);
      if (how != 2) return;
      rig.start();  // the previous reader sends nothing
      EXPECT_THAT(rig.server.heard, ::testing::ElementsAre("E0001 AbortE()")) << "case " << seed;
    };
    const std::string why = c.run();
    ASSERT_TRUE(rig.server.crashes.empty()) << "case " << seed << ": " << words_of(rig.server) << why;
    if (!moved) continue;
    ++stopped;
    if (how == 1) {
      ASSERT_TRUE(rig.pass_until([&] { return rig.reader->closed(); })) << "case " << seed;
      EXPECT_EQ(rig.server.heard.back().substr(6), "EndSession()") << "case " << seed;
    }
    EXPECT_FALSE(rig.server.moving(rig.now)) << "case " << seed;
    if (how != 1) {
      EXPECT_TRUE(rig.until_good()) << "case " << seed << ": " << rig.reader->describe();
    }
  }
  EXPECT_GE(stopped, static_cast<int>(cases) / 20);
  std::printf("%d stopped while they moved\n", stopped);
}

}  // namespace
}  // namespace datum

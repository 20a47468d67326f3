#include "drivers/port/reconnector.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <deque>

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr MonotonicNs ms = 1'000'000;

// A port with scripted results of open() and a scripted peer.
struct ScriptedPort final : Port {
  enum class Ends { well, late, lost, refused };
  std::deque<Ends> ends;
  std::string queued, taken;
  std::size_t room = 1'000'000'000;
  bool is = false, through = false;

  void open() override {
    const Ends end = ends.empty() ? Ends::well : ends.front();
    if (!ends.empty()) ends.pop_front();
    if (end == Ends::lost) throw LostError("gone");
    if (end == Ends::refused) throw RefusedError("no permission");
    is = true;
    through = end == Ends::well;
  }
  void close() noexcept override { is = false; }
  bool is_open() const override { return is; }
  bool connected() const override { return is && through; }
  int fd() const override { return is ? 3 : -1; }
  std::size_t read(std::uint8_t* to, std::size_t most) override {
    if (queued == "EOF") throw LostError("hung up");
    const std::size_t n = std::min(most, queued.size());
    std::copy_n(queued.begin(), n, to);
    queued.erase(0, n);
    return n;
  }
  std::size_t write(const std::uint8_t* from, std::size_t size) override {
    const std::size_t n = std::min(room, size);
    taken.append(reinterpret_cast<const char*>(from), n);
    room -= n;
    return n;
  }
  std::string describe() const override { return "port"; }
};

struct Rig {
  MonotonicNs now = 1000 * ms;
  ScriptedPort* port;
  std::vector<std::string> told;
  Reconnector link;

  explicit Rig(std::deque<ScriptedPort::Ends> ends = {}, const LinkLimits& limits = {}, bool accepted = false)
      : Rig(std::make_unique<ScriptedPort>(), std::move(ends), limits, accepted) {}
  Rig(std::unique_ptr<ScriptedPort> made, std::deque<ScriptedPort::Ends> ends, const LinkLimits& limits,
      bool accepted)
      : port(made.get()),
        link((made->ends = std::move(ends), made->is = made->through = accepted, std::move(made)), limits,
             [this](MonotonicNs) { told.push_back("open"); },
             [this](const std::string& why, MonotonicNs) { told.push_back(why); }) {}

  std::string read() {
    std::string got;
    link.run(now, [&] {
      std::uint8_t bytes[64];
      got.assign(reinterpret_cast<char*>(bytes), link.read(bytes, sizeof bytes, now));
    });
    return got;
  }
  /// Advances to the next deadline; returns the ms until it.
  int wait() {
    const MonotonicNs due = link.deadline().value();
    const int waited = static_cast<int>((due - now) / ms);
    EXPECT_FALSE(link.on_deadline(due - 1));
    EXPECT_TRUE(link.on_deadline(now = due));
    return waited;
  }
};

using Ends = ScriptedPort::Ends;

TEST(Reconnector, OpensReadsAndWrites) {
  Rig rig;
  EXPECT_EQ(rig.link.describe(), "closed, to be reopened");
  rig.link.start(rig.now);
  EXPECT_THAT(rig.told, ElementsAre("open"));
  EXPECT_FALSE(rig.link.deadline());
  rig.port->queued = "abc";
  rig.now += 5 * ms;
  EXPECT_EQ(rig.read(), "abc");
  EXPECT_EQ(rig.link.record().heard_ns, rig.now);
  rig.port->room = 2;
  rig.link.send("xyz");
  EXPECT_TRUE(rig.link.wants_write());
  rig.port->room = 9;
  rig.link.flush();
  EXPECT_EQ(rig.port->taken, "xyz");
  EXPECT_FALSE(rig.link.wants_write());
}

TEST(Reconnector, ReopensLaterAndLaterUntilThePeerIsWell) {
  Rig rig(std::deque<Ends>(7, Ends::lost));
  rig.link.start(rig.now);
  std::vector<int> waits;
  while (!rig.link.is_open()) waits.push_back(rig.wait());
  EXPECT_THAT(waits, ElementsAre(250, 500, 1000, 2000, 4000, 8000, 8000));
  EXPECT_EQ(rig.link.record().attempts, 8u);
  rig.port->queued = "EOF";  // accepted, then closed: the back-off continues
  rig.read();
  EXPECT_EQ(rig.link.describe(), "closed, to be reopened: hung up");
  rig.port->queued.clear();
  EXPECT_EQ(rig.wait(), 8000);
  rig.link.good();
  EXPECT_EQ(rig.link.record().attempts, 0u);
  rig.port->queued = "EOF";
  rig.read();
  EXPECT_EQ(*rig.link.deadline() - rig.now, 250 * ms);
  EXPECT_EQ(rig.link.record().lost, 2u);
  EXPECT_EQ(rig.link.record().since_ns, rig.now);
}

TEST(Reconnector, AConnectThatTakesItsTimeIsToldAtItsEndOrGivenUp) {
  Rig rig({Ends::late, Ends::late});
  rig.link.start(rig.now);
  EXPECT_EQ(rig.link.state(), LinkState::connecting);
  EXPECT_TRUE(rig.link.wants_write());
  EXPECT_TRUE(rig.told.empty());
  EXPECT_EQ(rig.wait(), 3000);
  EXPECT_THAT(rig.told, ElementsAre("port: can't connect: no answer"));
  EXPECT_EQ(rig.wait(), 250);
  rig.port->through = true;
  rig.read();
  EXPECT_THAT(rig.told, ElementsAre("port: can't connect: no answer", "open"));
}

TEST(Reconnector, WhatIsRefusedWaitsForAnOperator) {
  Rig rig({Ends::refused});
  rig.link.start(rig.now);
  EXPECT_TRUE(rig.link.refused());
  EXPECT_FALSE(rig.link.deadline());
  EXPECT_EQ(rig.link.describe(), "refused: no permission");
  rig.link.start(rig.now);
  EXPECT_TRUE(rig.link.is_open());
}

TEST(Reconnector, WhatIsRefusedIsTriedAgainWhereThatMayHelp) {
  LinkLimits limits;
  limits.refusal_is_final = false;
  Rig rig({Ends::refused}, limits);
  rig.link.start(rig.now);
  EXPECT_EQ(rig.wait(), 250);
  EXPECT_TRUE(rig.link.is_open());
}

TEST(Reconnector, ASilentPeerIsLost) {
  LinkLimits limits;
  limits.silence_ms = 4000;
  Rig rig({}, limits);
  rig.link.start(rig.now);
  rig.now += 3999 * ms;
  rig.port->queued = "a";
  rig.read();
  EXPECT_EQ(rig.wait(), 4000);
  EXPECT_THAT(rig.told, ElementsAre("open", "port: nothing was heard for 4000 ms"));
  EXPECT_EQ(rig.wait(), 250);
  EXPECT_TRUE(rig.link.is_open());
}

TEST(Reconnector, APeerThatDoesNotReadIsLost) {
  Rig rig;
  rig.link.start(rig.now);
  rig.port->room = 0;
  const std::string poll(1024, '?');
  for (int i = 0; i < 256; ++i) rig.link.run(rig.now, [&] { rig.link.send(poll); });
  EXPECT_TRUE(rig.link.is_open());
  rig.link.run(rig.now, [&] { rig.link.send(poll); });
  EXPECT_THAT(rig.told.back(), HasSubstr("the peer does not read"));
  rig.port->room = 10;
  rig.wait();
  EXPECT_EQ(rig.port->taken, "") << "what was left unsent belonged to the link before";
}

TEST(Reconnector, AnAcceptedConnectionIsNotMadeAnew) {
  LinkLimits limits;
  limits.reopens = false;
  Rig rig({}, limits, true);
  EXPECT_TRUE(rig.link.is_open());
  EXPECT_TRUE(rig.told.empty());
  rig.port->queued = "EOF";
  rig.read();
  EXPECT_THAT(rig.told, ElementsAre("hung up"));
  EXPECT_FALSE(rig.link.deadline());
}

TEST(Reconnector, ShutStaysShutAndTellsNobody) {
  Rig rig;
  rig.link.start(rig.now);
  rig.link.shut(rig.now);
  EXPECT_FALSE(rig.link.deadline());
  EXPECT_EQ(rig.link.fd(), -1);
  EXPECT_THAT(rig.told, ElementsAre("open"));
  rig.link.start(rig.now);
  EXPECT_TRUE(rig.link.is_open());
}

}  // namespace
}  // namespace datum

// The bad line's faults have their stated kinds and rates.
#include "tests/virtual_cell/line_faults.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "tests/virtual_cell/relay_pair.h"

namespace datum {
namespace {

constexpr MonotonicNs ms = 1'000'000;

/// All bytes due by `now`, in any pieces.
std::string all(LineFaults& line, MonotonicNs now) {
  std::string out;
  for (std::string piece; !(piece = line.take(now)).empty();) out += piece;
  return out;
}

std::string text_of(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('A' + i % 26);
  return text;
}

TEST(LineFaults, PassesAGoodLineUnchanged) {
  LineFaults line({});
  line.put("abc", 5);
  line.put("def", 5);
  EXPECT_EQ(line.deadline(), 5);
  EXPECT_EQ(all(line, 4), "");
  EXPECT_EQ(all(line, 5), "abcdef");
  EXPECT_EQ(line.deadline(), std::nullopt);
  EXPECT_EQ(line.held(), 0u);
}

TEST(LineFaults, SplitsAtEveryByte) {
  LineFaultSettings s;
  s.split = true;
  LineFaults line(s);
  line.put("ab\n", 0);
  EXPECT_EQ(line.take(0), "a");
  EXPECT_EQ(line.take(0), "b");
  EXPECT_EQ(line.take(0), "\n");
  EXPECT_EQ(line.take(0), "");
}

// Of n bytes with fault probability p the number of faults is binomial: within 5 of its standard deviations,
// which one run of 2 million exceeds.
TEST(LineFaults, DropsDoublesAndTurnsTheSharesThatItIsTold) {
  LineFaultSettings s;
  s.drop = 0.01;
  s.duplicate = 0.02;
  s.flip = 0.005;
  LineFaults line(s);
  const std::string sent = text_of(1'000'000);
  line.put(sent, 0);
  const auto& n = line.count();
  const auto near = [&](std::uint64_t counted, double p) {
    const double mean = 1e6 * p;
    return std::abs(static_cast<double>(counted) - mean) < 5 * std::sqrt(mean * (1 - p));
  };
  EXPECT_TRUE(near(n.dropped, s.drop)) << n.dropped;
  EXPECT_TRUE(near(n.duplicated, s.duplicate)) << n.duplicated;
  EXPECT_TRUE(near(n.flipped, s.flip)) << n.flipped;
  EXPECT_EQ(n.bytes, sent.size());
  EXPECT_EQ(all(line, 0).size(), sent.size() - n.dropped + n.duplicated);
}

TEST(LineFaults, AFlippedByteDiffersInOneBit) {
  LineFaultSettings s;
  s.flip = 1;
  LineFaults line(s);
  const std::string sent = text_of(1000);
  line.put(sent, 0);
  const std::string got = all(line, 0);
  ASSERT_EQ(got.size(), sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i)
    EXPECT_EQ(__builtin_popcount(static_cast<unsigned char>(sent[i] ^ got[i])), 1);
}

TEST(LineFaults, DelaysWithoutOvertaking) {
  LineFaultSettings s;
  s.delay_ns = 10 * ms;
  s.jitter_ns = 20 * ms;
  LineFaults line(s);
  const std::string sent = text_of(200);
  for (std::size_t i = 0; i < sent.size(); ++i) line.put(sent.substr(i, 1), static_cast<MonotonicNs>(i) * ms);
  std::string got;
  for (MonotonicNs now = 0; now <= 230 * ms; now += ms / 2) {
    got += all(line, now);
    // Put at size - 1 ms, delayed by at least 10 ms.
    const auto due = static_cast<MonotonicNs>(got.size()) * ms;
    ASSERT_LE(due, std::max<MonotonicNs>(0, now - 9 * ms));
  }
  EXPECT_EQ(got, sent);
}

TEST(LineFaults, StallsAndThenGoesOn) {
  LineFaultSettings s;
  s.stall = 1;
  s.stall_ns = 100 * ms;
  LineFaults line(s);
  line.put("a", 0);
  EXPECT_EQ(all(line, 100 * ms - 1), "");
  EXPECT_EQ(all(line, 100 * ms), "a");
  EXPECT_EQ(line.count().stalls, 1u);
}

TEST(LineFaults, HangsUpBehindWhatCameBefore) {
  LineFaultSettings s;
  s.hang_up = 0.01;
  s.delay_ns = ms;
  LineFaults line(s);
  const std::string sent = text_of(10'000);
  line.put(sent, 0);
  EXPECT_FALSE(line.hung_up(ms));
  const std::string got = all(line, ms);
  EXPECT_EQ(got, sent.substr(0, got.size()));
  EXPECT_LT(got.size(), sent.size());
  EXPECT_TRUE(line.hung_up(ms));
  line.put("lost", ms);
  EXPECT_EQ(line.held(), 0u) << "nothing piles up behind a line that is cut";
  EXPECT_EQ(all(line, 10 * ms), "");
  line.reopen();
  EXPECT_FALSE(line.hung_up(10 * ms));
  line.put("x", 10 * ms);
  EXPECT_EQ(all(line, 20 * ms), "x");
  EXPECT_EQ(line.count().hang_ups, 1u);
}

TEST(LineFaults, RepeatsItselfForItsSeedOnly) {
  LineFaultSettings s;
  s.drop = s.flip = s.duplicate = 0.05;
  LineFaults a(s), b(s);
  ++s.seed;
  LineFaults c(s);
  const std::string sent = text_of(1000);
  for (LineFaults* line : {&a, &c}) line->put(sent, 0);
  for (const char byte : sent) b.put({&byte, 1}, 0);  // in any split
  const std::string once = all(a, 0);
  EXPECT_EQ(once, all(b, 0));
  EXPECT_NE(once, all(c, 0));
}

TEST(LineFaults, RefusesWhatIsNoShare) {
  LineFaultSettings s;
  s.drop = -0.1;
  EXPECT_THROW(LineFaults{s}, std::invalid_argument);
  s.drop = std::nan("");
  EXPECT_THROW(LineFaults{s}, std::invalid_argument);
  s.drop = s.flip = 0.6;
  EXPECT_THROW(LineFaults{s}, std::invalid_argument);
  s = {};
  s.delay_ns = -1;
  EXPECT_THROW(LineFaults{s}, std::invalid_argument);
}

/// A pair between two sockets whose far ends belong to the test.
struct Relayed : ::testing::Test {
  Relayed() {
    for (auto& end : ends)
      if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, end.data()) != 0)
        throw std::runtime_error("socketpair");
  }
  ~Relayed() override {
    for (const auto& end : ends)
      for (const int fd : end) close(fd);
  }
  void say(int end, const std::string& text) const {
    ASSERT_EQ(write(ends[static_cast<std::size_t>(end)][1], text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
  std::string heard(int end) const {
    char bytes[256];
    const ssize_t n = read(ends[static_cast<std::size_t>(end)][1], bytes, sizeof bytes);
    return {bytes, n > 0 ? static_cast<std::size_t>(n) : 0};
  }
  RelayPair pair(const LineFaultSettings& s) const { return {ends[0][0], ends[1][0], s}; }
  std::array<std::array<int, 2>, 2> ends{};
};

TEST_F(Relayed, PassesBothWays) {
  RelayPair relay = pair({});
  say(0, "to the daemon");
  say(1, "to the host");
  relay.pump(0);
  EXPECT_EQ(heard(1), "to the daemon");
  EXPECT_EQ(heard(0), "to the host");
  EXPECT_EQ(relay.count(0).bytes, 13u);
  EXPECT_EQ(relay.events(0), POLLIN);
  EXPECT_FALSE(relay.ended());
}

TEST_F(Relayed, HoldsWhatIsDelayedUntilItsTime) {
  LineFaultSettings s;
  s.delay_ns = 5 * ms;
  RelayPair relay = pair(s);
  say(0, "late");
  relay.pump(ms);
  EXPECT_EQ(heard(1), "");
  ASSERT_EQ(relay.deadline(), 6 * ms);
  relay.pump(6 * ms);
  EXPECT_EQ(heard(1), "late");
  EXPECT_EQ(relay.deadline(), std::nullopt);
}

TEST_F(Relayed, EndsWhereTheLineIsCut) {
  LineFaultSettings s;
  s.hang_up = 1;
  RelayPair relay = pair(s);
  relay.pump(0);
  EXPECT_FALSE(relay.ended());
  say(1, "x");
  relay.pump(0);
  EXPECT_TRUE(relay.ended());
  EXPECT_EQ(relay.count(1).hang_ups, 1u);
}

TEST_F(Relayed, EndsWhereAnEndIsClosed) {
  RelayPair relay = pair({});
  shutdown(ends[0][1], SHUT_RDWR);
  relay.pump(0);
  EXPECT_TRUE(relay.ended());
}

}  // namespace
}  // namespace datum

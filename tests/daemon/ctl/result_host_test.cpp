// The host of datumctl watch against the daemon's delivery, over a line that drops, repeats and damages.
#include "daemon/ctl/result_host.h"

#include <gtest/gtest.h>

#include <random>

#include "daemon/delivery/result_delivery.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::result_host_test {
namespace {

constexpr MonotonicNs ms = 1'000'000;
using Kind = DeliveryEvent::Kind;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0, to = 0; (to = text.find('\n', from)) != std::string::npos; from = to + 1)
    lines.push_back(text.substr(from, to - from));
  return lines;
}

/// A line that drops, repeats or damages `per_cent` of the lines.
class BadLine {
 public:
  BadLine(std::uint32_t seed, unsigned per_cent) : random_(seed), per_cent_(per_cent) {}
  std::vector<std::string> carry(const std::string& line) {
    if (random_() % 100 >= per_cent_) return {line};
    std::string damaged = line;
    damaged[random_() % damaged.size()] ^= 4;
    switch (random_() % 3) {
      case 0:
        return {};
      case 1:
        return {line, line};
      default:
        return {damaged};
    }
  }

 private:
  std::mt19937 random_;
  unsigned per_cent_;
};

struct ResultHostTest : ::testing::Test {
  void store(int boards) {
    for (int i = 0; i < boards; ++i) cell.finish_board(testing::board(++stored));
  }
  /// One exchange of lines in each direction.
  void exchange(ResultHost& host, ResultDelivery& daemon, BadLine& line) {
    now += 100 * ms;
    for (const auto& text : daemon.due(now))
      for (const auto& carried : line.carry(text)) host.take(carried, now);
    daemon.sent(now);
    if (now >= host.deadline()) host.on_deadline(now);
    for (const auto& text : split(host.to_daemon()))
      for (const auto& carried : line.carry(text)) {
        try {
          daemon.take(parse_host_line(carried), now);
        } catch (const std::runtime_error&) {  // damaged, or from before a break: dropped
        }
      }
    for (auto& event : host.events()) events.push_back(std::move(event));
  }
  void run(ResultHost& host, ResultDelivery& daemon, std::uint32_t seed, unsigned per_cent,
           std::size_t results) {
    BadLine line(seed, per_cent);
    host.connected(now);
    for (int i = 0; i < 20'000 && sequences().size() < results; ++i) exchange(host, daemon, line);
  }
  std::vector<std::uint64_t> sequences() const {
    std::vector<std::uint64_t> seen;
    for (const auto& event : events)
      if (event.kind == Kind::result) seen.push_back(event.result.sequence);
    return seen;
  }
  static std::vector<std::uint64_t> from_to(std::uint64_t from, std::uint64_t to) {
    std::vector<std::uint64_t> all;
    for (; from <= to; ++from) all.push_back(from);
    return all;
  }

  testing::FreshFolder folder;
  testing::TestCell cell{folder / "results.db"};
  int stored = 0;
  MonotonicNs now = 0;
  std::vector<DeliveryEvent> events;
};

TEST_F(ResultHostTest, GetsEachResultOnceInOrderOverABadLine) {
  store(100);
  for (const unsigned per_cent : {0u, 5u, 30u}) {
    events.clear();
    ResultHost host(0);
    ResultDelivery daemon(cell);
    run(host, daemon, 7 + per_cent, per_cent, 100);
    EXPECT_EQ(sequences(), from_to(1, 100)) << per_cent;
  }
}

TEST_F(ResultHostTest, GoesOnAfterABreakWhereItWas) {
  store(20);
  ResultHost host(0);
  ResultDelivery before(cell);
  run(host, before, 1, 0, 11);  // a window of eight, then some
  store(20);
  ResultDelivery restarted(cell);
  run(host, restarted, 1, 10, 40);
  EXPECT_EQ(sequences(), from_to(1, 40));
  EXPECT_EQ(std::count_if(events.begin(), events.end(), [](const auto& e) { return e.kind == Kind::store; }),
            1);
}

TEST_F(ResultHostTest, BeginsWithWhatIsNewWhereNotToldOtherwise) {
  store(5);
  ResultHost host(std::nullopt);
  ResultDelivery daemon(cell);
  BadLine good(1, 0);
  host.connected(now);
  for (int i = 0; i < 5; ++i) exchange(host, daemon, good);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, Kind::store);
  EXPECT_EQ(events[0].to, 5u);
  store(2);
  for (int i = 0; i < 5; ++i) exchange(host, daemon, good);
  EXPECT_EQ(sequences(), from_to(6, 7));
}

TEST_F(ResultHostTest, BeginsBehindTheSequenceThatItIsTold) {
  store(5);
  ResultHost host(3);
  ResultDelivery daemon(cell);
  run(host, daemon, 1, 0, 2);
  EXPECT_EQ(sequences(), from_to(4, 5));
}

/// The number belongs to another store, or to a time before this one was set back.
TEST_F(ResultHostTest, DoesNotClaimANumberThatTheStoreNeverGave) {
  store(5);
  ResultHost host(9);
  ResultDelivery daemon(cell);
  BadLine good(1, 0);
  host.connected(now);
  for (int i = 0; i < 5; ++i) exchange(host, daemon, good);
  EXPECT_EQ(daemon.take_ahead(), std::nullopt);
  store(2);
  for (int i = 0; i < 5; ++i) exchange(host, daemon, good);
  EXPECT_EQ(sequences(), from_to(6, 7));
}

TEST_F(ResultHostTest, AnotherStoreBeginsAnew) {
  store(3);
  ResultHost host(0);
  ResultDelivery daemon(cell);
  run(host, daemon, 1, 0, 3);
  const testing::FreshFolder other_folder;
  testing::TestCell other(other_folder / "results.db");
  for (int i = 0; i < 2; ++i) other.finish_board(testing::board(i));
  ResultDelivery replaced(other);
  run(host, replaced, 1, 0, 5);
  EXPECT_EQ(sequences(), (std::vector<std::uint64_t>{1, 2, 3, 1, 2}));
  EXPECT_EQ(events[4].kind, Kind::store) << "it is said that the store is another";
}

TEST_F(ResultHostTest, AllOfAnotherStoreIsNew) {
  store(3);
  ResultHost host(std::nullopt);
  ResultDelivery daemon(cell);
  BadLine good(1, 0);
  host.connected(now);
  for (int i = 0; i < 5; ++i) exchange(host, daemon, good);
  const testing::FreshFolder other_folder;
  testing::TestCell other(other_folder / "results.db");
  for (int i = 0; i < 2; ++i) other.finish_board(testing::board(i));
  ResultDelivery replaced(other);
  run(host, replaced, 1, 0, 2);
  EXPECT_EQ(sequences(), from_to(1, 2));
}

TEST_F(ResultHostTest, TellsAGapAndGoesOnBehindIt) {
  ResultHost host(0);
  host.connected(now);
  const auto say = [&](const std::string& text) { return host.take(with_crc(text, LineCheck::crc32), now); };
  EXPECT_TRUE(say("STORE,ab,8,9"));
  EXPECT_TRUE(say("GAP,ab,1,7"));
  EXPECT_TRUE(say("R,ab,8,1,m,f,PASS,1,0,0,0"));
  EXPECT_TRUE(say("R,ab,8,1,m,f,PASS,1,0,0,0"));
  EXPECT_TRUE(say("R,cd,9,1,m,f,PASS,1,0,0,0")) << "of another store: dropped";
  EXPECT_FALSE(host.take("IDLE,\"\"", now)) << "an answer";
  const auto told = host.events();
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[1].kind, Kind::gap);
  EXPECT_EQ(told[1].from, 1u);
  EXPECT_EQ(told[1].to, 7u);
  EXPECT_EQ(told[2].result.sequence, 8u);
}

TEST_F(ResultHostTest, AsksAgainWhereNothingComes) {
  ResultHost host(0);
  host.connected(0);
  EXPECT_EQ(host.to_daemon(), with_crc("RESUME,-,0", LineCheck::crc32) + "\n");
  EXPECT_EQ(host.deadline(), 3000 * ms) << "three heartbeats of a second";
  host.on_deadline(3000 * ms);
  EXPECT_EQ(host.to_daemon(), with_crc("RESUME,-,0", LineCheck::crc32) + "\n");
}

}  // namespace
}  // namespace datum::result_host_test

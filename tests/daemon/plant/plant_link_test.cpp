// The link to a broker that stands for the world: slow, full, absent, lying, speaking nonsense. Nothing is lost, the kept position is
// never ahead of what was accepted (LinkFixture::settle), memory and attempts are bounded, and the log says why.
#include <gmock/gmock.h>

#include <limits>
#include <random>

#include "tests/daemon/plant/link_fixture.h"

namespace datum {
namespace {

using namespace testing;
using ::testing::HasSubstr;

using PlantLinks = LinkFixture;

TEST_F(PlantLinks, SendsEverythingOnceInOrderAsTheStandardWantsIt) {
  add(40);
  start();
  run(2 * of_second);
  std::vector<std::string> expected;
  for (const PlantMessage& message : whole()) expected.push_back(message.id);
  // Two addresses, each in its order.
  for (const bool entries : {false, true}) {
    std::vector<std::string> sent, wanted;
    for (const Taken& taken : broker.taken)
      if (taken.durable && (taken.address == "entries") == entries) sent.push_back(taken.id);
    for (const PlantMessage& message : whole())
      if ((message.to == PlantMessage::To::entries) == entries) wanted.push_back(message.id);
    EXPECT_EQ(sent, wanted);
  }
  ASSERT_GT(broker.taken.size(), 3u);
  EXPECT_THAT(broker.taken[0].body, HasSubstr("CFX.EndpointConnected"));
  EXPECT_THAT(broker.taken[1].body, HasSubstr("StationOnline"));
  EXPECT_THAT(broker.taken[2].body, HasSubstr("Heartbeat"));
  for (const Taken& taken : broker.taken) {
    EXPECT_TRUE(taken.is_data) << "a body is one section of data";
    EXPECT_LE(taken.tag_bytes, 32u) << "part 2, 2.8.7";
  }
  EXPECT_EQ(kept.place.link, whole().back().completes->place.link);
  EXPECT_THAT(status, HasSubstr("; connected"));
  add(2);
  run(of_second);
  EXPECT_EQ(missing(), 0u);
  EXPECT_EQ(broker.connections, 1);
}

TEST_F(PlantLinks, OneMessageThatIsRejectedIsNotSkipped) {
  add(6);
  const std::string poison = whole()[9].id;
  broker.behaviour.answer = [&](const Taken& t) { return t.id == poison ? Answer::reject : Answer::accept; };
  start();
  run(5 * of_minute);
  EXPECT_EQ(kept.place.link, accepted_up_to());
  EXPECT_GT(kept.place.link, 0u);
  expect_recovery();
}

TEST_F(PlantLinks, ABrokerThatAcceptsAndForgetsGetsItAgainFromAnyPosition) {
  add(6);
  broker.behaviour.stores = false;
  start();
  run(of_second);
  EXPECT_GT(kept.place.link, 0u) << "accepted is the broker's word";
  EXPECT_TRUE(broker.stored.empty());
  const auto before = durable_ids();
  broker.behaviour = {};
  broker.cut();
  start();  // from the first entry
  run(of_second);
  EXPECT_EQ(missing(), 0u);
  const auto all = durable_ids();
  EXPECT_EQ(std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(before.size()), all.end()),
            before)
      << "by the same ids";
}

TEST_F(PlantLinks, ABrokerThatNeverAnswersGetsTheWindowAndNoMore) {
  add(40);
  settings.window = 7;
  broker.behaviour.answer = [](const Taken& t) { return t.durable ? Answer::keep_silent : Answer::accept; };
  broker.behaviour.credit = std::numeric_limits<int>::max() / 2;  // credit is no limit
  start();
  run(2 * of_minute);
  EXPECT_EQ(durable_ids().size(), 7u);
  EXPECT_EQ(broker.connections, 1) << "slow is not lost";
  EXPECT_THAT(said(), HasSubstr("7 messages wait for its answer"));
  EXPECT_THAT(status, HasSubstr("the broker accepts nothing"));
  run(14 * of_minute);
  EXPECT_EQ(broker.connections, 2);
  EXPECT_THAT(said(), HasSubstr("accepted nothing for 15 min"));
  broker.answer_late(Answer::accept);
  broker.cut();
  expect_recovery();
}

TEST_F(PlantLinks, ABrokerThatAnswersAfterAnHourIsWaitedFor) {
  add(2);
  settings.window = static_cast<int>(whole().size());
  broker.behaviour.answer = [](const Taken& t) { return t.durable ? Answer::keep_silent : Answer::accept; };
  start();
  for (int hour = 0; hour < 6 && kept.place.link == 0; ++hour) {
    run(of_hour);
    broker.answer_late(Answer::accept);
    run(of_second);
  }
  EXPECT_EQ(missing(), 0u);
  EXPECT_EQ(kept.place.link, whole().back().completes->place.link);
}

TEST_F(PlantLinks, ABrokerWithoutCreditGetsNothingAndIsNamed) {
  add(5);
  broker.behaviour.credit = 0;
  start();
  run(2 * of_minute);
  EXPECT_TRUE(broker.taken.empty());
  EXPECT_THAT(said(), HasSubstr("it gives no credit"));
  EXPECT_EQ(broker.connections, 1);
  broker.cut();
  expect_recovery();
}

TEST_F(PlantLinks, CreditIsNotExceeded) {
  add(30);
  broker.behaviour.credit = 1;
  start();
  run(of_minute);
  EXPECT_EQ(missing(), 0u);
}

TEST_F(PlantLinks, LargeMessagesAreBoundedByTheirBytes) {
  add(8, std::string(1 << 20, 'x'));
  broker.behaviour.answer = [](const Taken& t) { return t.durable ? Answer::keep_silent : Answer::accept; };
  broker.behaviour.credit = 10'000;
  settings.window = 10'000;
  start();
  run(of_second);
  std::size_t bytes = 0, largest = 0;
  for (const Taken& taken : broker.taken) {
    bytes += taken.body.size();
    largest = std::max(largest, taken.body.size());
  }
  EXPECT_GT(bytes, DeliveryWindow::most_bytes / 2);
  EXPECT_LE(bytes, DeliveryWindow::most_bytes + largest);
  broker.answer_late(Answer::accept);
  broker.cut();
  expect_recovery();
}

TEST_F(PlantLinks, ALinkWithoutATargetTakesNothing) {
  add(2);
  broker.behaviour.has_no_target = true;
  start();
  run(of_minute);
  EXPECT_TRUE(broker.taken.empty());
  broker.cut();
  expect_recovery();
}

TEST_F(PlantLinks, AConnectionThatBreaksAnywhereLosesNothing) {
  add(3);
  for (std::size_t at = 1; at < 30'000; at += at < 64 ? 7 : at / 2) {
    broker.accepted.clear();
    broker.stored.clear();
    broker.behaviour.cut_behind = at;
    kept = {};
    start();
    run(of_second);
    expect_recovery(2 * of_second);
  }
}

TEST_F(PlantLinks, OutcomesMayComeInAnyOrder) {
  add(35);
  broker.behaviour.answers_at_once = 7;  // the newest first
  start();
  run(of_second);
  broker.behaviour.answers_at_once = 1;
  broker.cut();
  expect_recovery();
}

TEST_F(PlantLinks, TheSmallestFramesOfTheStandardAreEnough) {
  add(3, std::string(5000, 'u'));
  broker.behaviour.max_frame = 512;
  start();
  run(of_second);
  EXPECT_EQ(missing(), 0u);
}

TEST_F(PlantLinks, ADemandedSignOfLifeIsGiven) {
  add(1);
  broker.behaviour.idle_ms = 2000;
  start();
  run(2 * of_minute);
  EXPECT_EQ(broker.connections, 1) << said();
}

TEST_F(PlantLinks, ABrokerThatDiedWithoutAWordIsFoundDead) {
  add(1);
  start();
  run(of_second);
  broker.is_mute = true;
  add(1);
  run(of_minute);
  EXPECT_THAT(said(), HasSubstr("local-idle-timeout expired"));
  expect_recovery();
}

TEST_F(PlantLinks, ABrokerThatClosesInOrderIsConnectedAgain) {
  add(1);
  start();
  run(of_second);
  broker.close_connection();
  add(1);
  expect_recovery();
  EXPECT_EQ(broker.connections, 2);
  EXPECT_THAT(said(), HasSubstr("it closed the connection"));
}

TEST_F(PlantLinks, AMonthWithoutABrokerCostsNeitherResultsNorMemory) {
  add(1);
  broker.behaviour.refuses = true;
  start();
  run(10 * 24 * of_hour);
  add(20);
  run(20 * 24 * of_hour);
  EXPECT_EQ(log.size(), 1u) << said();
  expect_recovery();
  EXPECT_THAT(broker.taken.at(1).body, HasSubstr("\"OfflineDuration\":\"30.00:00:0"))
      << "since the first attempt";
}

TEST_F(PlantLinks, WhatRetentionRemovedMeanwhileIsAGap) {
  add(6);
  broker.behaviour.refuses = true;
  start();
  run(of_hour);
  {
    ResultStore store(file);
    RemovalOrder order;
    order.up_to = 4;
    order.rule = "results older than 1 day";
    order.utc = "2026-11-23T00:00:00Z";
    ASSERT_EQ(store.remove_oldest(order).results, 4u);
  }
  add(1);
  expect_recovery();
  const auto gaps = std::count_if(broker.taken.begin(), broker.taken.end(), [](const Taken& t) {
    return t.body.find("\"gap\":{\"first\":") != t.body.npos;
  });
  EXPECT_EQ(gaps, 1);
}

TEST_F(PlantLinks, APositionThatCantBeKeptIsTriedAgain) {
  add(3);
  unkept = "position.json: No space left on device";
  start();
  run(of_minute);
  EXPECT_EQ(missing(), 0u);
  EXPECT_EQ(kept.place.link, 0u);
  EXPECT_EQ(
      std::count_if(log.begin(), log.end(), [](const auto& l) { return l.find("No space left") != l.npos; }),
      1);
  unkept.clear();
  run(of_second);
  EXPECT_GT(kept.place.link, 0u);
}

TEST_F(PlantLinks, TakesLeaveWhenEverythingOpenIsAccepted) {
  add(3);
  start();
  run(of_second);
  link->end(now);
  run(of_second);
  EXPECT_TRUE(link->has_ended());
  EXPECT_THAT(broker.taken.back().body, HasSubstr("EndpointShuttingDown"));
}

TEST_F(PlantLinks, DoesNotWaitLongForASilentBrokerAtItsEnd) {
  add(3);
  broker.behaviour.answer = [](const Taken& t) { return t.durable ? Answer::keep_silent : Answer::accept; };
  start();
  run(of_second);
  link->end(now);
  run(4 * of_second);
  EXPECT_FALSE(link->has_ended());
  run(2 * of_second);
  EXPECT_TRUE(link->has_ended());
  EXPECT_EQ(kept.place.link, 0u);
}

/// A TLS handshake whose answer is due.
struct HandshakingPort final : Port {
  bool is_up = false;
  void open() override { is_up = true; }
  void close() noexcept override { is_up = false; }
  bool is_open() const override { return is_up; }
  bool connected() const override { return false; }
  bool wants_write() const override { return false; }
  int fd() const override { return -1; }
  std::size_t read(std::uint8_t*, std::size_t) override { return 0; }
  std::size_t write(const std::uint8_t*, std::size_t) override { return 0; }
  std::string describe() const override { return "handshake"; }
};

TEST_F(PlantLinks, AHandshakeThatWaitsForTheBrokerDoesNotSpin) {
  PlantLinkActions actions;
  actions.access = [] { return BrokerAccess{std::make_unique<HandshakingPort>(), {"V.M.1", "host", {}}}; };
  actions.log = [](int, const std::string&) {};
  actions.status = [](const std::string&) {};
  actions.utc = [] { return std::string(); };
  PlantLink waiting(file, settings, {}, actions);
  waiting.on_deadline(now);
  EXPECT_FALSE(waiting.wants_write()) << "its socket is writable all the time";
}

TEST_F(PlantLinks, ABrokerThatDiesAtTheEndDoesNotHoldItUp) {
  add(3);
  broker.behaviour.answer = [](const Taken& t) { return t.durable ? Answer::keep_silent : Answer::accept; };
  start();
  run(of_second);
  link->end(now);
  broker.cut();
  run(of_second / 10);
  EXPECT_TRUE(link->has_ended());
}

TEST_F(PlantLinks, ShowsItsCertificateOrItsPassword) {
  add(1);
  certificate = true;
  start();
  run(of_second);
  EXPECT_EQ(broker.mechanism_of_connection.back(), "EXTERNAL");
  user = "cell1";
  start();
  run(of_second);
  EXPECT_EQ(broker.mechanism_of_connection.back(), std::string("PLAIN\0cell1\0secret", 18));
}

/// Each connection and each message its own fate.
struct AnyFate : PlantLinks, ::testing::WithParamInterface<int> {};

TEST_P(AnyFate, LosesNothing) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const auto one_of = [&](unsigned n) { return random() % n == 0; };
  settings.window = static_cast<int>(random() % 30 + 1);
  add(12);
  start();
  for (int round = 0; round < 25; ++round) {
    Behaviour& b = broker.behaviour;
    b = {};
    b.credit = static_cast<int>(random() % 40);
    b.refuses = one_of(6);
    b.closes_connection = one_of(8);
    b.detaches = one_of(8);
    b.answers_at_once = random() % 3 + 1;
    if (one_of(2)) b.cut_behind = random() % 40'000 + 1;
    if (one_of(3)) b.max_frame = static_cast<std::uint32_t>(512 + random() % 4000);
    if (one_of(10)) b.garbage = std::string(random() % 60 + 1, static_cast<char>(random()));
    b.answer = [&random](const Taken&) {
      const auto fate = random() % 100;
      return fate < 90 ? Answer::accept : static_cast<Answer>(fate % 6);
    };
    if (one_of(4)) broker.answer_late(static_cast<Answer>(random() % 5));
    if (one_of(5)) broker.cut();
    if (one_of(4)) add(1);
    run(static_cast<MonotonicNs>(random() % 4'000) * 1'000'000);
    if (one_of(9)) start(kept);  // killed, and started again
  }
  broker.cut();
  expect_recovery();
}
INSTANTIATE_TEST_SUITE_P(Seeds, AnyFate, ::testing::Range(0, 12));

}  // namespace
}  // namespace datum

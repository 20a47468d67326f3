// Brokers that refuse messages, connections or the protocol: each is named once, tried again with growing waits, and loses nothing.
#include <gmock/gmock.h>

#include "tests/daemon/plant/link_fixture.h"

namespace datum {
namespace bad_brokers_test {
namespace {

using namespace testing;
using ::testing::HasSubstr;

struct Refusal {
  const char* name;
  Answer answer;
  const char* words;
};
struct RefusingBrokers : LinkFixture, ::testing::WithParamInterface<Refusal> {};

TEST_P(RefusingBrokers, HoldTheLinkBackAndLoseNothing) {
  add(5);
  broker.behaviour.answer = [](const Taken& t) { return t.durable ? GetParam().answer : Answer::accept; };
  start();
  run(10 * of_minute);
  EXPECT_EQ(kept.place.link, 0u);
  EXPECT_THAT(said(), HasSubstr(GetParam().words));
  EXPECT_EQ(std::count_if(log.begin(), log.end(),
                          [](const auto& line) { return line.find(GetParam().words) != line.npos; }),
            1)
      << "said once";
  EXPECT_THAT(status, HasSubstr(GetParam().words));
  // 0.5, 1, 2, ... 30, 30 s.
  EXPECT_LE(broker.connections, 27);
  EXPECT_GE(broker.connections, 20);
  expect_recovery();
}
INSTANTIATE_TEST_SUITE_P(
    All, RefusingBrokers,
    ::testing::Values(Refusal{"Rejects", Answer::reject, "rejected: amqp:internal-error: no disk left"},
                      Refusal{"Releases", Answer::release, "released"},
                      Refusal{"Modifies", Answer::modify, "released (modified)"},
                      Refusal{"Settles", Answer::settle_only, "settled without an outcome"}),
    [](const auto& p) { return std::string(p.param.name); });

struct Misbehaviour {
  const char* name;
  std::function<void(Behaviour&)> set;
  const char* words;
};
struct BadBrokers : LinkFixture, ::testing::WithParamInterface<Misbehaviour> {};

TEST_P(BadBrokers, AreNamedAndTriedAgainWithGrowingWaits) {
  add(3);
  GetParam().set(broker.behaviour);
  start();
  run(10 * of_minute);
  EXPECT_EQ(kept.place.link, 0u);
  EXPECT_THAT(said(), HasSubstr(GetParam().words));
  EXPECT_LE(log.size(), 2u) << said();
  EXPECT_LE(broker.connections, 27);
  expect_recovery();
}
INSTANTIATE_TEST_SUITE_P(
    All, BadBrokers,
    ::testing::Values(
        Misbehaviour{"RefusesConnections", [](Behaviour& b) { b.refuses = true; }, "connection refused"},
        Misbehaviour{"SaysNothing", [](Behaviour& b) { b.is_silent = true; }, "no answer for 30 s"},
        Misbehaviour{"ClosesAtOnce", [](Behaviour& b) { b.closes_connection = true; },
                     "it closed the connection: amqp:internal-error: no disk left"},
        Misbehaviour{"ClosesTheLinkAlone", [](Behaviour& b) { b.detaches = true; },
                     "it closed the way to cfx: amqp:internal-error"},
        Misbehaviour{"WantsNoConfirmation", [](Behaviour& b) { b.takes_settled = true; },
                     "without confirming"},
        Misbehaviour{"TakesTinyMessages", [](Behaviour& b) { b.max_message = 300; }, "max-message-size"},
        Misbehaviour{"DeniesTheUser", [](Behaviour& b) { b.denies = true; }, "amqp:unauthorized-access"},
        Misbehaviour{"KnowsOtherMechanisms", [](Behaviour& b) { b.mechanisms = "AMQPLAIN SCRAM-SHA-256"; },
                     "it offers the SASL mechanisms 'AMQPLAIN SCRAM-SHA-256' and not ANONYMOUS"},
        Misbehaviour{"IsAWebServer", [](Behaviour& b) { b.garbage = "HTTP/1.1 400 Bad Request\r\n\r\n"; },
                     "the connection failed"},
        Misbehaviour{"SpeaksAnotherAmqp",
                     [](Behaviour& b) { b.garbage = std::string("AMQP\0\0\x09\x01", 8); },
                     "the connection failed"},
        Misbehaviour{
            "HasAFrameOfFourGigabytes",
            [](Behaviour& b) { b.garbage = std::string("AMQP\3\1\0\0\xff\xff\xff\xff\2\1\0\0", 16); },
            "the connection failed"}),
    [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace bad_brokers_test
}  // namespace datum

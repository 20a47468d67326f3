// The session over time: timeouts, repeated requests, recovery.
#include <gmock/gmock.h>

#include "tests/drivers/ipp/ipp_replay.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ipp_settings;
using ::testing::IsEmpty;

constexpr MonotonicNs ms = ns_per_ms;

/// Answers the start sequence, then single commands on request.
struct Rig {
  IppClient client;
  MonotonicNs now = 1000 * ms;
  std::vector<std::string> heard;
  ProbePoint last;

  explicit Rig(const CmmSettings& settings = ipp_settings()) : client(settings) { client.opened(now); }
  /// The outgoing line without its CR LF; "" if none.
  std::string out() {
    const std::string line = client.take_output(now);
    return line.empty() ? "" : line.substr(0, line.size() - 2);
  }
  void in(const std::string& bytes) {
    client.receive(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), now);
    while (const auto sample = client.next()) hear(*sample);
  }
  void hear(const ProbePoint& sample) {
    heard.push_back(testing::text_of(sample));
    last = sample;
  }
  /// Acknowledges, answers and completes the outgoing command; returns it.
  std::string answer(const std::string& text = "") {
    const std::string line = out(), tag = line.substr(0, 5);
    in(tag + " &\r\n" + (text.empty() ? "" : tag + " # " + text + "\r\n") + tag + " %\r\n");
    return line.size() > 6 ? line.substr(6) : "";
  }
  void pass(int milliseconds) {
    now += milliseconds * ms;
    if (client.deadline() && *client.deadline() <= now) client.on_deadline(now);
    while (const auto sample = client.next()) hear(*sample);
  }
  void start() {
    for (int i = 0; i < 2; ++i) answer();
    answer("DMEVersion(\"1.4\")");
    answer("GetMachineClass(\"CartCMM\")");
    answer();
    answer("IsHomed(1)");
    context();
    pass(0);
  }
  void context(const std::string& csy = "MachineCsy", const std::string& where = "") {
    answer("IsHomed(1)");
    answer("CoordSystem(" + csy + ")");
    if (!where.empty()) answer("GetCsyTransformation(" + where + ")");
    answer("Tool.Name(\"Probe1\")");
  }
  void position() { answer("X(1.0), Y(2.0), Z(3.0)"); }
  void recover(int status) {
    answer("IsHomed(1)");
    answer();
    answer("ErrStatus(" + std::to_string(status) + ")");
  }
};

TEST(IppClient, ALateAnswerIsStaleAndNoneAtAllLosesTheLink) {
  Rig rig;
  rig.start();
  EXPECT_EQ(rig.out(), "00010 Get(X(), Y(), Z())");
  rig.pass(1000);
  EXPECT_THAT(rig.heard, ElementsAre("STALE no answer to Get(X(), Y(), Z()) within 1000 ms"));
  rig.pass(2999);
  EXPECT_EQ(rig.client.lost(), "");
  rig.pass(1);
  EXPECT_EQ(rig.client.lost(), "no answer for 4000 ms to Get(X(), Y(), Z())");
}

// The controller answers the poll but no watchdog: one of its queues hangs.
TEST(IppClient, AWatchdogThatIsNeverAnsweredLosesTheLink) {
  Rig rig;
  rig.start();
  rig.position();
  rig.context();
  rig.pass(2000);
  EXPECT_EQ(rig.out(), "E0001 GetErrStatusE()");
  rig.in("E0001 &\r\n");
  for (int i = 0; i < 19; ++i) {
    rig.position();
    rig.context();
    rig.pass(200);
  }
  EXPECT_EQ(rig.client.lost(), "");
  rig.pass(200);
  EXPECT_THAT(rig.client.lost(), HasSubstr("no answer for 4000 ms"));
}

TEST(IppClient, PollSoonAsksAtOnceAndNeverTwiceAtATime) {
  Rig rig;
  rig.start();
  rig.client.poll_soon(rig.now);  // one is in progress: the next follows it
  rig.position();
  rig.context();
  EXPECT_EQ(rig.client.deadline(), rig.now);
  rig.pass(0);
  EXPECT_EQ(rig.out().substr(6), "Get(X(), Y(), Z())");
}

TEST(IppClient, NoSessionNoPosition) {
  Rig rig;
  rig.answer();
  const std::string tag = rig.out().substr(0, 5);
  rig.in(tag + " &\r\n" + tag + " ! Error(3, 0500, \"Server\", \"Emergency stop\")\r\n" + tag + " %\r\n");
  EXPECT_EQ(rig.client.lost(),
            "no session: error 0500 (emergency stop), severity 3: Emergency stop [Server]");
}

// The standard defines 0008, one server sends 0507: the earlier session still exists.
TEST(IppClient, ASessionThatExistsIsTaken) {
  for (const char* code : {"0008", "0507"}) {
    Rig rig;
    rig.answer();
    const std::string tag = rig.out().substr(0, 5);
    rig.in(tag + " &\r\n" + tag + " ! Error(2, " + code + ", \"A\", \"B\")\r\n" + tag + " %\r\n");
    EXPECT_EQ(rig.out().substr(6), "GetDMEVersion()") << code;
  }
}

TEST(IppClient, ALineThatTheServerRefusedIsNotWaitedFor) {
  Rig rig;
  rig.start();
  EXPECT_EQ(rig.out(), "00010 Get(X(), Y(), Z())");
  rig.in("E0000 ! Error(2, 0008, \"Server\", \"Protocol error\")\r\n");
  EXPECT_THAT(rig.heard.back(), HasSubstr("DEVICE_ERROR error 0008 (protocol error)"));
  EXPECT_EQ(rig.out().substr(6), "GetXtdErrStatus()");
}

TEST(IppClient, AnErrorStatusThatStaysSetIsAFaultUntilItIsCleared) {
  Rig rig;
  rig.start();
  rig.in("E0000 ! Error(3, 500, HealthCheck, \"Emergency Stop\")\r\n");
  rig.position();  // the running poll is answered first and no longer counts
  EXPECT_THAT(rig.heard, ElementsAre(HasSubstr("DEVICE_ERROR error 0500")));
  rig.recover(1);
  EXPECT_THAT(rig.heard.back(), HasSubstr("the error status stays set"));
  EXPECT_THAT(rig.client.describe(), HasSubstr("FAULT, DME 1.4"));
  rig.heard.clear();
  for (int i = 0; i < 9; ++i) rig.pass(200);
  EXPECT_EQ(rig.heard.size(), 9u) << "a host that waits for a position is told why there is none";
  rig.pass(200);
  EXPECT_EQ(rig.answer("ErrStatus(1)"), "GetErrStatusE()");
  EXPECT_EQ(rig.out(), "");
  rig.pass(2000);
  EXPECT_EQ(rig.answer("ErrStatus(0)"), "GetErrStatusE()");
  EXPECT_EQ(rig.answer(), "OnPtMeasReport(X(), Y(), Z())");
  rig.context();
  rig.pass(0);
  rig.position();
  rig.context();
  EXPECT_EQ(rig.heard.back(), "OK 1 2 3");
}

TEST(IppClient, AsksForTheHeadsAnglesWithThePosition) {
  CmmSettings settings = ipp_settings();
  AxisSettings b;
  b.label = "Tool.B";
  b.machine_axis = first_head_axis + 1;
  settings.axes.push_back(b);
  Rig rig(settings);
  rig.start();
  EXPECT_EQ(rig.answer("X(1.0), Y(2.0), Z(3.0)"), "Get(X(), Y(), Z(), Tool.B())");
  EXPECT_THAT(rig.heard.back(), HasSubstr("no number Tool.B(...)")) << "never a position without its angle";
  rig.context();
  rig.pass(200);
  rig.answer("X(1.0), Y(2.0), Z(3.0), Tool.B(-90.5)");
  rig.context();
  EXPECT_EQ(rig.heard.back(), "OK 1 2 3");
  EXPECT_EQ(rig.last.head_deg, (std::array<double, 3>{0, -90.5, 0}));
}

TEST(IppClient, AnOperatorSaysThatItIsMended) {
  Rig rig;
  rig.start();
  rig.position();
  rig.context();
  rig.in("E0000 ! Error(9, 0503, \"Controller\", \"Cable\")\r\n");
  EXPECT_THAT(rig.client.describe(), HasSubstr("FAULT"));
  EXPECT_EQ(rig.out(), "") << "nothing fatal is cleared by itself";
  rig.client.confirm();
  rig.pass(200);
  rig.recover(0);
  rig.answer();
  rig.context();
  rig.pass(0);
  rig.position();
  rig.context();
  EXPECT_EQ(rig.heard.back(), "OK 1 2 3");
}

// Each error alone would be cleared, but no position came between them.
TEST(IppClient, TheSecondErrorWithoutAPositionBetweenIsAFault) {
  Rig rig;
  rig.start();
  for (int i = 0; i < 2; ++i) {
    const std::string tag = rig.out().substr(0, 5);
    rig.in(tag + " &\r\n" + tag + " ! Error(2, 2503, \"Get\", \"Read head\")\r\n" + tag + " %\r\n");
    if (i == 1) break;
    rig.recover(0);
    rig.answer();
    rig.context();
    rig.pass(0);
  }
  EXPECT_THAT(rig.client.describe(), HasSubstr("FAULT"));
}

TEST(IppClient, AnOperatorVouchesForTheTransformationThatNobodyStated) {
  CmmSettings settings = ipp_settings();
  settings.ipp.coordinate_system = "PartCsy";
  Rig rig(settings);
  for (int i = 0; i < 2; ++i) rig.answer();
  rig.answer("DMEVersion(\"1.4\")");
  rig.answer("GetMachineClass(\"CartCMM\")");
  rig.answer();
  rig.answer("IsHomed(1)");
  rig.context("PartCsy", "1, 2, 3, 0, 0, 90");
  const auto poll = [&](const std::string& where) {
    rig.pass(200);
    rig.position();
    rig.context("PartCsy", where);
    return rig.heard.back();
  };
  EXPECT_THAT(poll("1, 2, 3, 0, 0, 90"), HasSubstr("no host has confirmed that"));
  rig.client.confirm();
  poll("1, 2, 3, 0, 0, 90");
  EXPECT_EQ(poll("1, 2, 3, 0, 90, 0"), "OK 1 2 3") << "the same place by other angles";
  EXPECT_THAT(poll("1, 2, 3.1, 0, 0, 90"), HasSubstr("confirmed was at 1 2 3 mm, theta 0 psi 0 phi 90 deg"));
  EXPECT_THAT(rig.client.take_notes(),
              ::testing::Contains(HasSubstr(" -> tool Probe1, PartCsy at 1 2 3.1 mm")).Times(1));
}

TEST(IppClient, MoveReportsArePositionsWithoutAPoll) {
  CmmSettings settings = ipp_settings();
  settings.ipp.move_report_s = 0.5;
  settings.pairing.latency_ms = 300;
  Rig rig(settings);
  for (int i = 0; i < 2; ++i) rig.answer();
  rig.answer("DMEVersion(\"1.4\")");
  rig.answer("GetMachineClass(\"CartCMM\")");
  rig.answer();
  rig.answer("IsHomed(1)");
  rig.context();
  EXPECT_EQ(rig.answer(), "OnMoveReportE(Time(0.5), Dis(5), X(), Y(), Z())");
  rig.pass(0);
  rig.in("E0001 # X(0.5), Y(2), Z(3)\r\n");
  EXPECT_THAT(rig.heard, IsEmpty()) << "until its tool and coordinate system are known";
  rig.position();
  rig.context();
  EXPECT_THAT(rig.heard, ElementsAre("OK 0.5 2 3", "OK 1 2 3"));
}

TEST(IppClient, AnAnswerWithoutEndIsNone) {
  for (const bool one_line : {true, false}) {
    Rig rig;
    rig.start();
    const std::string tag = rig.out().substr(0, 5);
    rig.in(tag + " &\r\n");
    for (int i = 0; i < 300; ++i) rig.in(tag + " # " + (one_line ? std::string(5000, '7') : "X(1)") + "\r\n");
    rig.in(tag + " # X(1), Y(2), Z(3)\r\n" + tag + " %\r\n");
    EXPECT_THAT(rig.heard, ElementsAre(HasSubstr("longer than any answer")));
  }
}

// A fault repeated with every poll is logged once, until a good position.
TEST(IppClient, WhatGoesOnIsNotedOnce) {
  Rig rig;
  rig.start();
  rig.client.take_notes();
  for (int i = 0; i < 3; ++i) {
    rig.answer("X(1)");
    rig.context();
    rig.pass(200);
  }
  EXPECT_THAT(rig.client.take_notes(), ElementsAre("answer to Get(X(), Y(), Z()): no number Y(...)"));
}

// A server that floods: the queue is bounded, and drops are reported.
TEST(IppClient, TouchesWithoutEndAreBounded) {
  Rig rig;
  rig.start();
  for (int i = 0; i < 1000; ++i) rig.in("E0000 # PtMeas(X(1), Y(2), Z(3))\r\n");
  rig.position();
  rig.context();
  int touches = 0;
  while (rig.client.next_touch()) ++touches;
  EXPECT_EQ(touches, 63) << "64 are held, the position is one of them";
  EXPECT_LE(rig.client.take_notes().size(), 64u);
}

}  // namespace
}  // namespace datum

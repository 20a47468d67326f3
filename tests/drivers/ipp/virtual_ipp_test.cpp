// The virtual server's output, byte for byte, compared with recordings of NIST's server.
#include <gmock/gmock.h>

#include "tests/drivers/ipp/ipp_wire.h"
#include "tests/virtual_cell/virtual_ipp_server.h"

namespace datum {
namespace {

using testing::ipp_cell;
using testing::IppRig;

constexpr MonotonicNs ms = ns_per_ms;

struct Client {
  VirtualIppServer server;
  MonotonicNs now = 0;
  std::string tell(const std::string& line) { return server.receive(line + "\r\n", now); }
  void begin() { tell("00001 StartSession()"); }
  std::string wait(int milliseconds) {
    std::string bytes;
    for (const MonotonicNs end = now + milliseconds * ms; now < end;) {
      const auto due = server.deadline();
      now = due ? std::clamp(*due, now + ms, end) : end;
      bytes += server.advance(now);
    }
    return bytes;
  }
};

TEST(VirtualIpp, AnswersAsTheStandardsServerDoes) {
  Client c;
  EXPECT_EQ(c.tell("00001 EndSession()"), "00001 &\r\n00001 %\r\n") << "without a session: harmless";
  EXPECT_EQ(c.tell("00001 StartSession()"), "00001 &\r\n00001 %\r\n") << "a tag is free after its %";
  EXPECT_EQ(
      c.tell("00002 StartSession()"),
      "00002 &\r\n00002 ! Error(2, 0507, \"00002 StartSession()\", \"Illegal command\")\r\n00002 %\r\n");
  EXPECT_EQ(c.tell("00003 Get(X())"),
            "00003 &\r\n00003 ! Error(2, 0514, \"00003 Get(X())\", \"Use ClearAllErrors to continue\")\r\n"
            "00003 %\r\n");
  EXPECT_EQ(c.tell("E0001 GetErrStatusE()"), "E0001 &\r\nE0001 # ErrStatus(1)\r\nE0001 %\r\n");
  EXPECT_EQ(c.tell("00004 ClearAllErrors()"), "00004 &\r\n00004 %\r\n");
  EXPECT_EQ(c.tell("00005 GetDMEVersion()"), "00005 &\r\n00005 # DMEVersion(\"1.4\")\r\n00005 %\r\n");
  EXPECT_EQ(c.tell("00006 Get(X(), Y(), Z())"),
            "00006 &\r\n00006 # X(0.00000), Y(0.00000), Z(0.00000)\r\n00006 %\r\n");
  EXPECT_EQ(c.tell("00007 GetCoordSystem()"), "00007 &\r\n00007 # CoordSystem(MachineCsy)\r\n00007 %\r\n");
  EXPECT_EQ(
      c.tell("00008 GetCsyTransformation(PartCsy)"),
      "00008 &\r\n00008 # GetCsyTransformation(0.00000, 0.00000, 0.00000, 0.00000, 0.00000, 0.00000)\r\n"
      "00008 %\r\n");
  EXPECT_EQ(c.tell("00009 GetProp(Tool.Name())"), "00009 &\r\n00009 # Tool.Name(\"Probe1\")\r\n00009 %\r\n");
  EXPECT_EQ(c.tell("00010 GetXtdErrStatus()"),
            "00010 &\r\n00010 # IsHomed(1)\r\n00010 # IsUserEnabled(0)\r\n00010 %\r\n");
  EXPECT_EQ(c.tell("00011 GoTo(X(99999))"),
            "00011 &\r\n00011 ! Error(3, 1008, \"00011 GoTo(X(99999))\", \"Target position out of machine "
            "volume\")\r\n00011 %\r\n");
}

TEST(VirtualIpp, LinesThatItCantTakeAreToldUnderItsOwnTag) {
  Client c;
  c.begin();
  EXPECT_EQ(c.server.receive("00002 Get(X())\r\n00003 Get(Y())\r\n", 0),
            "E0000 ! Error(2, 0008, \"Server\", \"Protocol error\")\r\n")
      << "two lines in one piece are both discarded";
  EXPECT_EQ(c.tell("00004 GetErrStatusE()"), "E0000 ! Error(2, 0001, \"00004\", \"Illegal tag\")\r\n");
  EXPECT_EQ(c.tell("0004 Get(X())"), "E0000 ! Error(2, 0001, \"0004 \", \"Illegal tag\")\r\n");
  EXPECT_EQ(c.tell("00004-Get(X())"), "E0000 ! Error(2, 0002, \"00004\", \"No space at pos. 6\")\r\n");
  EXPECT_EQ(c.tell("00004 Get(\t)"), "E0000 ! Error(2, 0007, \"00004\", \"Illegal character\")\r\n");
  c.tell("00005 ClearAllErrors()");
  EXPECT_EQ(
      c.tell("00006 MakeCoffee()"),
      "00006 &\r\n00006 ! Error(2, 0501, \"00006 MakeCoffee()\", \"Unsupported command\")\r\n00006 %\r\n");
}

TEST(VirtualIpp, TheNormalQueueWaitsBehindAMoveAndTheFastOneDoesNot) {
  Client c;
  c.server.machine.place({0, 0, 0});
  c.begin();
  EXPECT_EQ(c.tell("00002 GoTo(X(100))"), "00002 &\r\n");  // 1 s at 100 mm/s
  EXPECT_EQ(c.wait(500), "");
  EXPECT_EQ(c.tell("00003 Get(X())"), "00003 &\r\n");
  EXPECT_EQ(c.tell("E0001 GetErrStatusE()"), "E0001 &\r\nE0001 # ErrStatus(0)\r\nE0001 %\r\n");
  EXPECT_EQ(c.tell("00003 Get(X())"),
            "E0000 ! Error(2, 0001, \"00003\", \"Illegal tag\")\r\n"
            "00003 ! Error(2, 0006, \"Get(X())\", \"Transaction aborted\")\r\n00003 %\r\n")
      << "an error drops what is queued";
  EXPECT_EQ(c.wait(600), "00002 %\r\n");
}

TEST(VirtualIpp, ReportsOfAMoveComeUnderTheirEventTag) {
  Client c;
  c.server.machine.place({0, 0, 0});
  c.begin();
  EXPECT_EQ(c.tell("E0008 OnMoveReportE(Time(0.5), Dis(5), X(), Y(), Z())"), "E0008 &\r\nE0008 %\r\n");
  EXPECT_EQ(
      c.tell("E0009 OnMoveReportE(Time(0.5), Dis(5), X())"),
      "E0009 &\r\nE0009 ! Error(2, 0515, \"E0009 OnMoveReportE(Time(0.5), Dis(5), X())\", \"Daemon already "
      "exists\")\r\nE0009 %\r\n");
  c.tell("00002 ClearAllErrors()");
  c.tell("00003 GoTo(X(20))");
  // 5 mm at 100 mm/s take 50 ms, but at most ten reports a second are sent.
  EXPECT_EQ(c.wait(250),
            "E0008 # X(10.00000), Y(0.00000), Z(0.00000)\r\nE0008 # X(20.00000), Y(0.00000), Z(0.00000)\r\n"
            "00003 %\r\n");
  EXPECT_EQ(c.tell("00004 StopDaemon(E0008)"), "00004 &\r\n00004 %\r\n");
}

// NIST's script of coordinate systems at (2, 3, 4): the place in each of them.
TEST(VirtualIpp, CoordinateSystemsTurnAsTheirAnglesSay) {
  const auto expect = [](const VirtualCsy& csy, const VirtualXyz& wanted) {
    const VirtualXyz p = into_csy(csy, {2, 3, 4}), back = out_of_csy(csy, p);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(p[i], wanted[i], 1e-12);
      EXPECT_NEAR(back[i], VirtualXyz({2, 3, 4})[i], 1e-12);
    }
  };
  expect({0, 0, 0, 0, 180, 0}, {-2, -3, 4});
  expect({0, 0, 0, 0, 29, 151}, {-2, -3, 4});
  expect({0, 0, 0, 180, 0, 0}, {2, -3, -4});
  expect({5, 6, 7, 0, 0, 0}, {-3, -3, -3});
  expect({1, 0, 0, 90, 0, 0}, {1, -4, 3});
  // Order: psi, theta, phi. x -> y (psi), y -> z (theta).
  expect({0, 0, 0, 90, 90, 0}, {-3, -4, 2});
  expect({0, 0, 0, 90, 0, 90}, {4, 2, 3});
}

TEST(VirtualIpp, AChangedToolMovesTheNumbersNotTheMachine) {
  Client c;
  c.server.machine.place({1, 2, 3});
  c.begin();
  EXPECT_EQ(c.server.order("tool Probe2", 0), "E0000 # ChangeTool(\"Probe2\")\r\n");
  EXPECT_EQ(c.tell("00002 Get(X(), Y(), Z())"),
            "00002 &\r\n00002 # X(31.00000), Y(2.00000), Z(3.00000)\r\n00002 %\r\n");
  EXPECT_EQ(c.server.order("touch 4 5 6", 0), "E0000 # PtMeas(X(4.00000), Y(5.00000), Z(6.00000))\r\n");
  EXPECT_THROW(c.server.order("tool Hammer", 0), std::invalid_argument);
}

TEST(VirtualIpp, TheReaderMeasuresWithBothDialects) {
  for (const bool version_2 : {false, true}) {
    IppRig rig(ipp_cell());
    rig.server.version_2 = version_2;
    EXPECT_LE(rig.until_good(), 20);
    EXPECT_EQ(rig.samples.size(), 1u) << "the first is good";
    EXPECT_EQ(rig.samples.front().position_mm, (std::array<double, 3>{10, 20, 30}));
    EXPECT_EQ(rig.samples.front().reference, "tool Probe1, MachineCsy");
    rig.order("touch 4 5 6");
    rig.pass(300);
    ASSERT_EQ(rig.touches.size(), 1u);
    EXPECT_EQ(rig.touches.front().position_mm, (std::array<double, 3>{4, 5, 6}));
    EXPECT_EQ(rig.touches.front().reference, "tool Probe1, MachineCsy");
    EXPECT_THAT(rig.reader.describe(), ::testing::HasSubstr(version_2 ? "READY, DME 2.5, CartCMM_RotaryTable"
                                                                      : "READY, DME 1.4, CartCMM"));
  }
}

}  // namespace
}  // namespace datum

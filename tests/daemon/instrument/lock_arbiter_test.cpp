// Control of the cell, and the log of commands. Time is injected.
#include "daemon/instrument/lock_arbiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/instrument/scpi_error.h"
#include "daemon/scpi/scpi_session.h"
#include "daemon/store/deed_book.h"
#include "daemon/store/result_chain.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr MonotonicNs second = 1'000'000'000;
const std::string plc = "serial /dev/ttyUSB0", engineer = "tcp 10.0.0.7:50112",
                  scada = "modbus_tcp 10.0.0.9:1053";

struct Desk : ::testing::Test {
  LockArbiter made(const std::string& reserved = "", const std::map<std::string, Role>& roles = {}) {
    ControlSettings settings;
    settings.reserved = reserved;
    settings.roles = roles;
    return {settings, [this] { return now; },
            [this](int priority, const std::string& text) {
              log.push_back(std::to_string(priority) + " " + text);
            }};
  }
  /// The text of a refusal; "": accepted.
  static std::string tried(LockArbiter& desk, const std::string& host) {
    try {
      desk.change(host, "INIT");
    } catch (const scpi::Error& error) {
      EXPECT_EQ(error.number(), -203);
      return error.what();
    }
    return "";
  }
  MonotonicNs now = 0;
  std::vector<std::string> log;
};

TEST_F(Desk, LetsEveryHostCommandWhileNobodyHasControl) {
  auto desk = made();
  EXPECT_EQ(desk.owner(), "");
  EXPECT_EQ(tried(desk, plc), "");
  EXPECT_EQ(tried(desk, engineer), "");
  EXPECT_THAT(log, ElementsAre("6 " + plc + ": INIT", "6 " + engineer + ": INIT"));
}

TEST_F(Desk, RefusesOthersAndNamesTheHolder) {
  auto desk = made();
  EXPECT_TRUE(desk.request(plc));
  EXPECT_TRUE(desk.request(plc));
  EXPECT_FALSE(desk.request(engineer));
  EXPECT_EQ(desk.owner(), plc);
  EXPECT_EQ(tried(desk, plc), "");
  EXPECT_THAT(tried(desk, engineer), HasSubstr(plc + " has control; SYSTem:LOCK:FORCe"));
  desk.release(engineer);  // not the holder
  EXPECT_NE(tried(desk, scada), "");
  desk.release(plc);
  EXPECT_EQ(tried(desk, scada), "");
  EXPECT_THAT(log, ElementsAre("5 " + plc + ": has control", "6 " + plc + ": INIT",
                               "5 " + plc + ": gives control back", "6 " + scada + ": INIT"));
}

TEST_F(Desk, FreesWhatALostLinkHeld) {
  auto desk = made();
  desk.request(engineer);
  desk.left(plc);
  EXPECT_EQ(desk.owner(), engineer);
  desk.left(engineer);
  EXPECT_EQ(tried(desk, plc), "");
  EXPECT_EQ(log.at(1), "5 " + engineer + ": is gone; its control is free");
}

TEST_F(Desk, IsTakenByForceAndSaysFromWhom) {
  auto desk = made();
  desk.request(plc);
  desk.force(engineer);
  EXPECT_EQ(desk.owner(), engineer);
  EXPECT_NE(tried(desk, plc), "");
  EXPECT_FALSE(desk.request(plc)) << "without a reservation it has to wait, or to force too";
  EXPECT_EQ(log.back(), "4 " + engineer + ": takes control by force from " + plc);
}

TEST_F(Desk, IsReservedForALinkThatNobodyLocksOut) {
  auto desk = made("serial");
  EXPECT_EQ(desk.owner(), "serial");
  EXPECT_EQ(tried(desk, plc), "") << "unasked";
  EXPECT_THAT(tried(desk, engineer), HasSubstr("serial is the only link that may command"));
  EXPECT_FALSE(desk.request(engineer));
  desk.force(engineer);
  EXPECT_EQ(tried(desk, engineer), "");
  EXPECT_NE(tried(desk, plc), "");
  EXPECT_TRUE(desk.request(plc)) << "its own, whoever took it";
  EXPECT_EQ(log.back(), "5 " + plc + ": takes control back from " + engineer);
  EXPECT_FALSE(desk.request(engineer));
  desk.force(engineer);
  desk.left(engineer);
  EXPECT_EQ(desk.owner(), "serial");
  EXPECT_FALSE(desk.request(engineer));
}

TEST_F(Desk, HoldsHostsToTheRoleOfTheirLink) {
  auto desk = made("", {{"tcp", Role::operate}, {"modbus_tcp", Role::read}});
  EXPECT_EQ(tried(desk, engineer), "");
  EXPECT_THAT(tried(desk, scada), HasSubstr("hosts of [host.modbus_tcp] have role \"read\"; this takes "
                                            "host.modbus_tcp.role = \"operate\""));
  EXPECT_FALSE(desk.may_change(scada));
  EXPECT_THROW(desk.stop(scada, "ABOR"), scpi::Error);
  EXPECT_THROW(desk.request(scada), scpi::Error);
  EXPECT_THROW(desk.force(scada), scpi::Error);
  EXPECT_EQ(desk.owner(), "");
  EXPECT_THROW(desk.change(engineer, "MMEM:DEL 'a'", Role::configure), scpi::Error);
  EXPECT_NO_THROW(desk.change(plc, "MMEM:DEL 'a'", Role::configure));
  EXPECT_TRUE(desk.request(plc));
  desk.force(engineer);
  EXPECT_EQ(desk.owner(), engineer) << "nobody reserved it";
}

TEST_F(Desk, ReservedControlIsForcedByWhoeverConfiguresAlone) {
  auto desk = made("serial", {{"tcp", Role::operate}, {"gocator", Role::configure}});
  EXPECT_THROW(desk.force(engineer), scpi::Error);
  EXPECT_EQ(desk.owner(), "serial");
  EXPECT_TRUE(desk.request(plc));
  EXPECT_THROW(desk.force(engineer), scpi::Error);
  EXPECT_EQ(desk.owner(), plc);
  desk.force("gocator 10.0.0.8:1");
  EXPECT_EQ(desk.owner(), "gocator 10.0.0.8:1");
  desk.force(plc);
  EXPECT_EQ(desk.owner(), plc);
}

TEST_F(Desk, TellsDeedsAndNotWhatResultsState) {
  auto desk = made("", {{"modbus_tcp", Role::read}});
  std::vector<std::string> deeds;
  desk.on_deed([&](const std::string& host, std::string_view what) {
    deeds.push_back(host + ": " + std::string(what));
  });
  desk.measure(engineer, "TRIG");
  desk.change(engineer, std::string(300, 'x'));
  desk.stop(engineer, "ABOR");
  desk.request(plc);
  desk.force(engineer);
  EXPECT_NE(tried(desk, plc), "");
  EXPECT_NE(tried(desk, scada), "");
  EXPECT_THROW(desk.measure(plc, "TRIG"), scpi::Error);
  EXPECT_THAT(deeds, ElementsAre(engineer + ": " + std::string(300, 'x'), engineer + ": ABOR",
                                 plc + ": has control", engineer + ": takes control by force from " + plc));
}

TEST(DeedBook, KeepsWholeCommandsAndCountsWhatIsTooMuch) {
  DeedBook book;
  for (int i = 0; i < DeedBook::burst + 7; ++i)
    book.add({engineer, "operate"}, "INIT", "2026-11-22T10:00:00Z", 0);
  book.add({"tcp 10.0.0.7:50999", "operate"}, "INIT", "2026-11-22T10:00:00Z", 0);
  book.add({plc, "configure"}, "MMEM:DEL '\x1b\xff" + std::string(300, 'x'), "2026-11-22T10:00:00Z", 0);
  std::vector<std::string> taken = book.take();
  EXPECT_TRUE(book.empty());
  ASSERT_THAT(taken, SizeIs(DeedBook::burst + 1));
  EXPECT_EQ(words_of(taken[0]), "2026-11-22T10:00:00Z: " + engineer + " (operate): INIT");
  EXPECT_THAT(words_of(taken.back()), HasSubstr(plc + " (configure): MMEM:DEL '"));
  EXPECT_THAT(words_of(taken.back()), HasSubstr(std::string(300, 'x')));
  book.add({engineer, "operate"}, "ABOR", "2026-11-22T10:00:01Z", second);
  EXPECT_THAT(words_of(book.take().at(0)), HasSubstr("ABOR (8 before it are not listed)"));
  book.add({plc, "configure"}, "INIT", "2026-11-22T10:00:02Z", second);
  book.put_back({taken[0]});
  taken = book.take();
  ASSERT_THAT(taken, SizeIs(2));
  EXPECT_THAT(words_of(taken[0]), HasSubstr(engineer));
}

// 20 at once, 2 a second: a PLC with a trigger per half second is logged completely.
TEST_F(Desk, LogsNoFlood) {
  auto desk = made();
  for (int i = 0; i < 1000; ++i) desk.change(engineer, "INIT");
  EXPECT_THAT(log, SizeIs(20));
  desk.change("tcp 10.0.0.7:50999", "INIT");
  EXPECT_THAT(log, SizeIs(20)) << "a new connection of the same host";
  desk.change(plc, "INIT");
  EXPECT_EQ(log.back(), "6 " + plc + ": INIT") << "each host has its own account";
  desk.force(engineer);
  EXPECT_THAT(log.back(), HasSubstr("has control"));
  now = second / 2;
  desk.stop(engineer, "ABOR");
  EXPECT_EQ(log.back(), "6 " + engineer + ": ABOR");
  EXPECT_THAT(log.at(21), HasSubstr("(981 before it are not listed)"));
  for (int i = 0; i < 1000; ++i) {
    now += second / 2;
    desk.change(engineer, "TRIG");
    EXPECT_THAT(log, SizeIs(24 + i));
  }
}

TEST_F(Desk, LogsACommandAsOneShortLine) {
  auto desk = made();
  desk.change(plc, "MMEM:DATA '" + std::string("a\nb\x01", 4) + std::string(500, 'x'));
  EXPECT_THAT(log.at(0), SizeIs(2 + plc.size() + 2 + 120 + 3));
  EXPECT_THAT(log.at(0), HasSubstr("MMEM:DATA 'a b xxx"));
}

// An account is replaced by that of a later host: one log line is wrong, memory is bounded.
TEST_F(Desk, KeepsAccountsOfSixtyFourHosts) {
  auto desk = made();
  for (int i = 0; i < 30; ++i) desk.change("tcp 10.0.0.0:1", "INIT");
  EXPECT_THAT(log, SizeIs(20));
  for (int i = 1; i <= 64; ++i) desk.change("tcp 10.0.1." + std::to_string(i) + ":1", "INIT");
  desk.change("tcp 10.0.0.0:1", "INIT");
  EXPECT_EQ(log.back(), "6 tcp 10.0.0.0:1: INIT");
  EXPECT_THAT(log, SizeIs(85));
}

/// Two hosts of one cell.
struct Hosts : ::testing::Test {
  std::string ask(scpi::Session& session, const std::string& text) {
    session.receive(text + "\n");
    std::string out;
    for (const auto& line : session.take_answers()) out += line;
    return out;
  }
  testing::FreshFolder folder;
  testing::TestCell cell{folder / "results.db"};
  scpi::Session a{cell, plc}, b{cell, engineer};
};

TEST_F(Hosts, AskForControlAndGiveItBack) {
  EXPECT_EQ(ask(a, "SYST:LOCK:OWN?;NAME?"), "\"NONE\";\"" + plc + "\"\n");
  EXPECT_EQ(ask(a, "SYST:LOCK:REQ?"), "1\n");
  EXPECT_EQ(ask(b, "SYST:LOCK:REQ?;OWN?"), "0;\"" + plc + "\"\n");
  EXPECT_EQ(ask(b, "SYST:LOCK:REL;REQ?"), "0\n");
  EXPECT_EQ(ask(a, "SYST:LOCK:REL;:SYST:LOCK:OWN?"), "\"NONE\"\n");
  EXPECT_EQ(ask(b, "SYST:LOCK:REQ?"), "1\n");
  EXPECT_EQ(ask(a, "SYST:LOCK:FORC;OWN?"), "\"" + plc + "\"\n");
}

TEST_F(Hosts, CommandOnlyWithControlButReadAndStopWithout) {
  ask(a, "SYST:LOCK:REQ?;:CONF:REC 'mainboard';:INIT");
  for (const char* command : {"CONF:REC 'mainboard'", "CONF:UNIT 'x'", "INIT", "TRIG", "*TRG", "*RST",
                              "SENS:TEMP 20", "CAL:ABOR", "CAL:ACC", "CAL:WITH 'me','why'", "PROB:HOLE:SCAN",
                              "PROB:HOLE:ABOR", "DIAG:POS:REF", "DIAG:LINK:REOP"}) {
    EXPECT_EQ(ask(b, command), "") << command;
    EXPECT_THAT(ask(b, "SYST:ERR?"),
                ::testing::StartsWith("-203,\"Command protected;" + plc + " has control"))
        << command;
  }
  EXPECT_EQ(cell.state(), InstrumentState::armed) << "nothing of it was done";
  EXPECT_THAT(cell.calibration_steps.calls, ::testing::IsEmpty());
  EXPECT_THAT(cell.holes.calls, ::testing::IsEmpty());
  EXPECT_EQ(ask(b, "CONF:REC?;*ESE 4;*ESE?;:DATA:PUSH ON;PUSH?;*OPC?;:SYST:ERR?"),
            "\"mainboard\",\"ab12\";4;1;1;0,\"No error\"\n")
      << "what is its own link's, and what it reads";
  EXPECT_EQ(ask(b, "ABOR;:SYST:ERR?"), "0,\"No error\"\n");
  EXPECT_EQ(cell.state(), InstrumentState::idle);
  EXPECT_THAT(cell.who_did_what, ElementsAre(plc + ": has control", plc + ": CONFigure:RECipe mainboard",
                                             plc + ": INITiate[:IMMediate]", engineer + ": ABORt"));
}

}  // namespace
}  // namespace datum

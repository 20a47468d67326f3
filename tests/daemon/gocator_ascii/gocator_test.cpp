// Results and commands of the Gocator ASCII protocol, in the forms of the examples in its user manual.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "daemon/hosts/command_link.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/daemon/scpi/memory_port.h"

namespace datum {
namespace {

using testing::board;
using ::testing::HasSubstr;
using testing::MemoryPort;
using ::testing::StartsWith;

BoardVerdict stored(std::uint64_t sequence = 7) {
  BoardVerdict v = board();
  v.sequence = sequence;
  v.store_id = "abc";
  return v;
}

std::string line_of(const BoardVerdict& v) { return gocator_result(v, {}); }

// The fixture's board: U1 PASS 1160.25 um, U2 FAIL 1190 um, U3 INVALID, all medians (type 02).
TEST(GocatorLine, SaysEachMeasurementInWholeMicrometres) {
  EXPECT_EQ(line_of(stored()), "M00,00,V7,D2,M02,01,V1160,D1,M02,02,V1190,D0,M02,03,VINVALID,D2");
}

TEST(GocatorLine, PassesOnlyWhatPassed) {
  for (const auto d : {Decision::pass, Decision::inconclusive, Decision::fail, Decision::invalid}) {
    BoardVerdict v = stored();
    v.decision = v.components[0].checks[0].decision = d;
    const auto all = gocator_measurements(v);
    EXPECT_EQ(all[0].decision & 1, d == Decision::pass) << name_of(d);
    EXPECT_EQ(all[1].decision & 1, d == Decision::pass) << name_of(d);
    EXPECT_EQ(all[1].decision, d == Decision::pass ? 1 : d == Decision::invalid ? 2 : 0) << name_of(d);
    EXPECT_EQ(all[1].value.has_value(), d != Decision::invalid) << "an invalid one has no number to be read";
  }
}

TEST(GocatorLine, HasNoNumberForWhatNoFieldHolds) {
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity(), 2147483647.5, -1e300}) {
    BoardVerdict v = stored();
    v.components[0].checks[0].value = value;
    EXPECT_THAT(line_of(v), HasSubstr("M02,01,VINVALID,D2")) << value;
  }
}

// Halves round away from zero: 2.5 um is 3, like a sensor's mm rounded to um.
TEST(GocatorLine, RoundsToTheNearestMicrometre) {
  for (const auto& [um, text] : {std::pair(2.4, "V2,"), {2.5, "V3,"}, {-2.5, "V-3,"}, {-0.4, "V0,"}}) {
    BoardVerdict v = stored();
    v.components[0].checks[0].value = um;
    EXPECT_THAT(line_of(v), HasSubstr(std::string("M02,01,") + text)) << um;
  }
}

TEST(GocatorLine, SaysBowInThousandthsOfAPercent) {
  BoardVerdict v = stored();
  CheckVerdict& check = v.components[0].checks[0];
  check.check.characteristic = Characteristic::bow;
  check.value = 0.7346;
  EXPECT_THAT(line_of(v), HasSubstr("M10,01,V735,D1"));
}

TEST(GocatorLine, KeepsIdsOfABoardThatWasRefused) {
  BoardVerdict v = stored();
  for (auto& component : v.components)
    for (auto& check : component.checks) check.decision = Decision::invalid;
  EXPECT_EQ(line_of(v), "M00,00,V7,D2,M02,01,VINVALID,D2,M02,02,VINVALID,D2,M02,03,VINVALID,D2");
}

TEST(GocatorLine, FollowsACustomFormat) {
  GocatorSettings s;
  s.format = "%time;%frame;%encoder;%value[1];%decision[1];%value[3];%decision[9];%value[x];100%%;%foo%";
  EXPECT_EQ(gocator_result(stored(), s), "1795245497123456;7;0;1160;1;INVALID;2;INVALID[x];100%;%foo%");
}

/// A host of a cell, over a line of the test.
struct GocatorHost : ::testing::Test {
  explicit GocatorHost(const GocatorSettings& s = {}) {
    CommandLinkSettings settings;
    settings.host = "gocator 10.0.0.9:1053";
    settings.gocator = s;
    link = std::make_unique<CommandLink>(std::make_unique<MemoryPort>(wire), cell, settings,
                                         [](int, const std::string&) {});
    link->on_deadline(0);
  }
  std::string heard() { return std::exchange(wire.from_daemon, {}); }
  std::string raw(const std::string& bytes) {
    wire.to_daemon += bytes;
    link->on_ready(0);
    return heard();
  }
  std::string ask(const std::string& command) { return raw(command + "\r\n"); }
  void finish_board() {
    const auto verdict = cell.finish_board(board(++boards));
    link->push_result(verdict);
    link->instrument_changed();
  }
  testing::FreshFolder folder;
  testing::TestCell cell{folder / "results.db"};
  MemoryPort::Wire wire;
  std::unique_ptr<CommandLink> link;
  int boards = 0;
};

TEST_F(GocatorHost, RunsAJob) {
  EXPECT_EQ(ask("LoadJob"), "ERROR,no recipe is chosen\r\n");
  EXPECT_EQ(ask("Start"), "ERROR,Settings conflict; no recipe is chosen\r\n");
  EXPECT_EQ(ask("loadjob,mainboard"), "OK,mainboard loaded successfully\r\n");
  EXPECT_EQ(ask("LOADJOB"), "OK,mainboard\r\n");
  EXPECT_EQ(ask("Trigger"), "ERROR,Trigger ignored; not armed\r\n");
  EXPECT_EQ(ask("Start"), "OK\r\n");
  EXPECT_EQ(ask("Trigger"), "OK\r\n");
  finish_board();
  EXPECT_EQ(heard(), "M00,00,V1,D2,M02,01,V1160,D1,M02,02,V1190,D0,M02,03,VINVALID,D2\r\n") << "unasked";
  EXPECT_EQ(ask("Result,1,3"), "OK,M02,01,V1160,D1,M02,03,VINVALID,D2\r\n");
  EXPECT_EQ(ask("Value,0,1"), "OK,M00,00,V1,M02,01,V1160\r\n");
  EXPECT_EQ(ask("Decision,1"), "OK,M02,01,D1\r\n");
  EXPECT_EQ(ask("Result"), "OK,M00,00,V1,D2,M02,01,V1160,D1,M02,02,V1190,D0,M02,03,VINVALID,D2\r\n");
  EXPECT_EQ(ask("Stamp,time"), "OK,Time,1795245497123456,Encoder,0,Frame,1\r\n");
  EXPECT_EQ(ask("Start"), "OK\r\n");
  EXPECT_EQ(ask("Stop"), "OK\r\n");
  EXPECT_EQ(cell.state(), InstrumentState::idle);
}

TEST_F(GocatorHost, NeverReadsTheBoardBefore) {
  ask("LoadJob,mainboard");
  ask("Start");
  EXPECT_EQ(ask("Result,0"), "ERROR,no result yet\r\n");
  ask("Trigger");
  EXPECT_EQ(ask("Result,0"), "ERROR,a board is being measured\r\n");
  finish_board();
  heard();
  EXPECT_THAT(ask("Result,0"), StartsWith("OK,M00,00,V1"));
  ask("Start");
  ask("Trigger");
  ask("Stop");
  EXPECT_EQ(ask("Decision,0"), "ERROR,no result yet\r\n") << "that board was aborted";
}

TEST_F(GocatorHost, SaysWhatItDoesNotTake) {
  EXPECT_THAT(ask("GetVars,0,4"), StartsWith("ERROR,'getvars' is not known here; Start, Stop,"));
  EXPECT_THAT(ask("Start,100"), StartsWith("ERROR,start takes no parameter"));
  EXPECT_THAT(ask("LoadJob,nothing"), StartsWith("ERROR,failed to load nothing: no recipe 'nothing'"));
  EXPECT_THAT(ask("LoadJob,a,b"), StartsWith("ERROR,LoadJob takes one name"));
  ask("LoadJob,mainboard");
  ask("Start");
  ask("Trigger");
  finish_board();
  heard();
  for (const char* id : {"4", "-1", "x", "", "99999999999999999999"})
    EXPECT_EQ(ask(std::string("Result,") + id),
              std::string("ERROR,measurement '") + id + "' is not in this result; ids are 0 to 3\r\n");
  EXPECT_EQ(ask(std::string(2000, 'x')), "ERROR,a command may have 1024 bytes\r\n");
  EXPECT_EQ(ask("Loadjob"), "OK,mainboard\r\n") << "after it all is well again";
  EXPECT_EQ(raw("\r\n\n \r\n"), "") << "empty lines are no commands";
}

TEST_F(GocatorHost, ReadsCommandsWhereverTheyAreSplit) {
  std::string heard_all;
  for (const char c : std::string("LoadJob,mainboard\r\nLoadJob\nStart \r\n"))
    heard_all += raw(std::string(1, c));
  EXPECT_EQ(heard_all, "OK,mainboard loaded successfully\r\nOK,mainboard\r\nOK\r\n");
}

TEST_F(GocatorHost, NeedsControlAsEveryHostAndStopsWithoutIt) {
  cell.desk.request("serial /dev/ttyS0");
  for (const char* command : {"Start", "Trigger", "LoadJob,mainboard"})
    EXPECT_THAT(ask(command), HasSubstr("serial /dev/ttyS0 has control")) << command;
  EXPECT_EQ(ask("Stop"), "OK\r\n");
  EXPECT_EQ(cell.who_did_what.back(), "gocator 10.0.0.9:1053: Stop");
}

struct GocatorPolled : GocatorHost {
  static GocatorSettings settings() {
    GocatorSettings s;
    s.asynchronous = false;
    s.delimiter = ";";
    s.terminator = "\r";
    s.invalid = "-";
    s.format = "%frame %value[2]";
    return s;
  }
  GocatorPolled() : GocatorHost(settings()) {}
};

TEST_F(GocatorPolled, TalksWhenAskedInItsOwnCharacters) {
  EXPECT_EQ(raw("LoadJob;mainboard\rStart\rTrigger\r"), "OK;mainboard loaded successfully\rOK\rOK\r");
  finish_board();
  EXPECT_EQ(heard(), "") << "nothing unasked";
  EXPECT_EQ(raw("Result\r"), "OK;1 1190\r");
  EXPECT_EQ(raw("Result;3\r"), "OK;M02;03;V-;D2\r");
}

}  // namespace
}  // namespace datum

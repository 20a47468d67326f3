// Result lines, tables and the output of datumctl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/ctl/scpi_client.h"
#include "daemon/ctl/show.h"
#include "daemon/delivery/result_line.h"
#include "daemon/inspection/verdict/verdict_table.h"
#include "daemon/text/table.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

using testing::board;
using ::testing::HasSubstr;

BoardVerdict stored_board() {
  BoardVerdict v = board();
  v.sequence = 41;
  v.store_id = "00c0ffee00c0ffee";
  return v;
}

TEST(ResultLine, HasTheChecksumThatItsHeaderNames) {
  EXPECT_EQ(crc16("123456789"), 0x4B37);  // check value of CRC-16/MODBUS in the catalogue of CRCs
  EXPECT_EQ(crc16(""), 0xFFFF);
}

TEST(ResultLine, SaysWhatWasDecidedAndReadsBack) {
  BoardVerdict v = stored_board();
  v.recipe = "main,board*1 %";
  v.frame_id = "\xC3\xA4\n";
  const std::string line = result_line(v);
  EXPECT_EQ(line.substr(0, line.find('*')),
            "R,00c0ffee00c0ffee,41,1795245497123456,main%2Cboard%2A1%20%25,%C3%A4%0A,INVALID,1,0,1,1");
  const ResultLine r = parse_result_line(line);
  EXPECT_EQ(r.store_id, v.store_id);
  EXPECT_EQ(r.sequence, 41u);
  EXPECT_EQ(r.recipe, v.recipe);
  EXPECT_EQ(r.frame, v.frame_id);
  EXPECT_EQ(r.decision, Decision::invalid);
  EXPECT_EQ(r.n_pass + 10 * r.n_inconclusive + 100 * r.n_fail + 1000 * r.n_invalid, 1101u);
}

/// Three boards of a panel: PASS, skipped, FAIL; the first two components belong to the skipped one.
BoardVerdict stored_panel() {
  BoardVerdict v = stored_board();
  v.boards.resize(3);
  v.boards[0] = {"1-1", "SN-1", Decision::pass, Reason::none, "", {}, {}};
  v.boards[1] = {"2-1", "SN-2", std::nullopt, Reason::skipped, "stated as bad", {}, {}};
  v.boards[2] = {"3-1", "SN-3", Decision::fail, Reason::none, "C1@3-1 missing", {}, {}};
  for (ComponentVerdict& c : v.components) c.reference += "@3-1";
  v.components[0].reference = "U1@2-1";
  v.components[0].checks[0].reason = Reason::skipped;
  return v;
}

TEST(ResultLine, CountsThePanelsBoardsAndLeavesBadOnesOut) {
  const std::string line = result_line(stored_panel());
  EXPECT_THAT(line, HasSubstr(",INVALID,0,0,1,1,1,0,1,0,1*")) << "components, then boards";
  const ResultLine r = parse_result_line(line);
  ASSERT_TRUE(r.boards);
  EXPECT_EQ(r.boards->of, (std::array<std::uint32_t, 4>{1, 0, 1, 0}));
  EXPECT_EQ(r.boards->skipped, 1u);
  EXPECT_FALSE(parse_result_line(result_line(stored_board())).boards);
}

TEST(VerdictText, ListsThePanelsBoards) {
  BoardVerdict v = stored_panel();
  v.reason = Reason::none;
  const std::string text = verdict_text(v, false);
  EXPECT_THAT(text, HasSubstr("3 boards: 1 PASS, 1 FAIL (3-1), 1 SKIPPED (2-1); 3-1: C1@3-1 missing"));
  EXPECT_THAT(text, HasSubstr("2-1    SN-2    SKIPPED"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("U1@2-1"))) << "its board says so";
}

TEST(ResultLine, IsRefusedWithAnyByteChanged) {
  const std::string line = result_line(stored_board());
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::string damaged = line;
    damaged[i] = damaged[i] == '1' ? '2' : '1';
    EXPECT_THROW(parse_result_line(damaged), std::runtime_error) << damaged;
  }
  EXPECT_THROW(parse_result_line(with_crc("R,1,2")), std::runtime_error);
  EXPECT_THROW(parse_result_line(gap_line("a", 1, 2)), std::runtime_error);
}

TEST(ResultLine, IsMadeOfStoredResultsOnly) { EXPECT_THROW(result_line(board()), std::invalid_argument); }

TEST(ResultLine, ReadsTimesToTheMicrosecond) {
  EXPECT_EQ(utc_us_from_iso8601("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(utc_us_from_iso8601("2000-03-01T00:00:00.5Z"), 951868800500000);  // date -u -d 2000-03-01 +%s
  EXPECT_EQ(utc_us_from_iso8601("1970-01-01T00:00:01.123456999Z"), 1123456);
  for (const char* bad :
       {"", "2026-11-21", "2026-11-21T07:18:17", "2026-11-21T07:18:17.Z", "2026-11-21T07:18:17+01:00"})
    EXPECT_THROW(utc_us_from_iso8601(bad), std::invalid_argument) << bad;
}

TEST(Table, AlignsByWhatATerminalShows) {
  Table table({{"name"}, {"µ", Table::Align::right}, {"end"}});
  table.add({{"größe"}, {"1.5"}, {"x"}});
  table.add({{"a"}, {"12.25"}, {""}});
  EXPECT_EQ(table.text(false),
            "name       µ  end\n"
            "-----  -----  ---\n"
            "größe    1.5  x\n"
            "a      12.25\n");
  EXPECT_THROW(table.add({{"only one"}}), std::invalid_argument);
}

TEST(Table, ColoursOnlyWhereAskedAndLetsNoCellMoveTheCursor) {
  Table table({{"v"}, {"w"}});
  table.add({{"FAIL", Ink::red}, {"a\x1b[2J\nb"}});
  EXPECT_EQ(table.text(false), "v     w\n----  -------\nFAIL  a?[2J?b\n");
  EXPECT_THAT(table.text(true), HasSubstr("\x1b[1;31mFAIL\x1b[0m  a?[2J?b\n"));
}

TEST(Table, OfComponentsShowsNoNumberWhereThereIsNone) {
  EXPECT_EQ(
      component_table(board()).text(false),
      "reference  package  what       value  U (k=2)  unit     lower     upper    p_c  verdict  reason\n"
      "---------  -------  ------  --------  -------  ----  --------  --------  -----  -------  "
      "------------------------------------------------\n"
      "U1         die      median  1160.250    2.500  um    1140.000  1180.500  0.875  PASS\n"
      "U2         die      median  1190.000    2.500  um    1140.000  1180.500  0.875  FAIL\n"
      "U3         die      median         -        -  um    1140.000  1180.500      -  INVALID  "
      "FLOOR_INLIER_RATIO: inlier ratio 0.12 below 0.30\n");
}

TEST(Show, NamesEverythingThatAResultRestsOn) {
  BoardVerdict v = stored_board();
  v.pose.used = true;
  v.pose.before.state = ProbeState::ok;
  v.pose.before.position_mm = {1, 2, 3};
  v.pose.after.state = ProbeState::stale;
  v.pose.reason = Reason::pose_stale;
  const std::string text = board_text(v, false);
  for (const char* part :
       {"INVALID", "FLOOR_INLIER_RATIO", "SN-7", "U2", "mainboard  sha256 ab12", "cpu scalar x1",
        "before (1.0000, 2.0000, 3.0000) mm", "POSE_STALE", "floor of", "00c0ffee00c0ffee", "0.1.0 test"})
    EXPECT_THAT(text, HasSubstr(part));
  v.surface = SurfaceEvidence{};  // a part has no floors
  EXPECT_THAT(board_text(v, false), ::testing::Not(HasSubstr("floor of")));
}

TEST(Show, TellsWhatABoardsFormRestsOn) {
  BoardVerdict v = stored_board();
  v.components[0].warp_floor =
      WarpFloorEvidence{Reason::floor_sides, "200 pixels on 3 sides are demanded", 0, 0, 0, 0, 4.2, {}};
  ComponentVerdict& row = v.components.emplace_back();
  row.reference = "BOARD";
  row.warp.emplace();
  WarpEvidence& w = *row.warp;
  w.knots.push_back({"U1", 1, 2, 3, 0.5, 0.25});
  EXPECT_THAT(board_text(v, false),
              HasSubstr("warp         no surface: 1 places seen, 0 rings and patches have no"));
  w.knots.push_back({"BOARD:bare1/2.1", 9, 2, 3, 0.5, -1.5});
  w.outline_mm = {100, 80};
  w.shape = "convex";
  w.lambda = 1e-6;
  w.leave_one_out_um = 0.75;
  w.condition = 12345;
  w.backward_error = 3e-17;
  const std::string text = board_text(v, false);
  for (const char* part :
       {"U1           floor: warp model, u 4.200 um, for its ring is FLOOR_SIDES: 200 pixels",
        "warp         convex; bow and twist of 100 x 80 mm; 2 knots",
        "leave-one-out 0.750 um rms, worst BOARD:bare1/2.1 -1.500 um",
        "lambda 1e-06, condition 1.23e+04, growth 0, backward error 3e-17"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("\nBOARD  ")));  // no floor of its own
}

TEST(Show, TellsHowFrameAndPositionBelongTogether) {
  BoardVerdict v = stored_board();
  v.pose.used = true;
  v.pose.pairing = PairingEvidence{PairingClass::stare, ExposureBy::clock, 400, 6.25, 1.443};
  v.captured = {7000, ClockDomain::sensor, HostSpan{11, 13}, ClockOffset{-6988, 1}};
  v.frame_age = FrameAge{12.5, 5000, "sensor"};
  const std::string text = board_text(v, false);
  EXPECT_THAT(text,
              HasSubstr("STARE (exposure by the sensor's clock), u 1.443 um from 6.250 um/s over 400.0 ms"));
  EXPECT_THAT(text, HasSubstr("host less that clock -6988 ns, within 1 ns; at most 12.5 ms old, by sensor"));
}

TEST(Show, ListsResultsAsTextAndAsJson) {
  StoredResult r;
  r.sequence = 41;
  r.decision = Decision::fail;
  r.recipe = "mainboard";
  r.reason = "NONE";
  BoardVerdict verdict;
  verdict.decision = Decision::fail;
  verdict.components.resize(2);
  verdict.components[0].decision = Decision::pass;
  verdict.components[1].reference = "C3";
  verdict.components[1].decision = Decision::fail;
  verdict.components[1].checks.resize(1);
  CheckVerdict& check = verdict.components[1].checks[0];
  check.decision = Decision::fail;
  check.value = 1090.4;
  check.check.upper = 1080;
  r.json = to_json(verdict);
  EXPECT_EQ(results_text({r}, false),
            "seq  time (UTC)  unit  recipe     decision  frame  reason\n"
            "---  ----------  ----  ---------  --------  -----  ------------------------\n"
            " 41              -     mainboard  FAIL             C3 10 um above its limit\n");
  r.json = "{\"sequence\":41}";
  EXPECT_THAT(results_text({r}, false), HasSubstr("FAIL")) << "a damaged row is still listed";
  EXPECT_EQ(results_json({r, r}), "[\n{\"sequence\":41},\n{\"sequence\":41}\n]\n");
}

TEST(ScpiClient, TakesALineFeedInABlockOrAStringAsData) {
  EXPECT_EQ(whole_line("1;2\n3\n"), 4u);
  EXPECT_EQ(whole_line("1;2"), 0u);
  EXPECT_EQ(whole_line("#14a\nb\n\n"), 8u);
  EXPECT_EQ(whole_line("\"x\";#3004a\n\n"), 0u) << "the fourth byte of the block is missing";
  EXPECT_EQ(whole_line("1;#14a\nb\n"), 0u);
  EXPECT_EQ(whole_line("\"a\nb\"\n"), 6u);
  EXPECT_EQ(whole_line("a#19\n"), 5u) << "a block begins an answer, it does not stand within one";
}

}  // namespace
}  // namespace datum

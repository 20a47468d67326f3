// A verdict as registers: absent values and absent decisions.
#include <gtest/gtest.h>

#include <cmath>

#include "daemon/modbus/registers.h"
#include "daemon/modbus/window.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::modbus {
namespace {

BoardVerdict stored_board() {
  BoardVerdict v = datum::testing::board();
  v.sequence = 0x100000002;
  return v;
}

std::size_t row(std::size_t n) { return in_first_row + n * row_size; }

TEST(Window, ShowsTheBoard) {
  const auto window = window_of(stored_board(), 77);
  const ConstWords w(*window);
  ASSERT_EQ(w.size(), window_size);
  EXPECT_EQ(w[in_shown], 1);
  EXPECT_EQ(w[in_result_id], 77);
  EXPECT_EQ(get_u64(w, in_sequence), 0x100000002u);
  EXPECT_EQ(w[in_decision], 4);
  EXPECT_EQ(w[in_result_code], 13) << "FLOOR_INLIER_RATIO";
  EXPECT_EQ(get_u64(w, in_time), 1'795'245'497'123'456u);  // date -u -d 2026-11-21T07:18:17 +%s
  EXPECT_EQ(w[in_checks], 3);
  EXPECT_EQ(w[in_rows], 3);
  EXPECT_EQ(w[in_components], 3);
  EXPECT_EQ(w[in_components_pass], 1);
  EXPECT_EQ(w[in_components_inconclusive], 0);
  EXPECT_EQ(w[in_components_fail], 1);
  EXPECT_EQ(w[in_components_invalid], 1);
  EXPECT_EQ(w[in_truncated], 0);
  EXPECT_EQ(get_text(w, in_unit, long_text), "SN-7");
  EXPECT_EQ(get_text(w, in_job, long_text), "mainboard");
  EXPECT_EQ(get_text(w, in_frame, 40), "frame-1");
}

TEST(Window, ShowsEachCheckWithItsUncertainty) {
  const auto window = window_of(stored_board(), 0);
  const ConstWords first = ConstWords(*window).subspan(row(0), row_size);
  EXPECT_EQ(get_text(first, of_reference, reference_text), "U1");
  EXPECT_EQ(first[of_characteristic], 2) << "median";
  EXPECT_EQ(first[of_decision], 1);
  EXPECT_EQ(first[of_result_code], 0);
  EXPECT_EQ(first[of_measure], 1) << "um";
  EXPECT_EQ(get_f32(first, of_value), 1160.25f);
  EXPECT_EQ(get_f32(first, of_expanded), 2.5f) << "k = 2";
  EXPECT_EQ(get_u32(first, of_value_milli), 1160250u);
  EXPECT_EQ(get_u32(first, of_expanded_milli), 2500u);
}

TEST(Window, AnInvalidCheckHasNoValueAndAnUnusedRowNoDecision) {
  const auto window = window_of(stored_board(), 0);
  for (const std::size_t n : {std::size_t{2}, std::size_t{3}, std::size_t{most_rows} - 1}) {
    const ConstWords r = ConstWords(*window).subspan(row(n), row_size);
    EXPECT_TRUE(std::isnan(get_f32(r, of_value))) << n;
    EXPECT_TRUE(std::isnan(get_f32(r, of_expanded))) << n;
    EXPECT_EQ(get_u32(r, of_value_milli), 0x80000000u) << n;
    EXPECT_EQ(get_u32(r, of_expanded_milli), 0x80000000u) << n;
    EXPECT_EQ(r[of_decision], n == 2 ? 4 : 0);
    EXPECT_EQ(r[of_result_code], n == 2 ? 13 : 0);
  }
}

TEST(Window, EmptySaysNothing) {
  const ConstWords w(*empty_window());
  EXPECT_EQ(w[in_shown], 0);
  EXPECT_EQ(w[in_decision], 0);
  EXPECT_TRUE(std::isnan(get_f32(w, row(0) + of_value)));
}

TEST(Window, ShowsAPanelsBoardsInFourBitsEach) {
  BoardVerdict v = stored_board();
  EXPECT_EQ((*window_of(v, 0))[in_boards], 0) << "one board";
  const auto of = [](std::optional<Decision> d) { return PanelBoard{"", "", d, Reason::none, "", {}, {}}; };
  v.boards = {of(Decision::pass),    of(Decision::inconclusive), of(Decision::fail),
              of(Decision::invalid), of(std::nullopt),           of(Decision::pass)};
  const auto window = window_of(v, 0);
  const ConstWords w(*window);
  EXPECT_EQ(w[in_boards], 6);
  EXPECT_EQ(w[in_boards_pass], 2);
  EXPECT_EQ(w[in_boards_fail], 1);
  EXPECT_EQ(w[in_boards_skipped], 1);
  EXPECT_EQ(w[in_board_verdicts], 0x4321);
  EXPECT_EQ(w[in_board_verdicts + 1], 0x0015);
  EXPECT_EQ(w[in_truncated] & truncated_boards, 0);
  v.boards.assign(most_boards + 1u, of(Decision::fail));
  const auto full = window_of(v, 0);
  EXPECT_EQ((*full)[window_size - 1], 0x3333) << "the last register of the window";
  EXPECT_EQ((*full)[in_truncated], truncated_boards);
}

TEST(Window, SaysWhatDoesNotFit) {
  BoardVerdict v = stored_board();
  v.unit_id = std::string(49, 'u');
  v.recipe = std::string(48, 'r');
  v.frame_id = std::string(41, 'f');
  v.components.assign(most_rows + 1u, datum::testing::component("U1", Decision::pass, 1, Reason::none));
  v.components[5].reference = "C100000000017";
  const auto window = window_of(v, 0);
  const ConstWords w(*window);
  EXPECT_EQ(w[in_truncated], truncated_unit | truncated_frame | truncated_rows | truncated_reference);
  EXPECT_EQ(w[in_checks], most_rows + 1);
  EXPECT_EQ(w[in_rows], most_rows);
}

TEST(Window, AnInvalidBoardHasAReasonEvenWhereOnlyAComponentHasOne) {
  BoardVerdict v = stored_board();
  v.reason = Reason::none;
  EXPECT_EQ(reason_of(v), Reason::floor_inlier_ratio);
  v.components.pop_back();
  EXPECT_EQ(reason_of(v), Reason::internal) << "INVALID without a reason is a fault of the program";
  v.decision = Decision::fail;
  EXPECT_EQ(reason_of(v), Reason::none);
}

}  // namespace
}  // namespace datum::modbus

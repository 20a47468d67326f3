// Yields and defects of a lot, counted by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/report/lot.h"
#include "daemon/report/lot_page.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace lot_test {
namespace {

using testing::board;
using testing::component;
using ::testing::HasSubstr;

StoredResult result(std::uint64_t sequence, const std::string& unit, Decision decision) {
  BoardVerdict v = board();
  v.sequence = sequence;
  v.unit_id = unit;
  v.decision = decision;
  v.reason = Reason::none;
  v.components = {
      component("U1", decision, 1160, decision == Decision::invalid ? Reason::floor_sides : Reason::none)};
  return row_of(v, to_json(v));
}

std::string text_of(const std::vector<Cause>& causes) {
  std::string text;
  for (const Cause& c : causes) text += fmt::format("{} {}; ", c.name, c.count);
  return text;
}

constexpr auto P = Decision::pass, F = Decision::fail, Q = Decision::inconclusive, N = Decision::invalid;

}  // namespace

TEST(Lot, FirstAttemptDecidesTheFirstPassYieldAndTheLastOneTheFinal) {
  Lot lot;
  std::uint64_t n = 0;
  for (const auto& [unit, decision] : std::vector<std::pair<const char*, Decision>>{{"A", P},
                                                                                    {"B", F},
                                                                                    {"B", P},
                                                                                    {"C", N},
                                                                                    {"C", P},
                                                                                    {"D", Q},
                                                                                    {"E", F},
                                                                                    {"E", F},
                                                                                    {"F", P},
                                                                                    {"F", F},
                                                                                    {"", P},
                                                                                    {"", P}})
    lot.add(result(++n, unit, decision));
  const Lot::Units units = lot.units();
  EXPECT_EQ(units.entered, 8u);  // A to F, and two boards without a number
  EXPECT_EQ(units.retests, 3u);  // of B, E and F; C was not measured before
  EXPECT_EQ(units.retested, 3u);
  EXPECT_EQ(units.reworks, 0u);
  EXPECT_EQ(units.retest_pass, 1u);       // B
  EXPECT_EQ(units.first_pass.least, 4u);  // A, F and the two
  EXPECT_EQ(units.first_pass.most, 5u);   // and D perhaps
  EXPECT_EQ(units.first[static_cast<std::size_t>(N)], 1u);
  EXPECT_EQ(units.final.least, 5u);  // A, B, C and the two
  EXPECT_EQ(units.final.most, 6u);
  EXPECT_EQ(yield_text(units.first_pass), "50.0 to 62.5 %");
  EXPECT_EQ(yield_text(units.final), "62.5 to 75.0 %");
  EXPECT_EQ(yield_text({1, 1, 4}), "25.0 %");
  EXPECT_EQ(yield_text({}), "-");
  EXPECT_EQ(lot.decisions(), (DecisionCounts{6, 1, 4, 1}));
}

TEST(Lot, TellsRetestsFromReworksAndUnitsFromBefore) {
  Lot lot;
  std::uint64_t n = 0;
  const auto add = [&](const char* unit, Decision decision, std::uint64_t attempt,
                       const char* repair = nullptr) {
    BoardVerdict v = verdict_from_json(result(++n, unit, decision).json);
    v.serial = SerialEvidence{"host", "", attempt};
    if (repair) v.serial->repair = repair;
    lot.add(row_of(v, to_json(v)));
  };
  add("A", F, 1);
  add("A", F, 2);              // retest
  add("A", P, 3, "U1 again");  // rework: no retest PASS
  add("B", P, 1);
  add("B", P, 2, "label");  // passed at once, yet reworked
  add("C", F, 1);
  add("C", P, 2);  // retest PASS
  add("D", P, 4);  // entered before: this is a retest
  add("E", P, 2, "C3");
  add("F", N, 1);
  add("F", P, 1);  // the store counts both as its first
  add("G", P, 1);
  const Lot::Units units = lot.units();
  EXPECT_EQ(units.entered, 5u);  // A, B, C, F, G
  EXPECT_EQ(units.before, 2u);   // D, E
  EXPECT_EQ(units.retests, 3u);
  EXPECT_EQ(units.retested, 3u);  // A, C, D
  EXPECT_EQ(units.reworks, 3u);
  EXPECT_EQ(units.reworked, 3u);  // A, B, E
  EXPECT_EQ(units.retest_pass, 1u);
  EXPECT_EQ(units.first_pass.least, 1u);  // G
  EXPECT_EQ(units.first_pass.of, 5u);
  EXPECT_EQ(units.final.least, 7u);
  EXPECT_EQ(units.final.of, 7u);
}

TEST(Lot, APanelsBoardsHaveTheirOwnNumbers) {
  BoardVerdict v = verdict_from_json(result(1, "PANEL", F).json);
  v.serial = SerialEvidence{"host", "", 2};
  v.boards = {{"1-1", "SN<1>", P, Reason::none, "", {}, std::nullopt, 3},
              {"2-1", "SN-2", std::nullopt, Reason::skipped, "marked", {}, std::nullopt}};
  Lot lot;
  lot.add(row_of(v, to_json(v)));
  const std::string page = lot_page({lot, "", "", true, {}});
  EXPECT_THAT(page, HasSubstr("2 boards: 1 PASS 1 SKIPPED"));
  EXPECT_THAT(page, HasSubstr("<li>1-1 PASS SN&lt;1&gt;, attempt 3</li><li>2-1 SKIPPED SN-2: marked</li>"));
  EXPECT_THAT(page, HasSubstr("PANEL <span class=\"attempt\">attempt 2</span>"));
}

TEST(Lot, ResultsOfGaugeStudiesCountNowhere) {
  Lot lot, production;
  lot.leave_out({2, 3, 9});
  lot.add(result(1, "A", F));
  production.add(result(1, "A", F));
  lot.add(result(2, "A", P));  // of a study: no retest
  lot.add(result(3, "A", F));
  lot.add(result(4, "B", P));
  production.add(result(4, "B", P));
  EXPECT_EQ(lot.left_out(), 2u);
  const LotPage of_lot{lot, "all", "", false, {}}, of_production{production, "all", "", false, {}};
  std::string page = lot_page(of_lot);
  const std::string words = "; without 2 results of gauge studies";
  for (auto at = page.find(words); at != std::string::npos; at = page.find(words))
    page.erase(at, words.size());
  EXPECT_NE(lot_page(of_lot), page) << "it says so";
  EXPECT_EQ(page, lot_page(of_production));
}

TEST(Lot, EqualNumbersOfTwoRecipesAreTwoUnits) {
  Lot lot;
  lot.add(result(1, "A", F));
  StoredResult other = result(2, "A", P);
  other.recipe = "other";
  lot.add(other);
  EXPECT_EQ(lot.units().entered, 2u);
  EXPECT_EQ(lot.units().first_pass.least, 1u);
}

TEST(Lot, CausesAreOrderedByNumberThenByName) {
  Lot lot;
  BoardVerdict v = board();  // U1 PASS, U2 FAIL median, U3 FLOOR_INLIER_RATIO
  for (std::uint64_t n = 1; n <= 3; ++n) {
    v.sequence = n;
    if (n == 3) v.components[1] = component("U2", P, 1160, Reason::none);
    lot.add(row_of(v, to_json(v)));
  }
  EXPECT_EQ(text_of(lot.by_reason(9)), "FLOOR_INLIER_RATIO 3; FAIL median 2; ");
  EXPECT_EQ(text_of(lot.by_component(9)), "U3 3; U2 2; ");
  EXPECT_EQ(text_of(lot.by_component(1)), "U3 3; other 2; ");
  EXPECT_EQ(lot.components(), (DecisionCounts{4, 0, 2, 3}));
  ASSERT_EQ(lot.spreads().size(), 1u);
  EXPECT_EQ(lot.spreads()[0].shares.n, 6u);  // FAIL has a value, INVALID has none
  EXPECT_EQ(lot.spreads()[0].not_measured, 3u);
}

TEST(Lot, ADamagedResultIsCountedAndNamed) {
  Lot lot;
  StoredResult damaged = result(7, "A", F);
  damaged.json = "{\"decision\":";
  lot.add(damaged);
  EXPECT_EQ(lot.unreadable(), 1u);
  EXPECT_EQ(lot.boards().size(), 1u);
  EXPECT_THAT(lot_page({lot, "all", ""}), HasSubstr("result 7: its JSON is no verdict"));
}

TEST(Lot, AnEmptyOneHasAPage) {
  EXPECT_THAT(lot_page({Lot(), "Recipe x", ""}), HasSubstr("No stored result matches"));
}

}  // namespace lot_test
}  // namespace datum

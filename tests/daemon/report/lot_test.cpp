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
  EXPECT_EQ(units.repeated, 4u);
  EXPECT_EQ(units.passed_again, 1u);      // B
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

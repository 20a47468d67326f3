// Retests by recipe: a board that comes again too often without a repair is no PASS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/store/result_store.h"
#include "tests/daemon/quality/quality_boards.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using ::testing::HasSubstr;

struct Counted {
  BoardVerdict put(Decision decision, const std::string& repair = "", std::optional<std::uint64_t> most = 1) {
    BoardVerdict v = testing::valued_board(++n, 1203, "SN-1");
    v.decision = decision;
    v.serial = SerialEvidence{"host", ""};
    v.serial->max_retests = most;
    if (!repair.empty()) v.serial->repair = repair;
    store.store(v);
    return store.latest()->verdict();
  }
  testing::FreshFolder folder;
  ResultStore store{folder / "results.db"};
  int n = 0;
};

TEST(SerialRetests, OneMoreThanTheRecipeAllowsIsInvalidAndARepairBeginsAnew) {
  Counted c;
  EXPECT_EQ(*c.put(Decision::fail).serial->retests, 0u);
  EXPECT_EQ(*c.put(Decision::fail).serial->retests, 1u);
  const BoardVerdict third = c.put(Decision::pass);
  EXPECT_EQ(third.decision, Decision::invalid);
  EXPECT_EQ(third.reason, Reason::serial);
  EXPECT_THAT(third.detail, HasSubstr("retest 2 of SN-1 without a repair, at most serial.max_retests = 1"));
  EXPECT_EQ(third.serial->attempt, 3u);
  EXPECT_EQ(c.put(Decision::pass).decision, Decision::invalid) << "however often it comes";

  const BoardVerdict repaired = c.put(Decision::pass, "U1 replaced");
  EXPECT_EQ(repaired.decision, Decision::pass);
  EXPECT_EQ(repaired.serial->attempt, 3u) << "INVALID ones do not count";
  EXPECT_EQ(*repaired.serial->retests, 0u);
  EXPECT_EQ(*repaired.serial->repair, "U1 replaced");
  EXPECT_EQ(*c.put(Decision::fail).serial->retests, 1u);
  EXPECT_EQ(c.put(Decision::pass).decision, Decision::invalid);
}

TEST(SerialRetests, ARepairBesideAnInvalidAttemptIsNotLost) {
  Counted c;
  c.put(Decision::fail, "", 0);
  EXPECT_EQ(c.put(Decision::invalid, "U1 replaced", 0).decision, Decision::invalid);
  const BoardVerdict next = c.put(Decision::pass, "", 0);
  EXPECT_EQ(next.decision, Decision::pass);
  EXPECT_EQ(*next.serial->retests, 0u);
  EXPECT_EQ(c.put(Decision::pass, "", 0).decision, Decision::invalid);
}

/// A panel of the boards 1-1 and 2-1 with these numbers.
BoardVerdict put_panel(Counted& c, const std::vector<std::string>& numbers,
                       const std::vector<std::optional<Decision>>& decisions,
                       const std::string& repair = "") {
  BoardVerdict v = testing::valued_board(++c.n, 1203);
  const ComponentVerdict part = v.components[0];
  v.components.clear();
  v.serial = SerialEvidence{"none", ""};
  v.serial->max_retests = 1;
  if (!repair.empty()) v.serial->repair = repair;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string name = std::to_string(i + 1) + "-1";
    v.components.push_back(part);
    v.components.back().reference = "U1@" + name;
    v.boards.push_back({name, numbers[i], decisions[i], Reason::none, "", {}, std::nullopt});
    if (decisions[i]) v.decision = std::max(v.decision, *decisions[i]);
  }
  c.store.store(v);
  return c.store.latest()->verdict();
}

TEST(SerialRetests, EachBoardOfAPanelIsCountedByItsOwnNumber) {
  constexpr auto P = Decision::pass, F = Decision::fail;
  Counted c;
  EXPECT_EQ(put_panel(c, {"A", "B"}, {F, P}).boards[0].attempt, 1u);
  const BoardVerdict second = put_panel(c, {"C", "A"}, {P, F});
  EXPECT_EQ(second.boards[0].attempt, 1u);
  EXPECT_EQ(second.boards[1].attempt, 2u) << "on whichever place of whichever panel it lies";
  const BoardVerdict third = put_panel(c, {"A", "B"}, {P, P});
  EXPECT_EQ(third.boards[0].decision, Decision::invalid);
  EXPECT_EQ(third.boards[0].reason, Reason::serial);
  EXPECT_THAT(third.boards[0].detail, HasSubstr("retest 2 of A without a repair"));
  EXPECT_EQ(third.components[0].checks[0].decision, Decision::invalid);
  EXPECT_EQ(third.components[0].checks[0].reason, Reason::serial);
  EXPECT_EQ(third.boards[1].decision, P) << "its neighbour stays as measured";
  EXPECT_EQ(third.boards[1].attempt, 2u);
  EXPECT_EQ(third.components[1].checks[0].decision, P);
  EXPECT_EQ(third.decision, Decision::invalid);
  EXPECT_EQ(put_panel(c, {"A", "D"}, {P, P}, "U1 replaced").boards[0].decision, P) << "a repair begins anew";
  const BoardVerdict skipped = put_panel(c, {"E", ""}, {std::nullopt, P});
  EXPECT_EQ(skipped.boards[0].attempt, std::nullopt);
  EXPECT_EQ(skipped.boards[1].attempt, std::nullopt);
}

TEST(SerialRetests, WithoutALimitNothingIsSaidOrChanged) {
  Counted c;
  for (int i = 0; i < 5; ++i) {
    const BoardVerdict v = c.put(Decision::pass, "", std::nullopt);
    EXPECT_EQ(v.decision, Decision::pass);
    EXPECT_FALSE(v.serial->retests);
  }
}

}  // namespace
}  // namespace datum

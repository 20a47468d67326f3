// A board of several snapshots that was put in turned and shifted, and snapshots that show another board.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "tests/daemon/inspection/board/snapshot_board.h"

namespace datum::inspect_snapshot_registration_test {
namespace {

using ::testing::HasSubstr;
using testing::row;
using testing::snapshot_count;
using testing::SnapshotBoard;

/// As in inspect_registration_test: ten parts over 34 mm place the board better than five over 12 do.
constexpr double shift_um = 15, rotation_mdeg = 60;

AlignmentRecipe alignment() {
  AlignmentRecipe a;
  a.max_shift_mm = 1;
  a.max_rotation_deg = 2;
  a.min_ratio = 1.25;
  return a;
}

struct Placed : SnapshotBoard {
  Placed(double x_mm, double y_mm, double turn_deg) {
    scene.recipe.alignment = std::make_shared<AlignmentRecipe>(alignment());
    lay(x_mm, y_mm, turn_deg);
  }
  void lay(double x_mm, double y_mm, double turn_deg) {
    for (std::size_t k = 0; k < snapshot_count; ++k) take(k, {x_mm, y_mm, 0}, turn_deg);
  }
};

double number(const BoardVerdict& v, const std::string& name) {
  for (const auto& [key, value] : v.stages.at(0).health)
    if (key == name) return value;
  return std::nan("");
}

double term(const CheckVerdict& check, const std::string& name) {
  for (const UncertaintyTerm& t : check.budget)
    if (t.name == name) return t.u;
  return std::nan("");
}

TEST(InspectSnapshotRegistration, OnePlaceOfTheBoardForAllSnapshots) {
  const BoardVerdict there = SnapshotBoard().inspect();
  ASSERT_EQ(there.decision, Decision::pass) << there.detail;
  for (const auto& [x, y, turn] : {std::tuple{0.0, 0.0, 0.0}, {0.6, -0.35, 0.5}, {-0.4, 0.3, -0.9}}) {
    Placed board(x, y, turn);
    const BoardVerdict v = board.inspect();
    ASSERT_EQ(v.decision, Decision::pass) << v.detail << to_json(v);
    EXPECT_NEAR(number(v, "shift_x_um"), x * 1e3, shift_um);
    EXPECT_NEAR(number(v, "shift_y_um"), y * 1e3, shift_um);
    EXPECT_NEAR(number(v, "rotation_mdeg"), turn * 1e3, rotation_mdeg);
    EXPECT_EQ(number(v, "parts_seen"), 10) << "each part once";
    EXPECT_EQ(number(v, "snapshots"), 3);
    EXPECT_EQ(number(v, "snapshots_tested"), 3);
    for (const ComponentVerdict& c : v.components) {
      const CheckVerdict &a = row(there, c.reference).checks.at(0), &b = c.checks.at(0);
      EXPECT_LE(std::abs(a.value - b.value), 2 * std::hypot(a.u, b.u)) << c.reference;
    }
    EXPECT_EQ(to_json(verdict_from_json(to_json(v))), to_json(v));
    BoardVerdict by_four = board.inspect(4);
    by_four.backend = v.backend;
    EXPECT_EQ(to_json(by_four), to_json(v)) << "the threads do not matter";
    board.scene.recipe.alignment = nullptr;
    if (turn != 0) {
      EXPECT_NE(board.inspect().decision, Decision::pass) << "blind";
    }
  }
}

/// The place's covariance, and what moves this snapshot against the others, stand in each budget.
TEST(InspectSnapshotRegistration, PlaceAndStageEnterEachBudget) {
  Placed board(0.6, -0.35, 0.5);
  std::vector<Component>& parts = board.scene.recipe.components;
  for (Component& c : parts) {
    Check check;
    check.characteristic = Characteristic::offset_x;
    check.nominal = 0;
    check.lower = -9000;
    check.upper = 9000;
    c.checks = {check};
  }
  const BoardVerdict v = board.inspect();
  for (const ComponentVerdict& c : v.components) {
    const CheckVerdict& check = c.checks.at(0);
    ASSERT_EQ(check.reason, Reason::none) << c.reference << check.detail;
    EXPECT_LT(std::abs(check.value), 3 * check.u) << c.reference << " lies where the recipe has it";
    EXPECT_GT(term(check, "alignment"), 0.1) << c.reference;
    EXPECT_GT(term(check, "stage"), 1.0) << c.reference << ": two readings of 1 um each";
  }
}

TEST(InspectSnapshotRegistration, ASnapshotWithTooFewPartsFollowsTheOthers) {
  Placed board(0.6, -0.35, 0.5);
  std::erase_if(board.scene.recipe.components,  // the last snapshot keeps one whole part
                [](const Component& c) { return c.reference == "U7" || c.reference == "U10"; });
  board.lay(0.6, -0.35, 0.5);
  const BoardVerdict v = board.inspect();
  EXPECT_EQ(v.decision, Decision::pass) << v.detail;
  EXPECT_EQ(row(v, "U8").shown->snapshot, "c");
  EXPECT_EQ(number(v, "snapshots_tested"), 2);
  ASSERT_EQ(v.stages.at(0).warnings.size(), 1u);
  EXPECT_THAT(v.stages.at(0).warnings[0], HasSubstr("snapshot 3 of 3 (c)"));
  EXPECT_THAT(v.stages.at(0).warnings[0], HasSubstr("too few to test whose board it shows"));

  for (std::size_t k = 0; k < 2; ++k) board.snapshots[k] = {nullptr, {}, "it did not come"};
  const BoardVerdict alone = board.inspect();
  EXPECT_EQ(alone.decision, Decision::invalid) << "nor does it register alone";
  EXPECT_EQ(alone.reason, Reason::alignment);
}

TEST(InspectSnapshotRegistration, AMissingOneMakesOnlyItsOwnPartsInvalid) {
  Placed board(0.6, -0.35, 0.5);
  board.snapshots[1] = {nullptr, {}, "it did not come"};
  const BoardVerdict v = board.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::none) << v.detail;
  EXPECT_EQ(row(v, "U5").checks.at(0).reason, Reason::snapshots);
  for (const char* reference : {"U1", "U2", "U7", "U8"})
    EXPECT_EQ(row(v, reference).decision, Decision::pass) << reference;
}

TEST(InspectSnapshotRegistration, NamesABoardThatLiesTurnedOrMirrored) {
  const BoardVerdict turned = Placed(0.3, -0.2, 180.4).inspect();
  EXPECT_EQ(turned.reason, Reason::alignment);
  EXPECT_THAT(turned.detail, HasSubstr("the board lies turned by 180 degrees"));

  Placed board(0, 0, 0);
  for (Component& c : board.scene.recipe.components) {
    c.body.centre_mm.x() = 34 - c.body.centre_mm.x();
    c.body.rotation_deg = -c.body.rotation_deg;
  }
  board.lay(0.3, -0.2, 0.5);
  board.scene.recipe.components = testing::snapshot_parts();
  const BoardVerdict mirrored = board.inspect();
  EXPECT_EQ(mirrored.reason, Reason::alignment);
  EXPECT_THAT(mirrored.detail, HasSubstr("the board lies mirrored;"));

  std::mt19937_64 random(7);
  for (Component& c : board.scene.recipe.components)
    c.body.centre_mm = {2.5 + double(random() % 290) / 10, 2 + double(random() % 40) / 10};
  board.lay(0, 0, 0);
  board.scene.recipe.components = testing::snapshot_parts();
  const BoardVerdict other = board.inspect();
  EXPECT_EQ(other.decision, Decision::invalid);
  EXPECT_EQ(other.reason, Reason::alignment) << other.detail;
}

/// The host skipped the same triggers of two boards: the last snapshots show the next one, which lies elsewhere in its fixture.
TEST(InspectSnapshotRegistration, ASnapshotOfAnotherBoardIsNamed) {
  for (const auto& [x, y, turn] :
       {std::tuple{0.1, 0.0, 0.0}, {0.0, -0.1, 0.0}, {0.5, 0.4, 0.3}, {0.0, 0.0, 1.0}, {-0.9, 0.2, -0.5}}) {
    for (std::size_t changed = 1; changed < snapshot_count; ++changed) {
      Placed board(0.2, -0.1, 0.2);
      for (std::size_t k = changed; k < snapshot_count; ++k)
        board.take(k, {0.2 + x, -0.1 + y, 0}, 0.2 + turn);
      const BoardVerdict v = board.inspect();
      EXPECT_EQ(v.decision, Decision::invalid);
      EXPECT_EQ(v.reason, Reason::snapshots) << x << " " << y << " " << turn << ": " << v.detail;
      EXPECT_THAT(v.detail, HasSubstr("it shows another board")) << x << " " << y << " " << turn;
      for (const ComponentVerdict& c : v.components) EXPECT_EQ(c.decision, Decision::invalid);
    }
  }
}

/// One snapshot of each board is left.
TEST(InspectSnapshotRegistration, TwoSnapshotsOfTwoBoardsAreNamed) {
  Placed board(-0.9, -0.1, 0.2);
  board.take(1, {0.9, 0.1, 0}, -1.2);
  board.snapshots[2] = {nullptr, {}, "it did not come"};
  const BoardVerdict v = board.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::snapshots) << v.detail;
  EXPECT_THAT(v.detail, HasSubstr("it shows another board"));
}

TEST(InspectSnapshotRegistration, PartsThatAreMissingAreNoOtherBoard) {
  Placed board(0, 0, 0);
  auto& parts = board.scene.recipe.components;
  std::erase_if(parts, [](const Component& c) { return c.reference == "U7" || c.reference == "U10"; });
  board.lay(0.6, -0.35, 0.5);
  parts = testing::snapshot_parts();
  const BoardVerdict v = board.inspect();
  EXPECT_EQ(v.decision, Decision::fail) << v.detail;
  EXPECT_EQ(row(v, "U7").decision, Decision::fail);
  EXPECT_EQ(row(v, "U8").decision, Decision::pass);
}

/// Parts that scatter by 30 um in each direction. By chance 0.3 % of the boards are refused: one of these eight with
/// 2.4 %.
TEST(InspectSnapshotRegistration, PartsThatScatterAreNoOtherBoard) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> off_mm(0, 0.03);
  int refused = 0;
  for (int board_number = 0; board_number < 8; ++board_number) {
    Placed board(0, 0, 0);
    for (Component& c : board.scene.recipe.components)
      c.body.centre_mm += Eigen::Vector2d(off_mm(random), off_mm(random));
    board.lay(0.3, -0.2, 0.4);
    board.scene.recipe.components = testing::snapshot_parts();
    const BoardVerdict v = board.inspect();
    refused += v.reason == Reason::snapshots;
    EXPECT_TRUE(v.reason == Reason::none || v.reason == Reason::snapshots) << v.detail;
  }
  EXPECT_EQ(refused, 0);
}

TEST(InspectSnapshotRegistration, NamesAReversedAxis) {
  Placed board(0.3, 0.2, 0.5);
  for (std::size_t k = 0; k < snapshot_count; ++k) {
    board.snapshots[k].pose.q_mm[0] *= -1;
    board.scene.recipe.snapshots.poses[k].position_mm.x() *= -1;
  }
  const BoardVerdict v = board.inspect();
  EXPECT_EQ(v.reason, Reason::snapshots);
  EXPECT_THAT(v.detail, HasSubstr("X_REVERSED: the stage's X counts the other way"));
}

}  // namespace
}  // namespace datum::inspect_snapshot_registration_test

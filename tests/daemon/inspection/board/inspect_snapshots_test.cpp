// A board that is larger than the field of view, in three snapshots on a moved stage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/inspection/board/snapshot_overlap.h"
#include "daemon/inspection/board/warp_recipe.h"
#include "tests/daemon/inspection/board/snapshot_board.h"

namespace datum::inspect_snapshots_test {
namespace {

using ::testing::HasSubstr;
using testing::row;
using testing::Scene;
using testing::snapshot_count;
using testing::snapshot_parts;
using Board = testing::SnapshotBoard;
constexpr std::size_t count = snapshot_count;

TEST(InspectSnapshots, MeasuresEachPartWhereItIsSeenBest) {
  const Board board(1e-3);
  const BoardVerdict v = board.inspect();
  ASSERT_EQ(v.decision, Decision::pass) << v.detail << to_json(v);
  ASSERT_EQ(v.snapshots.size(), count);
  for (std::size_t k = 0; k < count; ++k) {
    EXPECT_EQ(v.snapshots[k].frame_sha256, board.frames[k].content_sha256);
    EXPECT_EQ(v.snapshots[k].pose.q_mm, board.snapshots[k].pose.q_mm);
    EXPECT_FALSE(v.snapshots[k].missing);
  }
  for (const auto& [reference, snapshot, second] :
       {std::tuple{"U1", "a", ""}, {"U2", "a", ""}, {"U3", "b", "a"}, {"U5", "b", ""}, {"U8", "c", ""}}) {
    EXPECT_EQ(row(v, reference).shown->snapshot, snapshot) << reference;
    EXPECT_EQ(row(v, reference).shown->second, second) << reference;
  }
  const OverlapEvidence& o = *row(v, "U3").checks.at(0).overlap;
  EXPECT_LT(std::abs(o.difference), 3 * o.u);
  EXPECT_LT(o.u, 2) << "and that says something";
  EXPECT_FALSE(row(v, "U1").checks.at(0).overlap);
  EXPECT_EQ(to_json(verdict_from_json(to_json(v))), to_json(v));
  BoardVerdict by_four = board.inspect(4);
  by_four.backend = v.backend;
  EXPECT_EQ(to_json(by_four), to_json(v)) << "the threads do not matter";
}

TEST(InspectSnapshots, GivesTheHeightsOfSingleSnapshots) {
  const Board board(1e-3);
  const BoardVerdict v = board.inspect();
  for (std::size_t k = 0; k < count; ++k) {
    Scene alone = board.scene;
    alone.recipe.snapshots = {};
    alone.frame = board.frames[k];
    alone.pose = board.snapshots[k].pose;
    const BoardVerdict one = alone.inspect();
    for (const ComponentVerdict& c : one.components) {
      const CheckVerdict &here = c.checks.at(0), &joined = row(v, c.reference).checks.at(0);
      if (here.decision == Decision::invalid) continue;  // not in this frame
      EXPECT_LE(std::abs(here.value - joined.value), 2 * joined.u) << c.reference;
      if (row(v, c.reference).shown->snapshot == v.snapshots[k].name) {
        EXPECT_EQ(here.value, joined.value) << c.reference;
        EXPECT_EQ(here.u, joined.u) << c.reference;
      }
    }
  }
}

TEST(InspectSnapshots, AMissingOneMakesOnlyItsOwnPartsInvalid) {
  Board board;
  board.snapshots[1] = {nullptr, {}, "was not triggered within 1000 ms of the one before"};
  const BoardVerdict v = board.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::none) << "not the board as a whole";
  for (const char* reference : {"U4", "U5"}) {
    const CheckVerdict& check = row(v, reference).checks.at(0);
    EXPECT_EQ(check.reason, Reason::snapshots) << reference;
    EXPECT_THAT(check.detail, HasSubstr("snapshot 2 of 3 (b): was not triggered within 1000 ms"));
  }
  for (const char* reference : {"U1", "U2", "U3", "U7", "U8"})
    EXPECT_EQ(row(v, reference).decision, Decision::pass) << reference;
  EXPECT_EQ(row(v, "U3").shown->snapshot, "a") << "the other one shows it too";
  EXPECT_EQ(v.snapshots[1].missing, "was not triggered within 1000 ms of the one before");
  EXPECT_EQ(to_json(verdict_from_json(to_json(v))), to_json(v));

  for (BoardSnapshot& s : board.snapshots) s = {nullptr, {}, "it did not come"};
  const BoardVerdict none = board.inspect();
  EXPECT_EQ(none.reason, Reason::snapshots);
  EXPECT_EQ(none.components.size(), board.scene.recipe.components.size());
}

TEST(InspectSnapshots, DoesNotUseWhatCannotBeTheSnapshot) {
  const auto missing = [](const Board& board, std::size_t k) {
    const BoardVerdict v = board.inspect();
    EXPECT_EQ(v.decision, Decision::invalid);
    EXPECT_EQ(row(v, "U5").checks.at(0).reason, Reason::snapshots);
    EXPECT_EQ(row(v, "U1").decision, Decision::pass);
    return v.snapshots.at(k).missing.value_or("none");
  };
  Board repeated;
  repeated.frames[1].content_sha256 = repeated.frames[0].content_sha256;
  EXPECT_THAT(missing(repeated, 1), HasSubstr("shows the pixels of one before"));
  Board elsewhere;
  elsewhere.snapshots[1].pose.q_mm[0] += 0.2;
  EXPECT_THAT(missing(elsewhere, 1), HasSubstr("its pose is b"));
  Board moved;
  moved.snapshots[1].pose.reason = Reason::pose_moved;
  moved.snapshots[1].pose.detail = "it moved";
  EXPECT_EQ(missing(moved, 1), "POSE_MOVED: it moved");
  Board without;
  without.snapshots[1].pose.used = false;
  EXPECT_THAT(missing(without, 1), HasSubstr("no position came"));
  Board other;
  other.frames[1].sensor_serial = "S2";
  EXPECT_THAT(missing(other, 1), HasSubstr("SENSOR_MISMATCH"));
  Board coarse;
  coarse.frames[1].x.scale_mm *= 1.01;
  EXPECT_THAT(missing(coarse, 1), HasSubstr("its pixels are"));

  Board expired;
  expired.scene.calibration.expires_utc_s = 10;
  EXPECT_EQ(expired.inspect().reason, Reason::calibration);
}

TEST(InspectSnapshots, SnapshotsThatDisagreeAreInvalid) {
  Board board;
  Scene& s = board.scene;
  s.recipe.components[2].nominal_height_um += 30;  // U3 is 30 um higher once "a" is taken
  board.take(0);
  s.recipe.components[2].nominal_height_um -= 30;
  const BoardVerdict v = board.inspect();
  const CheckVerdict& u3 = row(v, "U3").checks.at(0);
  EXPECT_EQ(u3.decision, Decision::invalid) << "within the limits in both";
  EXPECT_EQ(u3.reason, Reason::snapshots);
  EXPECT_THAT(u3.detail, HasSubstr("snapshot b measures"));
  EXPECT_NEAR(u3.overlap->difference, 30, 3 * u3.overlap->u);
  EXPECT_EQ(row(v, "U6").decision, Decision::pass);
}

/// What two snapshots differ by beyond 2 u, and within what chance makes, enters U.
TEST(InspectSnapshots, ADifferenceBeyondTheBudgetEntersU) {
  std::vector<ComponentVerdict> rows(1), seconds(1);
  CheckVerdict check;
  check.check.lower = 300;
  check.check.upper = 500;
  check.value = 400;
  check.u = 1;
  check.decision = Decision::pass;
  check.budget = {{"top_noise", 1}, {"reproducibility", 50}};
  rows[0].checks = {check};
  rows[0].shown.emplace();
  seconds[0].checks = {check};
  const auto compared = [&](double difference) {
    std::vector<ComponentVerdict> changed = rows;
    seconds[0].checks[0].value = 400 + difference;
    compare_overlaps(changed, seconds, Recipe{});
    return changed[0].checks[0];
  };
  const double u = std::sqrt(2.0);  // of both, without what both have in common
  EXPECT_DOUBLE_EQ(compared(1).overlap->u, u);
  EXPECT_EQ(compared(1.99 * u).u, 1);
  const CheckVerdict beyond = compared(2.5 * u);
  EXPECT_EQ(beyond.budget.back().name, "snapshots");
  EXPECT_NEAR(beyond.budget.back().u, 2.5, 1e-9);
  EXPECT_EQ(compared(3.1 * u).decision, Decision::invalid);
  EXPECT_NEAR(beyond_chance_of(1), 2.968, 1e-3);
  EXPECT_NEAR(beyond_chance_of(100), 4.173, 1e-3);
}

/// Snapshots of two boards that lie as the recipe says differ in their floors alone.
TEST(InspectSnapshots, FloorsProveThatItIsOneBoard) {
  Board board;
  board.scene.recipe.snapshots.one_board = OneBoard::overlap;
  EXPECT_EQ(board.inspect().decision, Decision::pass);
  board.take(2, {0, 0, 0.03});
  const BoardVerdict joined = board.inspect();
  EXPECT_EQ(joined.decision, Decision::invalid);
  EXPECT_EQ(joined.reason, Reason::snapshots);
  EXPECT_THAT(joined.detail, HasSubstr("did the board move between them?"));
  for (const ComponentVerdict& c : joined.components) EXPECT_EQ(c.decision, Decision::invalid);
  board.scene.recipe.snapshots.one_board = OneBoard::unit;
  EXPECT_EQ(board.inspect().decision, Decision::pass) << "the cell proves it";

  Board apart;  // nothing that both see joins the last one to those before
  apart.scene.recipe.snapshots.one_board = OneBoard::overlap;
  std::erase_if(apart.scene.recipe.components,
                [](const Component& c) { return c.reference == "U6" || c.reference == "U10"; });
  for (std::size_t k = 0; k < count; ++k) apart.take(k);
  const BoardVerdict unproven = apart.inspect();
  EXPECT_EQ(unproven.reason, Reason::snapshots);
  EXPECT_THAT(unproven.detail, HasSubstr("leads from a to c"));
}

TEST(InspectSnapshots, NamesAReversedAxis) {
  Board board;
  for (std::size_t k = 0; k < count; ++k) {
    board.snapshots[k].pose.q_mm[0] *= -1;
    board.scene.recipe.snapshots.poses[k].position_mm.x() *= -1;
  }
  const BoardVerdict v = board.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::snapshots);
  EXPECT_THAT(v.detail, HasSubstr("X_REVERSED: the stage's X counts the other way"));
}

TEST(InspectSnapshots, ABadBoardIsNoReversedAxis) {
  Board board;
  board.scene.recipe.components.erase(board.scene.recipe.components.begin() + 1);  // U2 is missing
  for (std::size_t k = 0; k < count; ++k) board.take(k);
  board.scene.recipe.components = snapshot_parts();
  const BoardVerdict v = board.inspect();
  EXPECT_EQ(v.decision, Decision::fail) << v.detail;
  EXPECT_EQ(v.reason, Reason::none);
  EXPECT_EQ(row(v, "U2").decision, Decision::fail);
}

/// The board's form is that of all floors in machine coordinates.
struct WarpedBoard : Board {
  WarpedBoard() {
    auto warp = std::make_shared<WarpRecipe>();
    warp->min_knots = 6;
    warp->max_gap_mm = 20;
    warp->max_curvature_um_per_mm2 = 0.01;
    warp->margin_mm = 3;
    Check bow;
    bow.characteristic = Characteristic::peak_to_valley;
    bow.upper = 100;
    warp->row.reference = "BOARD";
    warp->row.package = "warp";
    warp->row.checks = {bow};
    int patches = 0;
    for (const double y : {0.9, 7.1})
      for (const double x : {1.0, 9.5, 14.0, 20.5, 25.0, 33.0}) {
        Component patch;
        patch.reference = "bare" + std::to_string(++patches);
        patch.body.centre_mm = {x, y};
        warp->patches.push_back(patch);
      }
    warp->patch_mm = 1.6;
    scene.recipe.warp = warp;
  }
};

TEST(InspectSnapshots, JoinsFloorsInMachineCoordinates) {
  WarpedBoard board;
  const BoardVerdict flat = board.inspect();
  const CheckVerdict& level = row(flat, "BOARD").checks.at(0);
  ASSERT_EQ(level.reason, Reason::none) << level.detail;
  EXPECT_LT(level.value, 3);
  const auto term = [](const CheckVerdict& v) {
    for (const UncertaintyTerm& t : v.budget)
      if (t.name == "snapshots") return t.u;
    return 0.0;
  };
  EXPECT_GT(term(level), std::sqrt(2.0)) << "a reading of the stage's z in each";
  EXPECT_GE(row(flat, "BOARD").warp->knots.size(), 15u);

  // The whole board 1.5 um higher in one snapshot is within what the stage explains; 40 um are not, and heights do not mind.
  board.take(1, {0, 0, 0.0015});
  EXPECT_EQ(row(board.inspect(), "BOARD").checks.at(0).reason, Reason::none);
  board.take(1, {0, 0, 0.04});
  const BoardVerdict torn = board.inspect();
  EXPECT_EQ(row(torn, "BOARD").checks.at(0).reason, Reason::snapshots);
  EXPECT_THAT(row(torn, "BOARD").checks.at(0).detail, HasSubstr("did the board move between them?"));
  EXPECT_EQ(row(torn, "U5").decision, Decision::pass);
  EXPECT_NEAR(std::abs(row(torn, "U3").shown->floor_step_um), 40, 3 * row(torn, "U3").shown->u_floor_step_um);
}

}  // namespace
}  // namespace datum::inspect_snapshots_test

// A plan is kept while nothing changes that it depends on, and a kept one gives the same verdict.
#include "daemon/inspection/board/board_planner.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::board_planner_test {
namespace {

using testing::make_scene;
using testing::place;
using testing::render;
using testing::Scene;

Scene scene() {
  Scene s = make_scene();
  s.sensor.sha256 = "4567";
  render(s);
  return s;
}

std::shared_ptr<const PlannedBoard> plan_of(BoardPlanner& planner, const Scene& s) {
  const Htm<Board, Sensor> placement = board_from_sensor(s.inputs());
  return planner.of(s.recipe, s.sensor, s.frame, placement, BoardView(s.frame, placement), 1);
}

TEST(BoardPlanner, KeepsThePlanOfTheSameBoard) {
  BoardPlanner planner;
  Scene s = scene();
  const auto first = plan_of(planner, s);
  EXPECT_EQ(first->plan.sites().size(), 2u);
  EXPECT_GT(first->plan.plan().run_count, 0u);
  std::get<std::vector<std::int16_t>>(s.frame.counts)[5] = 7;  // another picture of the same geometry
  s.frame.frame_id = "F2";
  EXPECT_EQ(plan_of(planner, s), first);
}

TEST(BoardPlanner, SeesEverythingThatAPlanDependsOn) {
  const std::function<void(Scene&)> changes[] = {
      [](Scene& s) { s.recipe.sha256 = "0124"; },
      [](Scene& s) { s.recipe.name = "other"; },
      [](Scene& s) { s.sensor.sha256 = "4568"; },
      [](Scene& s) { s.frame.x.offset_mm += 1e-9; },
      [](Scene& s) { s.frame.y.scale_mm *= 1.0000001; },
      [](Scene& s) { s.frame.z.scale_mm = 0.0004; },
      [](Scene& s) { s.frame.rows -= 1; },
      [](Scene& s) { s.frame.cols += 1; },
      [](Scene& s) { s.frame.counts = std::vector<float>(s.frame.size()); },
      [](Scene& s) { place(s, Eigen::Isometry3d(Eigen::Translation3d(0, 0, 1e-9))); },
  };
  for (const auto& change : changes) {
    BoardPlanner planner;
    Scene s = scene();
    const auto first = plan_of(planner, s);
    change(s);
    EXPECT_NE(plan_of(planner, s), first) << &change - changes;
  }
}

TEST(BoardPlanner, KeepsFourBoardsAndNothingWithoutAHash) {
  BoardPlanner planner;
  Scene s = scene();
  const auto plan_for = [&](const char* sha256) {
    s.recipe.sha256 = sha256;
    return plan_of(planner, s);
  };
  const auto a = plan_for("a"), b = plan_for("b");
  plan_for("c"), plan_for("d");
  EXPECT_EQ(plan_for("a"), a);
  plan_for("e");  // b is the longest unused
  EXPECT_EQ(plan_for("a"), a);
  EXPECT_NE(plan_for("b"), b);
  EXPECT_NE(plan_for(""), plan_for(""));
}

TEST(BoardPlanner, AKeptPlanGivesTheSameVerdict) {
  const Scene s = scene();
  BoardPlanner planner;
  InspectionInputs inputs = s.inputs();
  const Backend backend;
  const std::string without = to_json(inspect(s.frame, inputs, backend));
  inputs.planner = &planner;
  EXPECT_EQ(to_json(inspect(s.frame, inputs, backend)), without);
  EXPECT_EQ(to_json(inspect(s.frame, inputs, backend)), without);
}

}  // namespace
}  // namespace datum::board_planner_test

// One board on the worker: what becomes of a frame that can't be trusted.
#include "daemon/cell/board.h"

#include <gtest/gtest.h>

#include "gpu/board/cpu_board.h"
#include "tests/daemon/inspect_fixture.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

struct Rig {
  testing::FreshFolder folder;
  ResultStore store{folder.path() / "results.db"};
  testing::Scene scene = testing::make_scene();
  Backend backend;
  CpuBoardMeasurer measurer{backend};
  BoardOrder order;

  Rig() {
    testing::render(scene);
    scene.frame.stamp = SensorStamp{7, -42, 5, 1};
    order.recipe = std::make_shared<Recipe>(scene.recipe);
    order.sensor = &scene.sensor;
    order.measurer = &measurer;
    order.threads = 1;
    order.frame = DroppedFrame{scene.frame, {"S1", "F1", "beef"}};
  }
};

TEST(CellBoard, AFrameWithoutDoubtIsMeasured) {
  Rig rig;
  measure(rig.order, 1'000'000'000, rig.store);
  EXPECT_TRUE(rig.order.stored) << rig.order.store_error;
  EXPECT_EQ(rig.order.verdict.decision, Decision::pass);
  EXPECT_EQ(rig.order.verdict.stamp->encoder, -42);
}

// Data were lost at the sensor while the worker measured: no value of it is given out.
TEST(CellBoard, ADoubtThatComesWhileItIsMeasuredMakesItInvalid) {
  Rig rig;
  rig.order.late_doubt.tell("Ethernet drops rose by 2 to 5");
  rig.order.late_doubt.tell("and more");
  measure(rig.order, 1'000'000'000, rig.store);
  EXPECT_TRUE(rig.order.stored);
  const BoardVerdict& v = rig.order.verdict;
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::frame);
  EXPECT_EQ(v.detail, "Ethernet drops rose by 2 to 5") << "the first one is the reason";
  EXPECT_TRUE(v.components.empty());
  EXPECT_EQ(rig.store.latest()->decision, Decision::invalid);
}

TEST(CellBoard, AnInvalidBoardNamesTheFrameThatWasNotMeasured) {
  Rig rig;
  rig.order.reason = Reason::frame;
  rig.order.detail = "another job is loaded";
  measure(rig.order, 1'000'000'000, rig.store);
  const BoardVerdict& v = rig.order.verdict;
  EXPECT_EQ(v.frame_id, "F1");
  EXPECT_EQ(v.frame_sha256, "beef");
  EXPECT_EQ(v.frame_source, "scene");
  EXPECT_EQ(v.stamp->frame_index, 7u);
}

}  // namespace
}  // namespace datum

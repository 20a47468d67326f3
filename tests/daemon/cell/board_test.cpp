// One board on the worker: what becomes of a frame that can't be trusted.
#include "daemon/cell/board.h"

#include <gtest/gtest.h>

#include "gpu/board/cpu_board.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"
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
  void measure_at(std::int64_t utc_ns) {
    measure(order, utc_ns);
    store_results({&order}, store);
  }
};

TEST(CellBoard, AFrameWithoutDoubtIsMeasured) {
  Rig rig;
  rig.measure_at(1'000'000'000);
  EXPECT_TRUE(rig.order.stored) << rig.order.store_error;
  EXPECT_EQ(rig.order.verdict.decision, Decision::pass);
  EXPECT_EQ(rig.order.verdict.stamp->encoder, -42);
}

// Data were lost at the sensor while the worker measured: no value of it is given out.
TEST(CellBoard, ADoubtThatComesWhileItIsMeasuredMakesItInvalid) {
  Rig rig;
  rig.order.late_fault.tell("Ethernet drops rose by 2 to 5");
  rig.order.late_fault.tell("and more");
  rig.measure_at(1'000'000'000);
  EXPECT_TRUE(rig.order.stored);
  const BoardVerdict& v = rig.order.verdict;
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::frame);
  EXPECT_EQ(v.detail, "Ethernet drops rose by 2 to 5") << "the first one is the reason";
  EXPECT_TRUE(v.components.empty());
  EXPECT_EQ(rig.store.latest()->decision, Decision::invalid);
}

/// Whose setup is read beside the measurement.
class FromNetwork final : public ReceivedFrame {
 public:
  explicit FromNetwork(std::string fault) : fault_(std::move(fault)) {}
  HeightFrame read(const SensorProfile&) override { return {}; }
  std::string late_fault() override { return fault_; }

 private:
  std::string fault_;
};

TEST(CellBoard, WhatIsCheckedBesideTheMeasurementMakesItInvalid) {
  for (const char* fault : {"", "the camera's setup changed: Width was 6, is 7"}) {
    Rig rig;
    rig.order.claim = ClaimedFrame{};
    rig.order.claim->received = std::make_shared<FromNetwork>(fault);
    rig.measure_at(1'000'000'000);
    const BoardVerdict v = rig.store.latest()->verdict();
    EXPECT_EQ(v.decision, *fault ? Decision::invalid : Decision::pass) << fault;
    EXPECT_EQ(v.detail, fault);
    EXPECT_EQ(v.frame_sha256, rig.scene.frame.content_sha256) << "its frame is known";
  }
}

TEST(CellBoard, TheVerdictTellsThePairingAndTheAge) {
  Rig rig;
  PairingResult pairing;
  pairing.accepted = true;
  pairing.before.state = pairing.after.state = ProbeState::ok;
  pairing.moved_um = 2;
  pairing.exposure_known = true;
  pairing.doubt = {400'000'000, 6.25, 1.5};
  rig.order.pairing = pairing;
  rig.order.age = FrameAge{12.5, 5000, "sensor"};
  rig.measure_at(1'000'000'000);
  const BoardVerdict v = rig.store.latest()->verdict();
  ASSERT_TRUE(v.pose.pairing);
  EXPECT_STREQ(name_of(v.pose.pairing->pairing), "STARE");
  EXPECT_STREQ(name_of(v.pose.pairing->exposure), "CLOCK");
  EXPECT_EQ(v.pose.pairing->spread_ms, 400);
  EXPECT_EQ(v.pose.pairing->speed_um_per_s, 6.25);
  EXPECT_EQ(v.pose.pairing->u_um, 1.5);
  ASSERT_TRUE(v.frame_age);
  EXPECT_EQ(v.frame_age->at_most_ms, 12.5);
  EXPECT_EQ(v.frame_age->allowed_ms, 5000);
  rig.order.pairing->after.state = ProbeState::stale;
  EXPECT_FALSE(pose_of(rig.order.pairing).pairing) << "no position, no pair";
}

// Whatever the clock says now: what has expired stays so.
TEST(CellBoard, AClockThatWasSetBackMakesNoCalibrationValidAgain) {
  Rig rig;
  Calibration calibration;
  calibration.sensor_serial = rig.scene.frame.sensor_serial;
  calibration.expires_utc_s = 2000;
  auto recipe = std::make_shared<Recipe>(rig.scene.recipe);
  recipe->in_machine_coordinates = true;
  rig.order.recipe = recipe;
  rig.order.calibration = std::make_shared<Calibration>(calibration);
  rig.order.latest_utc_ns = 3'000'000'000'000;
  rig.measure_at(1'000'000'000'000);
  EXPECT_EQ(rig.order.verdict.reason, Reason::calibration) << rig.order.verdict.detail;
  rig.order.latest_utc_ns = 1'000'000'000'000;
  rig.measure_at(1'000'000'000'000);
  EXPECT_EQ(rig.order.verdict.reason, Reason::none) << rig.order.verdict.detail;
}

std::shared_ptr<StatedSum> sum_of(const Bytes& bytes, const std::string& stated, unsigned threads) {
  ReadSettings settings;
  settings.threads = threads;
  return std::make_shared<StatedSum>(Bytes(bytes), stated, "a.tif", settings);
}

// As a delivery that could not be read: by its claim's name, and nothing of its pixels.
TEST(CellBoard, ASumThatDiffersMakesItInvalidBeforeItIsStored) {
  for (const unsigned threads : {1u, 2u}) {
    Rig rig;
    rig.order.claim.emplace().entry = "work/1/a.json";
    rig.order.age = FrameAge{12.5, 5000, "sensor"};
    rig.order.frame->sum = sum_of(Bytes(3 << 20, 7), std::string(64, '0'), threads);
    rig.measure_at(1'000'000'000);
    ASSERT_TRUE(rig.order.stored);
    const BoardVerdict v = rig.store.latest()->verdict();
    EXPECT_EQ(v.decision, Decision::invalid);
    EXPECT_EQ(v.reason, Reason::frame);
    EXPECT_EQ(v.detail,
              "a.tif: its SHA-256 differs from the sidecar's; it is truncated, damaged or another file");
    EXPECT_TRUE(v.components.empty());
    EXPECT_EQ(v.frame_id, "a");
    EXPECT_EQ(v.frame_source, "a.json");
    EXPECT_EQ(v.frame_sha256, "");
    EXPECT_FALSE(v.frame_age);
    EXPECT_EQ(rig.store.latest()->sequence, 1u) << "nothing else was stored";
    EXPECT_EQ(rig.order.frame_error, v.detail) << "so its files go to failed/";
    EXPECT_EQ(rig.order.not_shown->content_sha256, "beef");
  }
}

TEST(CellBoard, ASumThatAgreesChangesNothing) {
  Rig rig;
  const Bytes bytes(3 << 20, 7);
  rig.order.frame->sum = sum_of(bytes, sha256_hex({bytes}), 2);
  rig.measure_at(1'000'000'000);
  EXPECT_EQ(rig.store.latest()->decision, Decision::pass);
  EXPECT_EQ(rig.order.frame_error, "");
  EXPECT_FALSE(rig.order.not_shown);
}

// It was INVALID already, for another reason: the sum's comes first, as where the delivery can't be read.
TEST(CellBoard, ASumThatDiffersPrecedesOtherReasons) {
  Rig rig;
  rig.order.claim.emplace().entry = "work/1/a.json";
  rig.order.reason = Reason::frame_stale;
  rig.order.detail = "too old";
  rig.order.frame->sum = sum_of(Bytes(100, 7), std::string(64, '0'), 2);
  rig.measure_at(1'000'000'000);
  EXPECT_EQ(rig.order.verdict.reason, Reason::frame);
}

TEST(CellBoard, AnInvalidBoardNamesTheFrameThatWasNotMeasured) {
  Rig rig;
  rig.order.reason = Reason::frame;
  rig.order.detail = "another job is loaded";
  rig.measure_at(1'000'000'000);
  const BoardVerdict& v = rig.order.verdict;
  EXPECT_EQ(v.frame_id, "F1");
  EXPECT_EQ(v.frame_sha256, "beef");
  EXPECT_EQ(v.frame_source, "scene");
  EXPECT_EQ(v.stamp->frame_index, 7u);
}

}  // namespace
}  // namespace datum

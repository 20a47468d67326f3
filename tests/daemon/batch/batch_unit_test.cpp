// A unit's key: equal for equal inputs, another one for anything that could change a byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "tests/daemon/batch/batch_scene.h"

namespace datum::batch_unit_test {
namespace {

using testing::stored_board;
using testing::unit_of;

TEST(BatchUnit, IsNamedByItsInputsWhereverItsFramesLie) {
  const BoardVerdict stored = stored_board(1, Decision::pass, 500);
  BatchUnit unit = unit_of(stored);
  EXPECT_TRUE(is_key(unit.key));
  BoardVerdict elsewhere = unit.asked;
  elsewhere.frame_source = "/mnt/archive/other.ptr";
  EXPECT_EQ(key_of(elsewhere), unit.key);
  BoardVerdict again = stored;
  again.sequence = 17;  // who measured it then, and what, is no input
  again.store_id = "fedcba9876543210";
  again.decision = Decision::fail;
  again.components[0].checks[0].value = 777;
  again.code = "0.0.9 old";
  again.backend = "cuda NVIDIA H200 sm_90";
  EXPECT_EQ(unit_of(again).key, unit.key);
}

TEST(BatchUnit, AnythingThatCouldChangeAByteChangesItsKey) {
  const BoardVerdict asked = unit_of(stored_board(1, Decision::pass, 500)).asked;
  const std::vector<std::function<void(BoardVerdict&)>> changes{
      [](BoardVerdict& v) { v.frame_sha256.back() = '0'; },
      [](BoardVerdict& v) { v.recipe_sha256.back() = '0'; },
      [](BoardVerdict& v) { v.calibration = "c-2"; },
      [](BoardVerdict& v) { v.calibration_sha256 = "00"; },
      [](BoardVerdict& v) { v.sensor_profile_sha256.back() = '0'; },
      [](BoardVerdict& v) { v.code = "0.1.0 other"; },
      [](BoardVerdict& v) { v.backend = cuda_backend_name; },
      [](BoardVerdict& v) { v.measured_at = "2026-11-02T00:00:00.000Z"; },
      [](BoardVerdict& v) { v.unit_id = "SN2"; },
      [](BoardVerdict& v) { v.pose.used = true; },
      [](BoardVerdict& v) { v.pose.q_mm[0] = std::nextafter(0.0, 1.0); },
      [](BoardVerdict& v) { v.snapshots.resize(1); },
      [](BoardVerdict& v) { v.boards.resize(1); },
  };
  std::set<std::string> keys{key_of(asked)};
  for (const auto& change : changes) {
    BoardVerdict other = asked;
    change(other);
    keys.insert(key_of(other));
  }
  EXPECT_EQ(keys.size(), changes.size() + 1);
}

TEST(BatchUnit, KeepsPosesSnapshotsHolesAndSerialsOfAResult) {
  BoardVerdict stored = stored_board(1, Decision::pass, 500);
  stored.surface.emplace().snapshots.resize(2);
  stored.surface->snapshots[1].frame_id = "f1b";
  stored.surface->snapshots[1].pose.q_mm = {1, 2, 3};
  stored.surface->snapshots[1].pixels = 40'000;
  stored.boards.resize(1);
  stored.boards[0].name = "1-1";
  stored.boards[0].unit_id = "SN-7";
  stored.boards[0].decision = Decision::pass;
  stored.components[0].hole.emplace().radius_mm = 2.5;
  const BoardVerdict asked = inputs_of_result(stored);
  EXPECT_EQ(asked.surface->snapshots[1].pose.q_mm, stored.surface->snapshots[1].pose.q_mm);
  EXPECT_EQ(asked.surface->snapshots[1].pixels, 0u) << "what was measured is no input";
  EXPECT_EQ(asked.boards.at(0).unit_id, "SN-7");
  EXPECT_FALSE(asked.boards.at(0).decision);
  ASSERT_EQ(asked.components.size(), 1u);
  EXPECT_EQ(asked.components[0].hole->radius_mm, 2.5);
  EXPECT_TRUE(asked.components[0].checks.empty());
  EXPECT_EQ(frames_text(asked), "frames , f1b");
}

TEST(BatchUnit, ComparesWhatTwoMachinesMeasure) {
  BoardVerdict here = stored_board(1, Decision::pass, 500), there = here;
  there.backend = "cuda NVIDIA H200 sm_90";
  there.frame_source = "/elsewhere/f1.ptr";
  there.controller.emplace();
  there.sequence = 9;
  there.store_id = "other";
  EXPECT_EQ(to_json(comparable(here)), to_json(comparable(there)));
  there.components[0].checks[0].value = std::nextafter(500.0, 501.0);
  EXPECT_NE(to_json(comparable(here)), to_json(comparable(there)));
}

TEST(BatchUnit, WhatWasBeforeReadsBackOrIsRefused) {
  BoardVerdict stored = stored_board(3, Decision::fail, 612.5);
  stored.components.push_back(testing::measured_component("B2", Decision::invalid, std::nan("")));
  const BoardVerdict before = before_from_json(before_to_json(stored));
  EXPECT_EQ(before.sequence, 3u);
  EXPECT_EQ(before.decision, Decision::fail);
  EXPECT_EQ(before.components.at(0).checks.at(0).value, 612.5);
  EXPECT_EQ(before.components.at(0).checks.at(0).u, 1.25);
  EXPECT_TRUE(std::isnan(before.components.at(1).checks.at(0).value));
  EXPECT_THROW(before_from_json("{"), std::runtime_error);
  EXPECT_THROW(before_from_json("[]"), std::runtime_error);
  std::string other = before_to_json(stored);
  other.replace(other.find("FAIL"), 4, "GOOD");
  EXPECT_THROW(before_from_json(other), std::runtime_error);
}

}  // namespace
}  // namespace datum::batch_unit_test

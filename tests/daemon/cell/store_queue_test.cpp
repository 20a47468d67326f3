// Boards on their way to the disk: their order, and what a result that can't be stored does to those behind it.
#include "daemon/cell/store_queue.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/daemon/scpi/fixture.h"

namespace datum::store_queue_test {
namespace {

struct Rig {
  testing::FreshFolder folder;
  ResultStore store{folder / "results.db"};
  StoreQueue queue;

  std::shared_ptr<BoardOrder> push(const std::string& unit) {
    auto board = std::make_shared<BoardOrder>();
    board->verdict = testing::board();
    board->verdict.unit_id = unit;
    queue.push(board);
    return board;
  }
  std::string stored_units() {
    std::string units;
    for (const auto& r : store.list({}, 100, ResultOrder::oldest_first)) units += r.unit_id + " ";
    return units;
  }
};

TEST(StoreQueue, WhatWaitsTogetherIsStoredInItsOrder) {
  Rig rig;
  const auto a = rig.push("A"), b = rig.push("B"), c = rig.push("C");
  rig.queue.commit(rig.store);
  EXPECT_EQ(rig.stored_units(), "A B C ");
  EXPECT_EQ(rig.queue.take_finished(), (std::vector{a, b, c}));
  EXPECT_TRUE(rig.queue.take_finished().empty()) << "each once";
  EXPECT_EQ(c->verdict.sequence, 3u);
  EXPECT_GT(c->times.stored_ns, 0);
}

TEST(StoreQueue, AnAbortedBoardIsNotStored) {
  Rig rig;
  rig.push("A");
  const auto b = rig.push("B");
  b->aborted = true;
  rig.push("C");
  rig.queue.commit(rig.store);
  EXPECT_EQ(rig.stored_units(), "A C ");
  EXPECT_FALSE(b->stored);
  EXPECT_EQ(b->store_error, "");
}

TEST(StoreQueue, NoneBehindAFaultIsStoredUntilItResumes) {
  Rig rig;
  rig.push("A");
  const auto b = rig.push("B"), c = rig.push("C");
  b->store_error = "no memory to measure it";
  rig.queue.commit(rig.store);
  const auto d = rig.push("D");
  rig.queue.commit(rig.store);
  EXPECT_EQ(rig.stored_units(), "A ");
  EXPECT_EQ(b->store_error, "no memory to measure it");
  for (const auto& board : {c, d}) {
    EXPECT_FALSE(board->stored);
    EXPECT_NE(board->store_error, "");
  }
  EXPECT_EQ(rig.queue.take_finished().size(), 4u);
  rig.queue.resume();
  rig.push("B");
  rig.queue.commit(rig.store);
  EXPECT_EQ(rig.stored_units(), "A B ");
}

TEST(StoreQueue, AFaultOfTheStoreHaltsIt) {
  Rig rig;
  const auto a = rig.push("A");
  std::filesystem::rename(rig.folder / "results.db", rig.folder / "elsewhere.db");
  rig.queue.commit(rig.store);
  EXPECT_FALSE(a->stored);
  EXPECT_EQ(a->store_error_kind, StoreError::Kind::io);
  EXPECT_EQ(a->verdict.sequence, 0u);
  std::filesystem::rename(rig.folder / "elsewhere.db", rig.folder / "results.db");
  const auto b = rig.push("B");
  rig.queue.commit(rig.store);
  EXPECT_FALSE(b->stored) << "the store works again, and A comes first";
}

}  // namespace
}  // namespace datum::store_queue_test

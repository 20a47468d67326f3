// The index beside the store: its sums, and that it follows whatever happens to the store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/daemon/view/viewed_store.h"

namespace datum {
namespace result_index_test {
namespace {

using ::testing::ElementsAre;
using testing::ViewedStore;

constexpr auto P = Decision::pass, F = Decision::fail, N = Decision::invalid;

std::vector<std::uint64_t> numbers(const std::vector<IndexedBoard>& boards) {
  std::vector<std::uint64_t> all;
  for (const IndexedBoard& b : boards) all.push_back(b.sequence);
  return all;
}

}  // namespace

TEST(ResultIndex, SumsAreThoseOfTheDay) {
  const ViewedStore s;
  s.keep({ViewedStore::one("A", P, 1150, "2026-01-01T00:00:00.000000Z"),
          ViewedStore::one("B", F, 1190.5, "2026-01-01T23:59:59.999999Z"),
          ViewedStore::one("C", N, 7, "2026-01-01T12:00:00.000000Z"),
          ViewedStore::one("D", N, 7, "2026-01-02T12:00:00.000000Z"),
          ViewedStore::one("E", P, 1160, "2026-01-03T12:00:00.000000Z"),
          ViewedStore::one("E", P, 99, "2026-01-03T12:00:00.000000Z", "other")});
  s.follow();
  ResultIndex index(s.index, ResultIndex::Access::reading);
  const auto days = index.days({"mainboard", "U1", "median"}, "", 366);
  ASSERT_EQ(days.size(), 3u);
  EXPECT_EQ(days[0].day, "2026-01-01");
  EXPECT_EQ(days[0].n, 2u);  // INVALID has no value
  EXPECT_EQ(days[0].mean, 1170.25);
  EXPECT_EQ(days[0].least, 1150);
  EXPECT_EQ(days[0].most, 1190.5);
  EXPECT_THAT(days[0].decisions, ElementsAre(1u, 0u, 1u, 1u));
  EXPECT_EQ(days[1].n, 0u);
  EXPECT_THAT(days[1].decisions, ElementsAre(0u, 0u, 0u, 1u));
  EXPECT_EQ(days[2].mean, 1160);
  EXPECT_EQ(index.days({"mainboard", "U1", "median"}, "", 1)[0].day, "2026-01-03");
  EXPECT_THAT(index.recipes(9), ElementsAre("mainboard", "other"));
  EXPECT_THAT(index.choice("mainboard", "", "", 9), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(index.choice("", "2026-01-01T12", "2026-01-02U", 9), ElementsAre(2, 3, 4));
  EXPECT_THAT(index.choice("", "", "", 2), ElementsAre(5, 6));
  ASSERT_EQ(index.calibrations(9).size(), 1u);
  EXPECT_EQ(index.calibrations(9)[0].results, 6u);
}

TEST(ResultIndex, FindsAUnitsAttemptsAndThoseThatBeginSo) {
  const ViewedStore s;
  const std::string at = "2026-01-01T00:00:00.000000Z";
  s.keep({ViewedStore::one("SN1", F, 1, at), ViewedStore::one("SN10", P, 1, at),
          ViewedStore::one("SN1", P, 1, at), ViewedStore::one("XSN1", P, 1, at),
          ViewedStore::one("", P, 1, at), ViewedStore::one("%", P, 1, at)});
  s.follow();
  ResultIndex index(s.index, ResultIndex::Access::reading);
  EXPECT_THAT(numbers(index.by_unit("SN1", 9)), ElementsAre(3, 1, 2));
  EXPECT_THAT(numbers(index.by_unit("SN1", 2)), ElementsAre(3, 1));
  EXPECT_THAT(numbers(index.by_unit("%", 9)), ElementsAre(6));  // no pattern
  EXPECT_THAT(numbers(index.by_unit("' OR 1=1 --", 9)), ElementsAre());
}

TEST(ResultIndex, AnotherStoreBeginsItAnew) {
  const ViewedStore s;
  s.keep({ViewedStore::one("A", P, 1, "2026-01-01T00:00:00Z"),
          ViewedStore::one("B", P, 1, "2026-01-01T00:00:00Z")});
  s.follow();
  for (const char* ending : {"", "-wal", "-shm", ".mark", ".lock"})
    std::filesystem::remove(s.store.string() + ending);
  s.keep({ViewedStore::one("C", P, 1, "2026-01-01T00:00:00Z")});
  s.follow();
  ResultIndex index(s.index, ResultIndex::Access::reading);
  EXPECT_THAT(index.choice("", "", "", 9), ElementsAre(1));
  EXPECT_TRUE(index.by_unit("A", 9).empty());
  EXPECT_EQ(index.days({"mainboard", "U1", "median"}, "", 9)[0].n, 1u);
}

TEST(ResultIndex, WhatRetentionRemovedGoes) {
  const ViewedStore s;
  s.keep({ViewedStore::one("A", P, 1, "2026-01-01T00:00:00Z"),
          ViewedStore::one("B", P, 1, "2026-01-02T00:00:00Z"),
          ViewedStore::one("C", P, 1, "2026-01-03T00:00:00Z")});
  s.follow();
  {
    ResultStore writer(s.store);
    RemovalOrder order;
    order.up_to = 2;
    order.rule = "test";
    order.utc = "2026-02-01T00:00:00Z";
    writer.remove_oldest(order);
  }
  s.follow();
  ResultIndex index(s.index, ResultIndex::Access::reading);
  EXPECT_THAT(index.choice("", "", "", 9), ElementsAre(3));
  const auto days = index.days({"mainboard", "U1", "median"}, "", 9);
  ASSERT_EQ(days.size(), 1u);
  EXPECT_EQ(days[0].day, "2026-01-03");
}

TEST(ResultIndex, ADamagedOneIsMadeAnew) {
  const ViewedStore s;
  s.keep({ViewedStore::one("A", P, 1, "2026-01-01T00:00:00Z")});
  std::ofstream(s.index) << "this is no index, but it is long enough to be taken for a file of some kind";
  s.follow();
  EXPECT_THAT(ResultIndex(s.index, ResultIndex::Access::reading).choice("", "", "", 9), ElementsAre(1));
}

TEST(ResultIndex, ADamagedResultHoldsNothingUp) {
  const ViewedStore s;
  s.keep({ViewedStore::one("A", P, 1, "2026-01-01T00:00:00Z"),
          ViewedStore::one("B", P, 2, "2026-01-01T00:00:00Z")});
  sqlite::execute(sqlite::open(s.store, SQLITE_OPEN_READWRITE).get(), s.store,
                  "UPDATE result SET json = '{' WHERE sequence = 1");
  s.follow();
  ResultIndex index(s.index, ResultIndex::Access::reading);
  EXPECT_THAT(index.choice("", "", "", 9), ElementsAre(1, 2));
  EXPECT_EQ(index.days({"mainboard", "U1", "median"}, "", 9)[0].n, 1u);
}

}  // namespace result_index_test
}  // namespace datum

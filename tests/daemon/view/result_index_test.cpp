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

TEST(ResultIndex, AReadingOfAnArtefactIsNoProduct) {
  const ViewedStore s;
  const std::string at = "2026-01-01T00:00:00.000000Z";
  BoardVerdict golden = ViewedStore::one("GB-7", P, 1190, at);
  golden.reference = ReferenceEvidence{"shift", {}};
  s.keep({ViewedStore::one("A", P, 1150, at), golden});
  s.follow();
  ResultIndex index(s.index, ResultIndex::Access::reading);
  EXPECT_THAT(index.choice("", "", "", 1), ElementsAre(1));
  const auto days = index.days({"mainboard", "U1", "median"}, "", 9);
  ASSERT_EQ(days.size(), 1u);
  EXPECT_EQ(days[0].n, 1u);
  EXPECT_EQ(days[0].most, 1150);
  EXPECT_THAT(numbers(index.by_unit("GB-7", 9)), ElementsAre(2));
}

TEST(ResultIndex, ABoardOfAPanelIsFoundByItsNumberAndKeptInTheLot) {
  const ViewedStore s;
  const std::string at = "2026-01-01T00:00:00.000000Z";
  BoardVerdict panel = ViewedStore::one("PANEL", F, 1150, at);
  panel.serial = SerialEvidence{"host", "", 3};
  panel.serial->repair = "U1";
  panel.boards = {{"1-1", "SN7", P, Reason::none, "", {}, std::nullopt, 2},
                  {"2-1", "SN71", std::nullopt, Reason::skipped, "marked", {}, std::nullopt},
                  {"3-1", "", F, Reason::none, "", {}, std::nullopt}};
  s.keep({ViewedStore::one("SN7", F, 1, at), panel, ViewedStore::one("SN72", P, 1, at)});
  s.follow();
  ResultIndex index(s.index, ResultIndex::Access::reading);
  EXPECT_THAT(numbers(index.by_unit("SN7", 9)), ElementsAre(1, 3, 2));
  EXPECT_THAT(numbers(index.by_unit("SN71", 9)), ElementsAre(2));
  EXPECT_THAT(numbers(index.by_unit("PANEL", 9)), ElementsAre(2));
  Lot lot;
  index.add_to(lot, {2}, std::chrono::steady_clock::now() + testing::no_hurry);
  ASSERT_EQ(lot.boards().size(), 1u);
  const LotBoard& b = lot.boards()[0];
  EXPECT_TRUE(b.repaired);
  ASSERT_EQ(b.panel.size(), 3u);
  EXPECT_EQ(b.panel[1].name + b.panel[1].unit_id + b.panel[1].word + b.panel[1].why, "2-1SN71SKIPPEDmarked");
  EXPECT_EQ(b.panel[2].word, "FAIL");
  EXPECT_EQ(b.panel[0].attempt, 1u) << "by the store, whatever a verdict says";
  EXPECT_EQ(b.panel[1].attempt, 0u) << "not stored";
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

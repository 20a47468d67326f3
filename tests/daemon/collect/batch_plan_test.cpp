// What a batch changes: each entry once in any order, and what is set aside.
#include "daemon/collect/batch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/daemon/collect/virtual_chain.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::VirtualChain;

constexpr std::int64_t now_us = 1'795'300'000'000'000;

/// A database in memory.
struct PlantInMemory {
  BatchRows take(const std::vector<std::string>& messages) {
    std::vector<Delivered> batch;
    for (const std::string& message : messages) batch.push_back(delivered(message, 1 << 20, now_us));
    std::vector<const Delivered*> part;
    for (const Delivered& message : batch) part.push_back(&message);
    const Wanted wanted = wanted_of(part, catalogue);
    KnownBefore known;
    for (const StoreLink& at : wanted.entries)
      if (const auto found = entries.find(at); found != entries.end()) known.entries.insert(*found);
    for (const UnitKey& unit : wanted.units)
      if (units.contains(unit)) known.units.insert(unit);
    BatchPlan plan(catalogue, known, refused);
    for (const Delivered& message : batch) plan.take(message);
    const BatchRows rows = plan.rows();
    keep(rows);
    return rows;
  }
  void keep(const BatchRows& rows) {
    for (const auto& row : rows.entries) {
      EXPECT_FALSE(entries.contains(row.at)) << "a primary key twice";
      entries[row.at] = {row.sha256, row.before.empty() ? std::nullopt : std::optional(row.before),
                         std::nullopt};
    }
    for (const auto& [at, body] : rows.unproven) entries[at].unproven_body = body;
    for (const StoreLink& at : rows.proven) entries[at].unproven_body.reset();
    for (const auto& [unit, attempts] : rows.units) units.insert(unit);
    for (const auto& [key, sums] : rows.sums) {
      auto& sum = all_sums[key];
      sum.values.merge(sums.values);
      sum.invalid += sums.invalid;
    }
    results += rows.results;
  }
  std::vector<std::string> kinds(const BatchRows& rows) const {
    std::vector<std::string> kinds;
    for (const Alarm& alarm : rows.alarms) kinds.push_back(alarm.kind);
    return kinds;
  }
  CatalogueStore& store(const std::string& id) { return *catalogue.find_store(1, id); }

  Catalogue catalogue;
  std::set<std::string> refused;
  std::map<StoreLink, KnownEntry> entries;
  std::set<UnitKey> units;
  SumsOfBatch all_sums;
  std::uint64_t results = 0;
};

BoardVerdict board(int n) {
  BoardVerdict v = testing::board(n);
  v.decision = Decision::pass;
  v.reason = Reason::none;
  v.components.resize(1);
  v.components[0].checks[0].value = 1160 + 0.001 * n;
  v.unit_id = "SN-" + std::to_string(n);
  v.measured_at = fmt::format("2026-11-21T07:{:02}:00Z", n % 60);
  return v;
}

std::vector<std::string> boards(VirtualChain& chain, int n) {
  std::vector<std::string> messages{chain.statement(R"({"what":"made","utc":"2026-11-21T07:00:00Z"})")};
  for (int i = 1; i < n; ++i) messages.push_back(chain.board(board(i)));
  return messages;
}

TEST(BatchPlan, AnyOrderAnyBatchesAndRepetitionsGiveTheSameSums) {
  VirtualChain chain("V.M.1");
  const auto messages = boards(chain, 24);
  PlantInMemory once;
  const BatchRows rows = once.take(messages);
  EXPECT_EQ(rows.results, 23u);
  EXPECT_THAT(rows.alarms, IsEmpty());
  std::mt19937 random(3);
  for (int run = 0; run < 40; ++run) {
    auto shuffled = messages;
    shuffled.insert(shuffled.end(), messages.begin(), messages.begin() + 9);
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    PlantInMemory plant;
    for (std::size_t at = 0; at < shuffled.size();) {
      const std::size_t n = std::min<std::size_t>(1 + random() % 7, shuffled.size() - at);
      const BatchRows part = plant.take({shuffled.begin() + static_cast<std::ptrdiff_t>(at),
                                         shuffled.begin() + static_cast<std::ptrdiff_t>(at + n)});
      ASSERT_THAT(part.alarms, IsEmpty()) << part.alarms[0].kind << part.alarms[0].detail;
      at += n;
    }
    ASSERT_EQ(plant.results, 23u);
    ASSERT_EQ(plant.store("store-a").chain.newest(), 24u);
    ASSERT_THAT(plant.store("store-a").chain.gaps(), IsEmpty());
    ASSERT_EQ(plant.catalogue.cell_of(1).link, 24u) << "the newest result, whatever came last";
    ASSERT_EQ(plant.all_sums.size(), 1u);
    const auto &sum = plant.all_sums.begin()->second.values, &first = once.all_sums.begin()->second.values;
    ASSERT_TRUE(sum.n == first.n && sum.sum == first.sum && sum.squares_low == first.squares_low);
  }
}

TEST(BatchPlan, AGapIsSeenAndFilled) {
  VirtualChain chain("V.M.1");
  const auto m = boards(chain, 6);
  PlantInMemory plant;
  plant.take({m[0], m[1], m[4]});
  EXPECT_THAT(plant.store("store-a").chain.gaps(), ElementsAre(LinkRange{3, 4}));
  EXPECT_EQ(plant.store("store-a").head, 5u) << "as the cell said";
  EXPECT_THAT(plant.take({m[2], m[3]}).alarms, IsEmpty());
  EXPECT_THAT(plant.store("store-a").chain.gaps(), IsEmpty());
  EXPECT_THAT(plant.take({m[5]}).alarms, IsEmpty());
}

TEST(BatchPlan, AnotherEntryOfANumberIsSetAsideAndWhatFollowsIt) {
  VirtualChain chain("V.M.1"), twin("V.M.1");
  const auto m = boards(chain, 4);
  PlantInMemory plant;
  plant.take(m);
  twin.statement(R"({"what":"made","utc":"2026-11-21T07:00:00Z"})");
  twin.board(board(1));
  const std::string other = twin.board(board(50)), next = twin.board(board(51)),
                    beyond = twin.board(board(52));
  const BatchRows rows = plant.take({other, next, beyond});
  EXPECT_THAT(plant.kinds(rows), ElementsAre("CONFLICT", "CONFLICT", "FOLLOWS"));
  EXPECT_EQ(rows.results, 0u);
  EXPECT_EQ(rows.alarms[0].raw, other);
  EXPECT_THAT(plant.take({chain.board(board(9))}).alarms, IsEmpty()) << "the first history goes on";
}

TEST(BatchPlan, BytesThatWereAlteredAreSetAside) {
  VirtualChain chain("V.M.1");
  const auto m = boards(chain, 4);
  std::string altered = m[2];
  altered.replace(altered.find("SN-2"), 4, "SN-9");
  PlantInMemory plant;
  EXPECT_THAT(plant.kinds(plant.take({m[0], m[1], altered})), ElementsAre("ALTERED"));
  EXPECT_THAT(plant.take({m[2], m[3]}).alarms, IsEmpty())
      << "the entry itself, and the next, which the altered one must not shut out";
  EXPECT_THAT(plant.kinds(plant.take({altered})), ElementsAre("ALTERED")) << "of a number that is here";
}

TEST(BatchPlan, AnEntryThatDoesNotFollowIsSetAside) {
  VirtualChain chain("V.M.1"), rewritten("V.M.1");
  PlantInMemory plant;
  plant.take(boards(chain, 3));
  rewritten.statement(R"({"what":"made","utc":"x"})");
  rewritten.board(board(7));
  rewritten.board(board(8));
  const std::string next = rewritten.board(board(9));
  EXPECT_THAT(plant.kinds(plant.take({next})), ElementsAre("BROKEN"));
}

TEST(BatchPlan, AStoreThatWasReplacedIsNamedAndItsFormerOneToo) {
  VirtualChain former("V.M.1", "store-a"), later("V.M.1", "store-b");
  PlantInMemory plant;
  auto m = boards(former, 4);
  const std::string late = former.board([] {
    BoardVerdict v = board(9);
    v.measured_at = "2026-11-25T00:00:00Z";
    return v;
  }());
  plant.take(m);
  const std::string made = later.statement(R"({"what":"made","utc":"2026-11-24T00:00:00Z"})");
  EXPECT_THAT(plant.kinds(plant.take({made})), ElementsAre("REPLACED"));
  const BatchRows rows = plant.take({late});
  EXPECT_THAT(plant.kinds(rows), ElementsAre("TWO_STORES"));
  EXPECT_EQ(rows.results, 1u) << "it is a result all the same";
}

TEST(BatchPlan, AStoreThatWasSetBackKeepsWhatThePlantHas) {
  VirtualChain chain("V.M.1", "store-a");
  auto m = boards(chain, 4);
  VirtualChain copy = chain;
  m.push_back(chain.board(board(10)));
  m.push_back(chain.board(board(11)));
  PlantInMemory plant;
  plant.take(m);
  const std::string renewed = copy.renew("store-b"), next = copy.board(board(12));
  const BatchRows rows = plant.take({renewed, next});
  EXPECT_THAT(plant.kinds(rows), ElementsAre("SET_BACK"));
  EXPECT_THAT(rows.alarms[0].detail, HasSubstr("entries 5 to 6"));
  EXPECT_EQ(rows.results, 1u);
  EXPECT_EQ(plant.store("store-b").first, 5u);
  EXPECT_THAT(plant.store("store-b").chain.gaps(), IsEmpty());
  EXPECT_EQ(plant.catalogue.cell_of(1).store, plant.store("store-b").store);
}

TEST(BatchPlan, ARenewalThatComesLateTellsWhereTheChainBegins) {
  VirtualChain chain("V.M.1", "store-a");
  const auto m = boards(chain, 4);
  const std::string renewed = chain.renew("store-b"), next = chain.board(board(12));
  PlantInMemory plant;
  plant.take({m[0], next});
  EXPECT_THAT(plant.store("store-b").chain.gaps(), ElementsAre(LinkRange{1, 5}));
  plant.take({renewed});
  EXPECT_THAT(plant.store("store-b").chain.gaps(), IsEmpty());
  EXPECT_THAT(plant.store("store-a").chain.gaps(), ElementsAre(LinkRange{2, 4}))
      << "the former one reached to 4";
  EXPECT_THAT(plant.take({m[1], m[2], m[3]}).alarms, IsEmpty());
  EXPECT_THAT(plant.store("store-a").chain.gaps(), IsEmpty());
}

TEST(BatchPlan, RetentionsGapIsAnnouncedAndItsStatementProvesTheNextEntry) {
  VirtualChain chain("V.M.1");
  boards(chain, 4);
  const std::string removed_sha256 = chain.head_sha256();
  nlohmann::ordered_json first = nlohmann::ordered_json::parse(chain.board(board(9)));
  first["before"] = "";  // as after a gap
  Removal removal;
  removal.last_link = 4;
  removal.last_sha256 = removed_sha256;
  const std::string statement = chain.statement(to_statement(removal));
  PlantInMemory plant;
  plant.take({R"({"cell":"V.M.1","store_id":"store-a","gap":{"first":1,"last":4}})"});
  EXPECT_EQ(plant.store("store-a").removed_to, 4u);
  BatchRows rows = plant.take({first.dump()});
  EXPECT_EQ(rows.unproven.size(), 1u);
  rows = plant.take({statement});
  EXPECT_THAT(rows.alarms, IsEmpty());
  EXPECT_THAT(rows.proven, ElementsAre(StoreLink{1, 5}));
  EXPECT_THAT(plant.store("store-a").chain.gaps(), ElementsAre(LinkRange{1, 4}));
}

TEST(BatchPlan, AUnitThatComesAgainIsARepeat) {
  VirtualChain chain("V.M.1");
  PlantInMemory plant;
  BoardVerdict again = board(1);
  again.measured_at = "2026-11-21T08:00:00Z";
  BoardVerdict nameless = board(2);
  nameless.unit_id.clear();
  plant.take({chain.board(board(1))});
  const BatchRows rows = plant.take({chain.board(again), chain.board(nameless), chain.board(nameless)});
  ASSERT_EQ(rows.boards.size(), 3u);
  EXPECT_EQ(rows.boards[0].series, 1);
  EXPECT_EQ(rows.boards[1].series, 3);
  EXPECT_EQ(rows.units.size(), 1u) << "boards without a number are no unit that comes again";
}

TEST(BatchPlan, AnArtefactIsInNoSum) {
  VirtualChain chain("V.M.1");
  BoardVerdict v = board(1);
  v.reference.emplace();
  v.reference->artefact = "step";
  PlantInMemory plant;
  const BatchRows rows = plant.take({chain.board(v)});
  EXPECT_EQ(rows.boards.at(0).series, 2);
  EXPECT_TRUE(rows.sums.empty());
  EXPECT_TRUE(rows.units.empty());
}

TEST(BatchPlan, WhatIsNoEntryIsNamed) {
  PlantInMemory plant;
  const BatchRows rows = plant.take({"hello\xff", std::string(2 << 20, 'x')});
  EXPECT_THAT(plant.kinds(rows), ElementsAre("POISON", "POISON"));
  EXPECT_EQ(rows.alarms[1].bytes, 2u << 20);
  EXPECT_EQ(rows.alarms[1].raw.size(), 64u << 10);
}

TEST(UnitAttempts, TheFirstThatIsNotInvalidAndTheLastDecide) {
  UnitAttempts a;
  a.add(30, 0);
  a.add(10, 3);
  a.add(20, 2);
  EXPECT_EQ(a.entered_us, 10);
  EXPECT_EQ(a.first_us, 20);
  EXPECT_EQ(a.first_decision, 2);
  EXPECT_EQ(a.last_decision, 0);
  EXPECT_EQ(a.attempts, 3);
  EXPECT_EQ(a.invalid, 1);
}

}  // namespace
}  // namespace datum

// Gaps of a chain whose entries come in any order, and the proof of an entry beside its neighbours.
#include "daemon/collect/chain_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "daemon/store/result_chain.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ChainState, AnyOrderLeavesTheSameGaps) {
  std::mt19937 random(7);
  for (int run = 0; run < 200; ++run) {
    std::vector<std::uint64_t> links(30);
    std::iota(links.begin(), links.end(), 1);
    std::shuffle(links.begin(), links.end(), random);
    ChainState state;
    std::set<std::uint64_t> here;
    for (const std::uint64_t link : links) {
      state.add(link);
      here.insert(link);
      ASSERT_EQ(state.newest(), *here.rbegin());
      std::uint64_t missing = 0;
      for (std::uint64_t at = 1; at <= 31; ++at) {
        ASSERT_EQ(state.has(at), here.contains(at)) << at;
        missing += at <= *here.rbegin() && !here.contains(at);
      }
      ASSERT_EQ(state.missing(), missing);
      for (std::size_t i = 1; i < state.gaps().size(); ++i)
        ASSERT_GT(state.gaps()[i].first, state.gaps()[i - 1].last + 1) << "sorted, and apart";
    }
    ASSERT_THAT(state.gaps(), IsEmpty());
  }
}

TEST(ChainState, AnEntryTwiceChangesNothing) {
  ChainState state;
  for (const std::uint64_t link : {3, 3, 1, 1, 3}) state.add(link);
  EXPECT_THAT(state.gaps(), ElementsAre(LinkRange{2, 2}));
}

TEST(ChainState, EntriesThatAreKnownToExistAreMissingUntilTheyCome) {
  ChainState state;
  state.add(1);
  state.expect(4);
  state.expect(2);
  EXPECT_EQ(state.newest(), 4u);
  state.expect(6);
  EXPECT_THAT(state.gaps(), ElementsAre(LinkRange{2, 6})) << "one gap, not two";
  state.add(7);
  state.add(4);
  EXPECT_THAT(state.gaps(), ElementsAre(LinkRange{2, 3}, LinkRange{5, 6}));
}

TEST(ChainState, AChainThatGoesOnFromAnotherIdLacksNothingBefore) {
  ChainState late;
  late.add(12);
  late.begin_at(10);
  EXPECT_THAT(late.gaps(), ElementsAre(LinkRange{10, 11}));
  ChainState fresh;
  fresh.begin_at(10);
  fresh.add(10);
  EXPECT_THAT(fresh.gaps(), IsEmpty());
}

struct Proofs : ::testing::Test {
  PlantEntry entry(std::uint64_t link, const std::string& before, const std::string& body) {
    PlantEntry e;
    e.link = link;
    e.before = before;
    e.body = body;
    e.sha256 = entry_hash(before, body);
    return e;
  }
  using Kind = Proof::Kind;
  const std::string begin{chain_begin};
  const PlantEntry first = entry(1, begin, "a"), second = entry(2, first.sha256, "b"),
                   third = entry(3, second.sha256, "c");
};

TEST_F(Proofs, AnEntryThatFollowsIsProven) {
  EXPECT_EQ(prove(first, {}).kind, Kind::proven);
  EXPECT_EQ(prove(second, {first.sha256}).kind, Kind::proven);
  EXPECT_EQ(prove(third, {}).kind, Kind::proven) << "its hash covers what it says of the one before";
  EXPECT_EQ(prove(second, {first.sha256, third.before}).kind, Kind::proven);
}

TEST_F(Proofs, OtherBytesAreAltered) {
  PlantEntry changed = entry(2, first.sha256, "b");
  changed.body = "B";
  EXPECT_EQ(prove(changed, {first.sha256}).kind, Kind::altered);
  EXPECT_EQ(prove(changed, {}).kind, Kind::altered);
}

TEST_F(Proofs, AnotherHistoryIsBroken) {
  const PlantEntry other = entry(2, entry_hash(begin, "x"), "b");
  const Proof proof = prove(other, {first.sha256});
  EXPECT_EQ(proof.kind, Kind::broken);
  EXPECT_THAT(proof.why, HasSubstr(first.sha256.substr(0, 12)));
  EXPECT_EQ(prove(entry(1, entry_hash(begin, "x"), "a"), {}).kind, Kind::broken)
      << "nothing is before the first";
  EXPECT_EQ(prove(other, {std::nullopt, third.before}).kind, Kind::broken) << "the later one follows another";
}

TEST_F(Proofs, WithoutTheHashBeforeNothingIsProvenYet) {
  PlantEntry unknown = entry(2, first.sha256, "b");
  unknown.before.clear();
  EXPECT_EQ(prove(unknown, {}).kind, Kind::unproven);
  EXPECT_EQ(prove(unknown, {first.sha256}).kind, Kind::proven);
  EXPECT_EQ(prove(unknown, {entry_hash(begin, "x")}).kind, Kind::broken);
}

TEST_F(Proofs, TheEntryBeforeProvesOneThatWaited) {
  Neighbours beside;
  beside.after_body = "b";
  beside.after_sha256 = second.sha256;
  EXPECT_EQ(prove(first, beside).kind, Kind::proven);
  beside.after_body = "B";
  EXPECT_EQ(prove(first, beside).kind, Kind::broken);
}

}  // namespace
}  // namespace datum

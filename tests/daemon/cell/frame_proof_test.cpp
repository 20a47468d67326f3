// Whose board a frame shows: what proves it, and what is outstanding.
#include "daemon/cell/frame_proof.h"

#include <gtest/gtest.h>

#include "daemon/cell/cell_mark.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

constexpr MonotonicNs second = 1'000'000'000;

TEST(FrameProof, ByOrderOnlyWhereNothingIsOutstanding) {
  EXPECT_EQ(proof_of({}, {10 * second, 9 * second, "SN-2", true, 0}), Proof::order);
  EXPECT_EQ(proof_of({}, {10 * second, 9 * second, "SN-2", true, 1}), Proof::none);
}

TEST(FrameProof, ByAClockThatPutsTheExposureAfterTheBoardBefore) {
  const auto of = [](HostSpan exposed, std::size_t outstanding) {
    return proof_of({exposed, ""}, {10 * second, 9 * second, "", false, outstanding});
  };
  EXPECT_EQ(of({10 * second, 11 * second}, 3), Proof::clock);
  EXPECT_EQ(of({9 * second, 10 * second}, 1), Proof::clock) << "the board stood there when it was triggered";
  EXPECT_EQ(of({9 * second - 1, 10 * second}, 1), Proof::none) << "it may show the board before";
  EXPECT_EQ(of({9 * second - 1, 10 * second}, 0), Proof::order);
  EXPECT_EQ(of({9 * second, 10 * second - 1}, 0), Proof::another) << "however it came";
}

TEST(FrameProof, ByTheUnitThatItNames) {
  const auto of = [](const char* named, const char* told, bool unit_is_exposure, std::size_t outstanding) {
    return proof_of({std::nullopt, named}, {10 * second, 9 * second, told, unit_is_exposure, outstanding});
  };
  EXPECT_EQ(of("SN-2", "SN-2", true, 1), Proof::unit);
  EXPECT_EQ(of("SN-2", "SN-2", false, 1), Proof::none) << "the machine may have stood elsewhere";
  EXPECT_EQ(of("SN-1", "SN-2", true, 0), Proof::another) << "whatever is outstanding";
  EXPECT_EQ(of("SN-1", "", true, 0), Proof::order) << "nobody told the board's";
  EXPECT_EQ(of("", "SN-2", true, 1), Proof::none);
  EXPECT_EQ(
      proof_of({HostSpan{12 * second, 13 * second}, "SN-1"}, {10 * second, 9 * second, "SN-2", true, 0}),
      Proof::another)
      << "a clock does not make it this unit's";
}

TEST(OutstandingExposures, ATriggerWithoutItsFrameStaysOutstanding) {
  OutstandingExposures e(50 * second);
  e.triggered(1 * second, std::nullopt);
  e.asked(1 * second);
  EXPECT_FALSE(e.none());
  e.answered();
  e.ended();
  EXPECT_TRUE(e.none());
  e.triggered(2 * second, std::nullopt);
  e.asked(2 * second);
  e.ended();
  EXPECT_EQ(e.count(), 1u);
  EXPECT_EQ(e.oldest_ns(), 2 * second);
}

// A times out; B's sensor exposes; two frames come: the second is B's.
TEST(OutstandingExposures, AsManyFramesAsTriggersSettleIt) {
  OutstandingExposures e(50 * second);
  for (const MonotonicNs at : {1 * second, 2 * second}) {
    e.triggered(at, std::nullopt);
    e.asked(at);
    e.ended();
  }
  e.triggered(3 * second, std::nullopt);
  e.asked(3 * second);
  EXPECT_EQ(e.count(), 2u);
  e.came(1);
  EXPECT_EQ(e.oldest_ns(), 2 * second);
  e.came(1);
  EXPECT_EQ(e.count(), 0u);
  e.came(5);  // strays
  EXPECT_FALSE(e.none()) << "its own is awaited";
  e.answered();
  EXPECT_TRUE(e.none());
}

TEST(OutstandingExposures, WhatCannotComeAnyMoreIsForgotten) {
  OutstandingExposures e(50 * second);
  e.add(1 * second);
  e.triggered(51 * second, std::nullopt);
  EXPECT_EQ(e.count(), 1u) << "not a moment earlier";
  e.triggered(51 * second + 1, std::nullopt);
  EXPECT_EQ(e.count(), 0u);
  e.add(60 * second);
  e.triggered(61 * second, 60 * second);
  EXPECT_EQ(e.count(), 1u) << "asked for over this connection";
  e.triggered(62 * second, 60 * second + 1);
  EXPECT_EQ(e.count(), 0u) << "over the one before";
}

// A trigger that is given while another waits ends that one.
TEST(OutstandingExposures, TwoTriggersWithoutAnEndBetweenThemAreTwo) {
  OutstandingExposures e(50 * second);
  e.triggered(1 * second, std::nullopt);
  e.asked(1 * second);
  e.triggered(1 * second + 1, std::nullopt);
  e.asked(1 * second + 1);
  EXPECT_EQ(e.count(), 1u);
}

TEST(SeenPictures, KnowsPixelsWhateverTheyAreCalled) {
  SeenPictures seen;
  seen.add("S-1", "aa", "f1");
  EXPECT_EQ(seen.id_of("S-1", "aa"), "f1");
  EXPECT_EQ(seen.id_of("S-2", "aa"), "") << "of another sensor";
  EXPECT_EQ(seen.id_of("S-1", "bb"), "");
  for (int i = 0; i < 1024; ++i) seen.add("S-1", "b" + std::to_string(i), "f");
  EXPECT_EQ(seen.id_of("S-1", "aa"), "") << "memory is bounded";
}

TEST(SeenPictures, ForgetsADeliveryThatWasNotTheAnnouncedOne) {
  SeenPictures seen;
  seen.add("S-1", "aa", "f1");
  seen.add("S-1", "aa", "f2");
  seen.remove("S-1", "aa", "f3");
  EXPECT_EQ(seen.id_of("S-1", "aa"), "f2");
  seen.remove("S-1", "aa", "f2");
  EXPECT_EQ(seen.id_of("S-1", "aa"), "f1");
  seen.remove("S-1", "aa", "f1");
  EXPECT_EQ(seen.id_of("S-1", "aa"), "");
}

TEST(CellMark, OutlivesItsProcessUntilItIsCleared) {
  const testing::FreshFolder folder;
  const auto file = folder.path() / "results.db.armed";
  {
    CellMark mark(file);
    EXPECT_FALSE(mark.stamp());
    EXPECT_TRUE(mark.set(true));
    EXPECT_TRUE(mark.stamp());
  }
  CellMark next(file);
  ASSERT_TRUE(next.stamp());
  next.clear();
  EXPECT_FALSE(next.stamp());
  EXPECT_FALSE(CellMark(file).stamp());
}

TEST(CellMark, RewrittenItSaysSomethingElseAndKeepsItsTime) {
  const testing::FreshFolder folder;
  const auto file = folder.path() / "results.db.armed";
  CellMark mark(file);
  EXPECT_FALSE(mark.rewrite("box b")) << "it is not set";
  ASSERT_TRUE(mark.set(true, "box a"));
  const FileStamp set = *mark.stamp();
  for (const char* text : {"box b", "box c"}) {
    ASSERT_TRUE(mark.rewrite(text));
    const CellMark next(file);
    EXPECT_EQ(next.text(), text);
    ASSERT_TRUE(next.stamp());
    EXPECT_EQ(next.stamp()->changed_ns, set.changed_ns);
  }
  CellMark next(file);
  ASSERT_TRUE(next.set(true, "box d"));
  EXPECT_TRUE(is_later(*CellMark(file).stamp(), set));
}

TEST(CellMark, RefusedIsNotSet) {
  const testing::FreshFolder folder;
  CellMark mark(folder.path() / "no such folder/mark");
  EXPECT_FALSE(mark.set(false));
  EXPECT_FALSE(mark.stamp());
}

TEST(FileStamp, IsLaterOnOneFileSystemOnly) {
  EXPECT_TRUE(is_later({1, 11}, {1, 10}));
  EXPECT_FALSE(is_later({1, 10}, {1, 10})) << "a clock ticks in steps";
  EXPECT_FALSE(is_later({2, 11}, {1, 10})) << "another computer's clock";
}

}  // namespace
}  // namespace datum

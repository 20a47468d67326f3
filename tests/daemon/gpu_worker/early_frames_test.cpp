// A frame that lies in its slot before it is measured gives the bytes of one that is copied; what is incomplete, changed or of
// another plan is copied.
#include "tests/daemon/gpu_worker/early_scenes.h"

namespace datum {
namespace {

using namespace std::chrono_literals;
using namespace testing;

TEST_F(EarlySlotsTest, IsMeasuredFromItsSlot) {
  measure_a_series();
  for (std::uint32_t round = 0; round < 4; ++round) {
    board_ = heights_of(round);
    const std::vector<SiteRecord> expected = measured(board_);
    const std::shared_ptr<EarlyFrame> early = begin();
    ASSERT_TRUE(early);
    put(*early, board_, pieces_of(board_, round));
    change();
    expect_equal(measured(board_, early.get()), expected);
  }
}

TEST_F(EarlySlotsTest, PixelsThatComeAgainReplaceThoseBefore) {
  measure_a_series();
  const MapScene before = heights_of(3);
  const std::vector<SiteRecord> expected = measured(board_);
  const std::shared_ptr<EarlyFrame> early = begin();
  MapScene frame = before;
  put(*early, frame, pieces_of(frame, 1));
  std::copy(board_.memory.begin(), board_.memory.end(), frame.memory.begin());
  put(*early, frame, pieces_of(frame, 2));
  std::copy(before.memory.begin(), before.memory.end(), frame.memory.begin());
  expect_equal(measured(frame, early.get()), expected);
}

TEST_F(EarlySlotsTest, AFrameWithAGapIsCopied) {
  measure_a_series();
  const std::shared_ptr<EarlyFrame> early = begin();
  std::vector<Pixels> pieces = pieces_of(board_, 5);
  std::sort(pieces.begin(), pieces.end());
  pieces[3].second -= 1;
  put(*early, board_, pieces);
  change();
  const std::vector<SiteRecord> got = measured(board_, early.get());
  expect_equal(got, measured(board_));
}

TEST_F(EarlySlotsTest, ACopyOfTheFrameIsCopied) {
  measure_a_series();
  const std::shared_ptr<EarlyFrame> early = begin();
  put(*early, board_, pieces_of(board_, 6));
  const MapScene other = heights_of(8);  // elsewhere in memory
  const std::vector<SiteRecord> got = measured(other, early.get());
  expect_equal(got, measured(other));
}

TEST_F(EarlySlotsTest, AFrameOfAnotherPlanIsCopied) {
  measure_a_series();
  const std::shared_ptr<EarlyFrame> early = begin();
  put(*early, board_, pieces_of(board_, 7));
  const MapScene wider = board_of(1, 16);
  MapScene same_memory = wider;
  board_.sites = wider.sites, board_.runs = wider.runs, board_.run_side = wider.run_side;
  const std::vector<SiteRecord> got = measured(board_, early.get());
  expect_equal(got, measured(board_));
}

TEST_F(EarlySlotsTest, AFrameThatBeganBeforeTheWorkersEndIsCopied) {
  measure_a_series();
  const std::shared_ptr<EarlyFrame> early = begin();
  const std::vector<Pixels> pieces = pieces_of(board_, 8);
  link_->stop();
  EXPECT_FALSE(begin());
  put(*early, board_, pieces);  // into memory that nobody else has any more
  start("well");
  change();
  const std::vector<SiteRecord> got = measured(board_, early.get());
  expect_equal(got, measured(board_));
}

TEST_F(EarlySlotsTest, AHeightWithTheMarksCountIsLeftToTheCpu) {
  measure_a_series();
  const PixelRun run = board_.runs.front();
  const auto at = static_cast<std::size_t>(run.row * board_.pitch + run.col);
  reinterpret_cast<std::int16_t*>(board_.memory.data())[at] = no_count_16;
  const std::vector<std::uint8_t> ok(board_.count(), 0);
  const std::shared_ptr<EarlyFrame> early = begin();
  FrameView frame{board_.memory.data(), ok.data(), board_.pitch};
  early->put(frame, 0, board_.count());
  frame.early = early.get();
  ASSERT_TRUE(link_->prepare(board_.plan(), frame, GpuClient::Clock::now() + 30s));
  std::vector<SiteRecord> records(board_.sites.size());
  EXPECT_FALSE(link_->measure(frame, records.data()));
}

TEST_F(EarlySlotsTest, OnlyASeriesOfBoardsOfOnePlanBegins) {
  EXPECT_FALSE(begin()) << "no plan";
  measured(board_);
  EXPECT_FALSE(begin()) << "one board of it";
  measured(board_);
  EXPECT_TRUE(begin());
  EXPECT_FALSE(link_->early()->begin(CountType::int32, board_.rows, board_.cols));
  EXPECT_FALSE(link_->early()->begin(board_.type, board_.rows + 1, board_.cols));
  measured(board_of(1, 16));
  EXPECT_FALSE(begin()) << "another plan";
}

TEST_F(EarlySlotsTest, ASlotBelongsToOneFrameUntilItsEnd) {
  measure_a_series();
  std::shared_ptr<EarlyFrame> one = begin(), two = begin();
  ASSERT_TRUE(one && two);
  EXPECT_FALSE(begin()) << "the third slot is for frames that are copied";
  two.reset();
  two = begin();
  ASSERT_TRUE(two);
  put(*one, board_, pieces_of(board_, 9));
  put(*two, board_, pieces_of(board_, 10));
  measured(board_, one.get());
  EXPECT_TRUE(begin()) << "a measured frame has given its slot back";
}

}  // namespace
}  // namespace datum

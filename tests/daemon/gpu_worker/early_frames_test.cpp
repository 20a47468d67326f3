// A frame that lies in its slot before it is measured gives the bytes of one that is copied; what is incomplete, changed or of
// another plan is copied.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <random>
#include <thread>

#include "daemon/gpu_worker/gpu_client.h"
#include "gpu/board/cpu_board.h"
#include "gpu/core/gpu_error.h"
#include "tests/gpu/map_scene.h"

namespace datum {
namespace {

using namespace std::chrono_literals;

testing::MapScene board_of(std::uint64_t seed, std::int32_t ring = 12, CountType type = CountType::int16) {
  testing::BoardOptions o;
  o.rows = 203;
  o.cols = 304;  // rows without padding, as a frame has them
  o.type = type;
  o.seed = seed;
  return testing::board_map({{ring, 40, 30}, {10, 30, 50}, {8, 60, 20}, {14, 24, 24}}, o);
}

/// The first board's plan, other heights.
testing::MapScene heights_of(std::uint64_t seed) {
  testing::MapScene board = board_of(1);
  board.memory = board_of(seed).memory;
  return board;
}

using Pixels = std::pair<std::uint64_t, std::uint64_t>;

/// All pixels in pieces of random sizes and order.
std::vector<Pixels> pieces_of(const testing::MapScene& board, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Pixels> pieces;
  for (std::uint64_t first = 0; first < board.count();) {
    const std::uint64_t n = std::min<std::uint64_t>(1 + random() % 9000, board.count() - first);
    pieces.emplace_back(first, n);
    first += n;
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  return pieces;
}

class EarlySlotsTest : public ::testing::Test {
 protected:
  EarlySlotsTest() {
    ::setenv("DATUM_TEST_WORKER", "well", 1);
    GpuClientSettings settings;
    settings.program = DATUM_TEST_WORKER_PROGRAM;
    settings.staging = cpu_backend(2);
    link_ = std::make_unique<GpuClient>(settings);
    start();
  }
  ~EarlySlotsTest() override { ::unsetenv("DATUM_TEST_WORKER"); }

  void start() {
    link_->start();
    if (!link_->greeting(GpuClient::Clock::now() + 30s)) throw std::runtime_error("no greeting");
  }
  /// Of a frame, by the worker.
  std::vector<SiteRecord> measured(const testing::MapScene& board, EarlyFrame* early = nullptr) {
    FrameView frame = view_of(board);
    frame.early = early;
    EXPECT_TRUE(link_->prepare(board.plan(), frame, GpuClient::Clock::now() + 30s));
    std::vector<SiteRecord> records(board.sites.size());
    EXPECT_TRUE(link_->measure(frame, records.data()));
    return records;
  }
  void measure_a_series() {
    for (int i = 0; i < 2; ++i) measured(board_);
  }
  std::shared_ptr<EarlyFrame> begin() { return link_->early()->begin(board_.type, board_.rows, board_.cols); }
  static FrameView view_of(const testing::MapScene& board) {
    return {board.memory.data(), classes_of(board), board.pitch};
  }
  static const std::uint8_t* classes_of(const testing::MapScene& board) {
    static std::vector<std::uint8_t> ok;  // marks say which pixels have no height
    ok.assign(board.count(), 0);
    for (std::size_t i = 0; board.type == CountType::int16 && i < board.count(); ++i)
      ok[i] = reinterpret_cast<const std::int16_t*>(board.memory.data())[i] == no_count_16;
    return ok.data();
  }
  static void put(EarlyFrame& early, const testing::MapScene& board, const std::vector<Pixels>& pieces) {
    const FrameView frame = view_of(board);
    std::thread other([&] {
      for (std::size_t i = 0; i < pieces.size(); i += 2) early.put(frame, pieces[i].first, pieces[i].second);
    });
    for (std::size_t i = 1; i < pieces.size(); i += 2) early.put(frame, pieces[i].first, pieces[i].second);
    other.join();
  }
  /// Other heights in the same memory: who copies the frame now measures these.
  void change() {
    const testing::MapScene other = heights_of(77);
    std::copy(other.memory.begin(), other.memory.end(), board_.memory.begin());
  }
  static void expect_equal(std::vector<SiteRecord> a, std::vector<SiteRecord> b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].fit.status, FitStatus::ok);
      EXPECT_EQ(a[i].fit.c, b[i].fit.c) << i;
      EXPECT_EQ(a[i].ring.inliers, b[i].ring.inliers) << i;
      EXPECT_EQ(a[i].body.sum_nm, b[i].body.sum_nm) << i;
      EXPECT_EQ(a[i].body.valid, b[i].body.valid) << i;
    }
  }

  testing::MapScene board_ = board_of(1);
  std::unique_ptr<GpuClient> link_;
};

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
  const testing::MapScene before = heights_of(3);
  const std::vector<SiteRecord> expected = measured(board_);
  const std::shared_ptr<EarlyFrame> early = begin();
  testing::MapScene frame = before;
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
  const testing::MapScene other = heights_of(8);  // elsewhere in memory
  const std::vector<SiteRecord> got = measured(other, early.get());
  expect_equal(got, measured(other));
}

TEST_F(EarlySlotsTest, AFrameOfAnotherPlanIsCopied) {
  measure_a_series();
  const std::shared_ptr<EarlyFrame> early = begin();
  put(*early, board_, pieces_of(board_, 7));
  const testing::MapScene wider = board_of(1, 16);
  testing::MapScene same_memory = wider;
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
  start();
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

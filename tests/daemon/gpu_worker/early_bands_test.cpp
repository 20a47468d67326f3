// The worker is told of each band of a frame once its pixels are there, and measures it at once; of no band too early, of none
// whose pixels come again, and of none of another frame.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <future>
#include <numeric>
#include <utility>

#include "daemon/gpu_worker/failover_measurer.h"
#include "daemon/gpu_worker/pixel_ranges.h"
#include "gpu/board/cpu_board.h"
#include "gpu/board/frame_bands.h"
#include "gpu/core/gpu_error.h"
#include "tests/daemon/gpu_worker/early_scenes.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using namespace std::chrono_literals;
using namespace testing;

constexpr std::uint32_t early_mark = 0xEA21;  // of test_gpu_worker.cpp

/// A worker that reports each band that it has prepared or measured early.
class EarlyBandsTest : public EarlySlotsTest {
 protected:
  EarlyBandsTest() : fifo_((folder_ / "reports").string()) {
    if (::mkfifo(fifo_.c_str(), 0600) != 0) throw std::runtime_error("no fifo");
    reports_ = ::open(fifo_.c_str(), O_RDWR);  // nobody waits for the other side
    ::setenv("DATUM_TEST_REPORTS", fifo_.c_str(), 1);
    restart("marks");
  }
  ~EarlyBandsTest() override {
    ::unsetenv("DATUM_TEST_REPORTS");
    ::close(reports_);
  }
  void restart(const char* mode) {
    link_->stop();
    start(mode);
    measure_a_series();
  }
  char report() {
    pollfd watched{reports_, POLLIN, 0};
    char what = 0;
    if (::poll(&watched, 1, 30'000) != 1 || ::read(reports_, &what, 1) != 1) ADD_FAILURE() << "no report";
    return what;
  }
  bool reports_wait() {
    pollfd watched{reports_, POLLIN, 0};
    return ::poll(&watched, 1, 0) == 1;
  }
  /// A frame, once the worker has prepared its bands.
  std::shared_ptr<EarlyFrame> begun() {
    const char expected = std::exchange(prepared_, true) ? 'p' : after_first();
    EXPECT_EQ(expected, 'p');
    return begin();
  }
  /// The worker prepares bands behind the first frame that came early: what it reports then.
  char after_first() {
    const std::shared_ptr<EarlyFrame> first = begin();
    put(*first, board_, {{0, board_.count()}});
    EXPECT_TRUE(early_sites(measured(board_, first.get())).empty());
    return report();
  }
  /// Frames that begin from now on have this work.
  std::shared_ptr<Looks> expect_looks() {
    auto looks = std::make_shared<Looks>();
    link_->expect(board_.plan(), looks, [looks] { return looks; });
    return looks;
  }
  void put_band(EarlyFrame& early, const FrameBand& band) const {
    early.put(view_of(board_), pixels_of(band).first, pixels_of(band).second);
  }
  std::vector<FrameBand> bands() const { return frame_bands(board_.plan()); }
  Pixels pixels_of(const FrameBand& band) const {
    const auto cols = static_cast<std::uint64_t>(board_.cols);
    return {static_cast<std::uint64_t>(band.first_row) * cols,
            static_cast<std::uint64_t>(band.end_row - band.first_row) * cols};
  }
  std::vector<std::uint32_t> early_sites(const std::vector<SiteRecord>& records) const {
    std::vector<std::uint32_t> sites;
    for (std::uint32_t i = 0; i < records.size(); ++i)
      if (records[i].ring.on_floor == early_mark) sites.push_back(i);
    return sites;
  }
  std::vector<std::uint32_t> all_sites() const {
    std::vector<std::uint32_t> sites(board_.sites.size());
    std::iota(sites.begin(), sites.end(), 0u);
    return sites;
  }

  const FreshFolder folder_;
  const std::string fifo_;
  int reports_ = -1;
  bool prepared_ = false;
};

TEST_F(EarlyBandsTest, EachBandIsMeasuredWhenItsRowsAreThere) {
  const std::vector<SiteRecord> expected = measured(board_);
  EXPECT_TRUE(early_sites(expected).empty());
  const std::shared_ptr<EarlyFrame> early = begun();
  const FrameView frame = view_of(board_);
  std::uint64_t there = 0;
  for (const FrameBand& band : bands()) {
    const std::uint64_t end = pixels_of(band).first + pixels_of(band).second;
    early->put(frame, there, end - there - 1);
    measured(board_);  // another frame: behind its order all was looked at that the worker was told
    EXPECT_FALSE(reports_wait()) << "a pixel lacks";
    early->put(frame, end - 1, 1);
    EXPECT_EQ(report(), 'b') << "without an order";
    there = end;
  }
  early->put(frame, there, board_.count() - there);
  change();
  const std::vector<SiteRecord> got = measured(board_, early.get());
  EXPECT_EQ(early_sites(got), all_sites());
  expect_equal(got, expected);
}

TEST_F(EarlyBandsTest, AnyOrderOfPieces) {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    board_ = heights_of(seed);
    const std::vector<SiteRecord> expected = measured(board_);
    const std::shared_ptr<EarlyFrame> early = begun();
    put(*early, board_, pieces_of(board_, seed));
    change();
    const std::vector<SiteRecord> got = measured(board_, early.get());
    EXPECT_EQ(early_sites(got), all_sites());
    expect_equal(got, expected);
  }
}

TEST_F(EarlyBandsTest, PixelsThatComeAgainAreMeasuredWithTheWholeFrame) {
  const std::vector<SiteRecord> expected = measured(board_);
  const MapScene before = heights_of(3);
  MapScene frame = before;
  const std::shared_ptr<EarlyFrame> early = begun();
  early->put(view_of(frame), 0, frame.count());
  std::copy(board_.memory.begin(), board_.memory.end(), frame.memory.begin());
  early->put(view_of(frame), 0, frame.count());
  std::copy(before.memory.begin(), before.memory.end(), frame.memory.begin());
  const std::vector<SiteRecord> got = measured(frame, early.get());
  EXPECT_TRUE(early_sites(got).empty());
  expect_equal(got, expected);
}

TEST_F(EarlyBandsTest, ASlotOfAFrameThatWasGivenUpHasNothingOfItForTheNextOne) {
  const std::vector<SiteRecord> expected = measured(board_);
  const MapScene given_up = heights_of(5);
  const std::vector<FrameBand> bands_there = bands();
  for (std::size_t some = 0; some <= bands_there.size(); ++some) {
    std::shared_ptr<EarlyFrame> first = begun();
    for (std::size_t k = 0; k < some; ++k)
      first->put(view_of(given_up), pixels_of(bands_there[k]).first, pixels_of(bands_there[k]).second);
    first.reset();
    const std::shared_ptr<EarlyFrame> early = begun();
    put(*early, board_, pieces_of(board_, static_cast<std::uint32_t>(some)));
    const std::vector<SiteRecord> got = measured(board_, early.get());
    EXPECT_EQ(early_sites(got), all_sites());
    expect_equal(got, expected);
  }
}

TEST_F(EarlyBandsTest, AFrameArrivesWhileAnotherOneIsMeasured) {
  const MapScene other = heights_of(6);
  const std::vector<SiteRecord> expected = measured(board_), of_other = measured(other);
  const std::shared_ptr<EarlyFrame> one = begun(), two = begun();
  ASSERT_TRUE(one && two);
  const auto half = board_.count() / 2;
  two->put(view_of(other), 0, half);
  put(*one, board_, pieces_of(board_, 1));
  expect_equal(measured(board_, one.get()), expected);
  two->put(view_of(other), half, board_.count() - half);
  const std::vector<SiteRecord> got = measured(other, two.get());
  EXPECT_EQ(early_sites(got), all_sites());
  expect_equal(got, of_other);
}

TEST_F(EarlyBandsTest, AFrameOfAnotherPlanTellsNothingOfThePresentOne) {
  const std::shared_ptr<EarlyFrame> before = begun();
  before->put(view_of(board_), 0, board_.count() / 2);
  const MapScene wider = board_of(1, 16);
  board_.sites = wider.sites, board_.runs = wider.runs, board_.run_side = wider.run_side;
  const std::vector<SiteRecord> expected = measured(board_);
  before->put(view_of(board_), board_.count() / 2, board_.count() - board_.count() / 2);
  const std::vector<SiteRecord> got = measured(board_, before.get());
  EXPECT_TRUE(early_sites(got).empty());
  expect_equal(got, expected);
}

TEST_F(EarlyBandsTest, AWorkerWithoutBandsMeasuresTheWholeFrame) {
  restart("no-bands");
  prepared_ = true;
  const std::vector<SiteRecord> expected = measured(board_);
  const std::shared_ptr<EarlyFrame> early = begun();
  put(*early, board_, pieces_of(board_, 2));
  change();
  expect_equal(measured(board_, early.get()), expected);
}

TEST_F(EarlyBandsTest, ASiteIsLookedAtOnceItsRecordIsThere) {
  begun();  // the bands are prepared
  const std::shared_ptr<Looks> looks = expect_looks();
  const std::shared_ptr<EarlyFrame> early = begin();
  const FrameView frame = view_of(board_);
  std::uint64_t there = 0;
  std::size_t sites = 0;
  for (const FrameBand& band : bands()) {
    const std::uint64_t end = pixels_of(band).first + pixels_of(band).second;
    early->put(frame, there, end - there);
    there = end;
    sites += band.sites.size();
    ASSERT_TRUE(looks->await(band.sites));
    EXPECT_EQ(looks->count(), sites);
  }
  early->put(frame, there, board_.count() - there);
  EXPECT_EQ(early->work(frame), looks);
  const std::vector<SiteRecord> got = measured(board_, early.get());
  EXPECT_EQ(early->work(frame), looks) << "also when its slot has another frame";
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(looks->records[i].size(), 1u) << "once";
    EXPECT_EQ(std::memcmp(&looks->records[i][0], &got[i], sizeof got[i]), 0) << "the order's record";
  }
}

TEST_F(EarlyBandsTest, WhatComesAgainIsLookedAtNoMore) {
  begun();
  const std::shared_ptr<Looks> looks = expect_looks();
  const std::shared_ptr<EarlyFrame> early = begin();
  put_band(*early, bands()[0]);
  ASSERT_TRUE(looks->await(bands()[0].sites));
  early->withdraw();
  early->put(view_of(board_), 0, board_.count());
  const std::vector<SiteRecord> expected = measured(board_);
  expect_equal(measured(board_, early.get()), expected);
  EXPECT_EQ(looks->count(), bands()[0].sites.size());
  EXPECT_EQ(early->work(view_of(board_)), nullptr);
}

TEST_F(EarlyBandsTest, WorkOnOtherCountsIsNotTheFrames) {
  begun();
  const std::shared_ptr<Looks> looks = expect_looks();
  const std::shared_ptr<EarlyFrame> early = begin();
  put(*early, board_, pieces_of(board_, 4));
  const MapScene copy = board_;
  EXPECT_EQ(early->work({copy.memory.data(), classes_of(board_), copy.pitch}), nullptr);
  EXPECT_EQ(early->work(view_of(board_)), looks);
}

/// Who withdraws, or ends a frame, may change its pixels then.
TEST_F(EarlyBandsTest, NobodyReadsAFrameThatIsWithdrawn) {
  struct Slow final : EarlyWork {
    void look(const FrameView&, std::size_t, const SiteRecord&) override {
      if (began.exchange(true)) return;
      started.set_value();
      go_on.get_future().wait();
      done = true;
    }
    std::atomic<bool> began{false}, done{false};
    std::promise<void> started, go_on;
  };
  begun();
  for (const bool ends : {false, true}) {
    const auto slow = std::make_shared<Slow>();
    link_->expect(board_.plan(), slow, [slow] { return slow; });
    std::shared_ptr<EarlyFrame> early = begin();
    put_band(*early, bands()[0]);
    slow->started.get_future().wait();
    std::atomic<bool> returned{false};
    std::thread other([&] {
      ends ? early.reset() : early->withdraw();
      returned = true;
    });
    for (int i = 0; i < 10'000 && !returned; ++i) std::this_thread::yield();
    EXPECT_FALSE(returned);
    slow->go_on.set_value();
    other.join();
    EXPECT_TRUE(slow->done);
  }
}

TEST_F(EarlyBandsTest, FramesOfAnotherPlanHaveNoWorkOfTheOneBefore) {
  begun();
  const std::shared_ptr<Looks> looks = expect_looks();
  const MapScene before = board_, wider = board_of(1, 16);
  board_.sites = wider.sites, board_.runs = wider.runs, board_.run_side = wider.run_side;
  for (int i = 0; i < 2; ++i) measured(board_);
  link_->expect(before.plan(), looks, [looks] { return looks; });  // too late
  const std::shared_ptr<EarlyFrame> early = begin();
  put(*early, board_, pieces_of(board_, 5));
  EXPECT_EQ(early->work(view_of(board_)), nullptr);
}

TEST_F(EarlyBandsTest, WithoutBandsNothingIsLookedAtEarly) {
  restart("no-bands");
  const std::shared_ptr<Looks> looks = expect_looks();
  const std::shared_ptr<EarlyFrame> early = begin();
  put(*early, board_, pieces_of(board_, 2));
  const std::vector<SiteRecord> expected = measured(board_);
  expect_equal(measured(board_, early.get()), expected);
  EXPECT_EQ(looks->count(), 0u);
}

/// The worker faults or ends on the way of a frame: its board is the CPU's, with the same bytes, and so are the next ones until
/// the worker is there again.
class EarlyFaults : public EarlyBandsTest,
                    public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(EarlyFaults, CostNoBoard) {
  restart(GetParam().first);
  const char first = after_first();
  std::vector<SiteRecord> expected(board_.sites.size());
  measure_board(board_.plan(), view_of(board_), cpu_backend(1), expected.data());
  std::vector<std::string> faults;
  const std::shared_ptr<Looks> looks = expect_looks();
  const std::shared_ptr<EarlyPixels> slots = link_->early();
  const std::shared_ptr<EarlyFrame> early = begin();
  FailoverMeasurer measurer(
      std::move(link_), std::make_unique<CpuBoardMeasurer>(cpu_backend(1)),
      [] { return std::chrono::nanoseconds(0); },
      [&](bool fault, const std::string& text) {
        if (fault) faults.push_back(text);
      });
  put(*early, board_, pieces_of(board_, 3));
  for (char last = first; last != 'f'; last = report()) {
  }
  FrameView frame = view_of(board_);
  frame.early = early.get();
  for (int i = 0; i < 2; ++i) {
    std::vector<SiteRecord> records(board_.sites.size());
    measurer.measure(board_.plan(), frame, records.data());
    EXPECT_EQ(measurer.describe().substr(0, 3), "cpu");
    expect_equal(records, expected);
  }
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].find(GetParam().second), std::string::npos) << faults[0];
  EXPECT_FALSE(slots->begin(board_.type, board_.rows, board_.cols));
  early->put(view_of(board_), 0, board_.count());  // a sensor that still sends
  for (const auto& [site, records] : looks->records)
    EXPECT_EQ(records[0].fit.c, expected[site].fit.c) << "what was looked at before holds";
}
INSTANTIATE_TEST_SUITE_P(All, EarlyFaults,
                         ::testing::Values(std::pair{"band-fault",
                                                     "an illegal memory access was encountered"},
                                           std::pair{"arrival-fault", "unspecified launch failure"},
                                           std::pair{"killed-early", "signal 9"}),
                         [](const auto& test) {
                           std::string name = test.param.first;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PixelRanges, KnowWhatIsThere) {
  std::mt19937 random(1);
  constexpr std::uint64_t size = 60;
  for (int round = 0; round < 300; ++round) {
    PixelRanges ranges;
    EXPECT_TRUE(ranges.empty());
    std::vector<bool> there(size);
    for (int step = 0; step < 12; ++step) {
      const std::uint64_t first = random() % size, end = first + random() % (size - first + 1);
      const auto from = there.begin() + static_cast<std::ptrdiff_t>(first),
                 to = there.begin() + static_cast<std::ptrdiff_t>(end);
      EXPECT_EQ(ranges.add(first, end), std::find(from, to, true) == to);
      std::fill(from, to, true);
      for (std::uint64_t a = 0; a <= size; ++a)
        for (std::uint64_t b = a; b <= size; ++b)
          ASSERT_EQ(ranges.have(a, b), std::find(there.begin() + static_cast<std::ptrdiff_t>(a),
                                                 there.begin() + static_cast<std::ptrdiff_t>(b),
                                                 false) == there.begin() + static_cast<std::ptrdiff_t>(b));
    }
  }
}

}  // namespace
}  // namespace datum

// Sites that were evaluated while their frame arrived: the verdict's bytes are those of a frame that is evaluated when it is whole,
// whatever was looked at, and with whose record.
#include "daemon/inspection/board/early_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "daemon/inspection/board/board_planner.h"
#include "daemon/inspection/verdict/verdict.h"
#include "gpu/board/cpu_board.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::early_scan_test {
namespace {

/// A frame that arrived with this work.
struct Arrived final : EarlyFrame {
  void put(const FrameView&, std::uint64_t, std::uint64_t) override {}
  void withdraw() override { done = nullptr; }
  std::shared_ptr<EarlyWork> work(const FrameView&) override { return done; }
  std::shared_ptr<EarlyWork> done;
};

/// Measures here, or gives records that are known; counts boards whose sites were all left to it.
class Measurer final : public CpuBoardMeasurer {
 public:
  using CpuBoardMeasurer::CpuBoardMeasurer;
  void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) override {
    if (given.empty())
      CpuBoardMeasurer::measure(plan, frame, records);
    else
      std::copy(given.begin(), given.end(), records);
    last.assign(records, records + plan.site_count);
  }
  void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records, unsigned threads,
               const SiteWork& work) override {
    ++whole;
    CpuBoardMeasurer::measure(plan, frame, records, threads, work);
  }
  void expect(const BoardPlan&, const std::shared_ptr<const void>& of, const EarlyWorkMaker& maker) override {
    expected = of.get();
    make = maker;
  }
  int whole = 0;
  const void* expected = nullptr;
  EarlyWorkMaker make;
  std::vector<SiteRecord> last, given;
};

class EarlyScans : public ::testing::Test {
 protected:
  EarlyScans() {
    scene_.recipe.components.push_back(testing::box("U3", 3, 1.5, 10, 300));
    scene_.recipe.components.push_back(testing::box("U4", 100, 4, 0, 300));  // beyond the frame
    scene_.sensor.sha256 = "5e";
    testing::render(scene_);
    expected_ = inspected();
    FrameView view = view_of(scene_.frame);
    plan_ = planner_.of(scene_.recipe, scene_.sensor, scene_.frame, placement(),
                        BoardView(scene_.frame, placement()), 1);
    measurer_.measure(plan_->plan.plan(), view, std::vector<SiteRecord>(4).data());
    records_ = measurer_.last;
  }
  Htm<Board, Sensor> placement() const { return board_from_sensor(scene_.inputs()); }
  std::string inspected(unsigned threads = 1) {
    InspectionInputs in = scene_.inputs();
    in.planner = &planner_;
    in.threads = threads;
    measurer_.whole = 0;
    return to_json(inspect(scene_.frame, in, measurer_));
  }
  std::shared_ptr<EarlyWork> begin() {
    auto arrived = std::make_shared<Arrived>();
    arrived->done = measurer_.make();
    scene_.frame.early.taken = arrived;
    return arrived->done;
  }

  testing::Scene scene_ = testing::make_scene();
  BoardPlanner planner_;
  Measurer measurer_{cpu_backend(1)};
  std::string expected_;
  std::shared_ptr<const PlannedBoard> plan_;
  std::vector<SiteRecord> records_;
};

TEST_F(EarlyScans, GiveTheSameBytesWhicheverSitesTheySaw) {
  EXPECT_EQ(measurer_.expected, plan_.get());
  for (unsigned some = 0; some < 16; ++some) {
    const auto work = begin();
    for (std::size_t i = 4; i-- > 0;)
      if (some >> i & 1) work->look(view_of(scene_.frame), i, records_[i]);
    EXPECT_EQ(inspected(1 + some % 3), expected_) << some;
  }
}

TEST_F(EarlyScans, DoNotReadAgainWhatTheySaw) {
  const auto work = begin();
  for (std::size_t i = 0; i < 4; ++i) work->look(view_of(scene_.frame), i, records_[i]);
  std::visit([](auto& counts) { std::fill(counts.begin(), counts.end(), 0); }, scene_.frame.counts);
  measurer_.given = records_;
  EXPECT_EQ(inspected(2), expected_);
}

TEST_F(EarlyScans, EndWhereTheFrameIsWhole) {
  const auto work = begin();
  std::thread other([&] {
    for (std::size_t i = 0; i < 4; ++i) work->look(view_of(scene_.frame), i, records_[i]);
  });
  EXPECT_EQ(inspected(2), expected_);
  other.join();
  work->look(view_of(scene_.frame), 0, records_[0]);  // too late
}

TEST_F(EarlyScans, SeeASiteOnce) {
  const auto work = begin();
  work->look(view_of(scene_.frame), 0, records_[0]);
  work->look(view_of(scene_.frame), 0, SiteRecord{});
  work->look(view_of(scene_.frame), 4, records_[0]);  // no site
  EXPECT_EQ(inspected(), expected_);
}

TEST_F(EarlyScans, OfAnotherRecordAreThrownAway) {
  SiteRecord other = records_[1];
  other.fit.c += 7;
  const auto work = begin();
  work->look(view_of(scene_.frame), 0, records_[0]);
  work->look(view_of(scene_.frame), 1, other);
  EXPECT_EQ(inspected(), expected_);
}

TEST_F(EarlyScans, OfAnotherPlanAreThrownAway) {
  const EarlyWorkMaker before = measurer_.make;
  scene_.recipe.components[0].checks[0].upper = 380;
  scene_.recipe.sha256 = "0124";
  const std::string expected = inspected();
  EXPECT_NE(measurer_.expected, plan_.get());
  const auto arrived = std::make_shared<Arrived>();
  arrived->done = before();
  for (std::size_t i = 0; i < 4; ++i) arrived->done->look(view_of(scene_.frame), i, records_[i]);
  scene_.frame.early.taken = arrived;
  EXPECT_EQ(inspected(), expected);
  EXPECT_EQ(measurer_.whole, 1);
}

TEST_F(EarlyScans, OfPixelsThatCameAgainAreThrownAway) {
  const auto work = begin();
  for (std::size_t i = 0; i < 4; ++i) work->look(view_of(scene_.frame), i, records_[i]);
  scene_.frame.early.taken->withdraw();
  EXPECT_EQ(inspected(), expected_);
  EXPECT_EQ(measurer_.whole, 1);
}

/// Floors of an aligned board, a warped one and those over second levels: what follows the evaluation of the sites reads more.
TEST_F(EarlyScans, ServeWhatComesBehindThem) {
  scene_.recipe.uncertainty.ring_structure_is_board = true;
  scene_.recipe.sha256 = "0125";
  expected_ = inspected();
  const auto work = begin();
  for (std::size_t i = 0; i < 4; ++i) work->look(view_of(scene_.frame), i, records_[i]);
  EXPECT_EQ(inspected(), expected_);
}

TEST_F(EarlyScans, AreNotExpectedWhereEachBoardHasAPlaceOfItsOwn) {
  measurer_.expected = nullptr;
  InspectionInputs in = scene_.inputs();  // without a planner
  to_json(inspect(scene_.frame, in, measurer_));
  EXPECT_EQ(measurer_.expected, nullptr);
}

}  // namespace
}  // namespace datum::early_scan_test

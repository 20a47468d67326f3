// What a frame's rings show of its noise: the same rings count, whoever looks at them and when.
#include "daemon/inspection/board/frame_noise.h"

#include <gtest/gtest.h>

#include "daemon/inspection/board/site_scan.h"
#include "gpu/board/cpu_board.h"
#include "gpu/board/site_pixels.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::frame_noise_test {
namespace {

/// Floors of the two components of a rendered scene.
class FrameNoises : public ::testing::Test {
 protected:
  void SetUp() override {
    scene_ = testing::make_scene();
    testing::render(scene_);
    const BoardView view(scene_.frame, board_from_sensor(scene_.inputs()));
    board_.emplace(plan_board(scene_.recipe, scene_.sensor, scene_.frame, view, 1));
    SiteScan scan(*board_, view_of(scene_.frame));
    CpuBoardMeasurer(cpu_backend(1))
        .measure(plan(), frame(), scan.records(), 1,
                 [&](std::size_t i, const SiteHeights& heights) { scan.look(i, heights); });
    floors_ = scan.floors();
    ASSERT_EQ(floors_.size(), 2u);
    for (const Floor& floor : floors_) ASSERT_EQ(floor.reason, Reason::none) << floor.detail;
    whole_ = scan.noise(1);
  }
  BoardPlan plan() const { return board_->plan.plan(); }
  FrameView frame() const { return view_of(scene_.frame); }
  /// The rings of `looked` are looked at while their pixels are at hand.
  FrameNoise noise(const std::vector<std::size_t>& looked, std::size_t most_pixels) const {
    FrameNoiseScan scan(plan(), most_pixels);
    for (const std::size_t i : looked)
      scan.look(i, floors_[i], take_ring_z(plan(), plan().sites[i], frame(), Isa::scalar).get());
    return scan.noise(frame(), floors_, 2);
  }
  static void expect_same(const FrameNoise& a, const FrameNoise& b) {
    EXPECT_EQ(a.pixels(), b.pixels());
    EXPECT_EQ(a.pixel_um2(), b.pixel_um2());
    for (const double rows : {1.0, 3.0, 20.0, 300.0})
      for (const double cols : {1.0, 6.0, 40.0})
        EXPECT_EQ(a.correlation_over(rows, cols), b.correlation_over(rows, cols));
  }

  testing::Scene scene_;
  std::optional<PlannedBoard> board_;
  std::vector<Floor> floors_;
  FrameNoise whole_;
};

TEST_F(FrameNoises, DoNotTellWhenTheirRingsWereLookedAt) {
  ASSERT_GT(whole_.pixels(), 1000u);
  expect_same(noise({0, 1}, 65536), whole_);
  expect_same(noise({}, 65536), whole_);
  expect_same(noise({1}, 65536), whole_);
}

TEST_F(FrameNoises, AreOfTheFirstRingsThatAreFloors) {
  const FrameNoise first = noise({0}, 1);
  EXPECT_EQ(first.pixels(), floors_[0].evidence.inliers);
  floors_[0].reason = Reason::floor_sides;
  const FrameNoise second = noise({0}, 1);  // the first was refused, nobody looked at the second
  EXPECT_EQ(second.pixels(), floors_[1].evidence.inliers);
  EXPECT_NE(second.pixel_um2(), first.pixel_um2());
}

}  // namespace
}  // namespace datum::frame_noise_test

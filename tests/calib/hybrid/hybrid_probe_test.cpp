#include "calib/hybrid/hybrid_probe.h"

#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <array>
#include <limits>
#include <random>

#include "tests/calib/hybrid/bore.h"

namespace datum::hybrid_probe_test {
namespace {

using State = HybridProbe::State;
using testing::Bore;
using testing::drive;
using ::testing::HasSubstr;

// Lengths of 200 mm through a fit and a projection or two.
constexpr double rounding_mm = 1e-10;

HybridSettings settings() {
  HybridSettings s;
  s.probe = {1.5, 0.001, 0.002};
  return s;
}

/// A scan of a hole of 5 mm at (40, -20, 10), with the uncertainty of the thesis' scanner.
HoleCandidate candidate(const Eigen::Vector3d& error = {0, 0, 0}) {
  HoleCandidate hole;
  hole.center_mm = Eigen::Vector3d(40 + error.x(), -20 + error.y(), 10);
  hole.normal = Eigen::Vector3d::UnitZ();
  hole.radius_mm = 5 + error.z();
  hole.u_own_mm = {0.01, 0.01, 0.01};
  hole.u_shared_mm = {0.05, 0.05, 0.08};
  return hole;
}

const Bore bore{{40, -20, 10}, 5};

struct Hybrid : ::testing::Test {
  HybridRun run{settings()};
  MonotonicNs now = 0;
  const HybridProbe& probe = run.probe();

  void scan(const HoleCandidate& hole) { run.scan(hole, now); }
  void enter() {
    ASSERT_EQ(probe.state(), State::approach) << probe.why();
    run.entered(probe.moves().back().to_mm, now);
    ASSERT_EQ(probe.state(), State::touching) << probe.why();
  }
  Eigen::Vector3d next_contact() const {
    const auto moves = probe.moves();
    return *bore.contact(moves.back().to_mm, moves.front().to_mm, 1.5);
  }
  void expect(State state, const std::string& why) const {
    EXPECT_STREQ(name_of(probe.state()), name_of(state));
    EXPECT_THAT(probe.why(), HasSubstr(why));
    EXPECT_FALSE(probe.deadline());
    EXPECT_TRUE(probe.moves().empty());
  }
};

TEST_F(Hybrid, FindsTheHoleThatTheScanMissesByATenth) {
  scan(candidate({0.06, -0.08, 0.15}));
  drive(run, bore, 1.5, now);
  expect(State::done, "");
  EXPECT_LT((probe.hole().center_mm - bore.center_mm).norm(), rounding_mm);
  EXPECT_NEAR(probe.hole().radius_mm, 5, rounding_mm);
  EXPECT_EQ(probe.round(), 2);
  EXPECT_EQ(probe.hole().touches, 8);
  EXPECT_LT((probe.bias().mean_mm() - Eigen::Vector3d(0.06, -0.08, 0.15)).norm(), rounding_mm);
}

// Clearance = probe radius 1.5 + 3 u (sqrt(0.01^2 + 0.05^2) = 0.051, 3 u = 0.153) + 0.5 mm.
TEST_F(Hybrid, ApproachesFromAboveByTheClearance) {
  scan(candidate());
  const auto moves = probe.moves();
  ASSERT_EQ(moves.size(), 2u);
  EXPECT_FALSE(moves[0].until_contact || moves[1].until_contact);
  EXPECT_NEAR(moves[0].to_mm.z(), 10 + 1.5 + 3 * std::hypot(0.01, 0.05) + 0.5, rounding_mm);
  EXPECT_LT((moves[1].to_mm - Eigen::Vector3d(40, -20, 9)).norm(), rounding_mm);
}

TEST_F(Hybrid, TouchesFourThenEightPlacesAllRound) {
  scan(candidate());
  enter();
  std::vector<Eigen::Vector3d> ways;
  while (!probe.finished()) {
    const auto moves = probe.moves();
    ASSERT_TRUE(moves[0].until_contact && !moves[1].until_contact);
    ways.push_back((moves[0].to_mm - moves[1].to_mm).normalized());
    run.touched(next_contact(), now);
  }
  ASSERT_EQ(ways.size(), 12u);
  Eigen::Vector3d first = Eigen::Vector3d::Zero(), more = Eigen::Vector3d::Zero();
  for (int i = 0; i < 12; ++i) (i < 4 ? first : more) += ways[i];
  EXPECT_LT(first.norm() + more.norm(), rounding_mm);
  for (int i = 4; i < 12; ++i)
    for (int k = 0; k < 4; ++k)
      EXPECT_LT(ways[i].dot(ways[k]), 0.95);  // no place of the first round is
                                              // repeated
}

TEST_F(Hybrid, GuardsAHoleThatTheProbeDoesNotSurelyEnter) {
  HoleCandidate small = candidate();
  small.radius_mm = 2.3;
  scan(small);
  expect(State::guard, "the hole is surely 2.058 mm in radius, the probe needs 2.153 mm");
  small.radius_mm = 2.4;  // 2.4 - 3 * sqrt(0.01^2 + 0.08^2) = 2.158
  scan(small);
  EXPECT_EQ(probe.state(), State::approach);
}

TEST_F(Hybrid, GuardsFiguresThatAreNone) {
  HoleCandidate hole = candidate();
  hole.center_mm.x() = std::numeric_limits<double>::quiet_NaN();
  scan(hole);
  expect(State::guard, "a figure that is none");
  hole = candidate();
  hole.normal = {0, 0, 2};
  scan(hole);
  expect(State::guard, "a figure that is none");
  hole.normal = Eigen::Vector3d(1, 0, 1).normalized();
  scan(hole);
  expect(State::guard, "leans 45 degrees from the machine's z");
}

TEST_F(Hybrid, GuardsAProbeThatIsNotWhereItWasLed) {
  scan(candidate());
  run.entered(probe.moves().back().to_mm + Eigen::Vector3d(0, 0.6, 0), now);
  expect(State::guard, "the probe stands 0.600 mm from where it was led; allowed: 0.500 mm");
}

TEST_F(Hybrid, GuardsContactsThatNobodyExpected) {
  const struct {
    Eigen::Vector3d off;  // from the contact at the wall, whose tip circle is 3.5 mm; along the path, across,
                          // up
    const char* why;
  } cases[] = {
      {{-1.5, 0, 0}, "touch 1 is 2.000 mm from the middle, expected 3.500 +-"},
      {{1.5, 0, 0}, "touch 1 is 5.000 mm from the middle, expected 3.500 +-"},
      {{0, 0, 0.6}, "touch 1 lies 0.600 mm off the depth of 1.000 mm below the surface"},
      {{-7, 0, 0}, "touch 1 lies 180 degrees from the way that the probe was sent"},
  };
  for (const auto& c : cases) {
    scan(candidate());
    enter();
    const auto moves = probe.moves();
    const Eigen::Vector3d way = (moves[0].to_mm - moves[1].to_mm).normalized();
    run.touched(next_contact() + c.off.x() * way + c.off.z() * Eigen::Vector3d::UnitZ(), now);
    expect(State::guard, c.why);
  }
  scan(candidate());
  enter();
  run.touched(Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN()), now);
  expect(State::guard, "a touch whose position is no number");
}

TEST_F(Hybrid, GuardsSilenceAndFailure) {
  scan(candidate());
  EXPECT_EQ(probe.deadline(), 60'000'000'000);
  run.on_deadline(59'999'999'999);
  EXPECT_EQ(probe.state(), State::approach);
  run.on_deadline(60'000'000'000);
  expect(State::guard, "the probe did not enter the hole within 60000 ms");
  scan(candidate());
  enter();
  run.on_deadline(60'000'000'000);
  expect(State::guard, "no touch within 60000 ms");
  scan(candidate());
  enter();
  run.touch_failed("the probe met nothing: '[PRB:...:0]'", now);
  expect(State::guard, "the probe met nothing: '[PRB:...:0]'");
  scan(candidate());
  run.abort(now);
  expect(State::guard, "aborted");
}

// 3 u of scan and touch is 0.153 mm in the plane and 0.242 mm in the radius.
TEST_F(Hybrid, MismatchIsWhatChanceDoesNotExplain) {
  scan(candidate({0.2, 0, 0}));
  drive(run, bore, 1.5, now);
  expect(State::mismatch, "x: touch and scan differ by -0.200 mm, 3 u is 0.153 mm");
  scan(candidate({0, 0.2, 0}));
  drive(run, bore, 1.5, now);
  expect(State::mismatch, "y: touch and scan differ by -0.200 mm");
  scan(candidate({0, 0, -0.3}));
  drive(run, bore, 1.5, now);
  expect(State::mismatch, "radius: touch and scan differ by +0.300 mm");
  EXPECT_EQ(probe.bias().holes(), 0);  // a rejected hole does not enter the bias
}

TEST_F(Hybrid, TouchesThatMakeNoCircleAreAMismatch) {
  int touch = 0;
  scan(candidate());
  drive(run, bore, 1.5, now, [&](const Eigen::Vector3d& p) -> Eigen::Vector3d {
    const Eigen::Vector3d way = (p - bore.center_mm) / 3.5;
    return p + (++touch % 2 ? 0.5 : -0.5) * Eigen::Vector3d(way.x(), way.y(), 0);
  });
  EXPECT_EQ(probe.state(), State::mismatch) << probe.why();
}

// A part that creeps by 4 um per touch moves by more than 5 um per round, without end.
TEST_F(Hybrid, ACreepingPartDoesNotConverge) {
  Eigen::Vector3d creep = Eigen::Vector3d::Zero();
  scan(candidate());
  drive(run, bore, 1.5, now, [&](const Eigen::Vector3d& p) -> Eigen::Vector3d {
    creep.x() += 0.004;
    return p + creep;
  });
  expect(State::no_convergence, "after 5 rounds the center still moves by 0.03");
  EXPECT_EQ(probe.round(), 5);
  EXPECT_EQ(probe.bias().holes(), 0);
}

TEST_F(Hybrid, APartThatComesToRestConverges) {
  Eigen::Vector3d creep = Eigen::Vector3d::Zero();
  int touch = 0;
  scan(candidate());
  drive(run, bore, 1.5, now, [&](const Eigen::Vector3d& p) -> Eigen::Vector3d {
    if (++touch <= 12) creep.x() += 0.002;
    return p + creep;
  });
  expect(State::done, "");
  EXPECT_EQ(probe.round(), 4);
  EXPECT_NEAR(probe.hole().center_mm.x(), 40.024, rounding_mm);
}

TEST_F(Hybrid, ALeaningHoleIsTouchedAcrossItsAxis) {
  HoleCandidate hole = candidate();
  hole.normal = Eigen::Vector3d(0.2, -0.3, 1).normalized();
  const Bore leaning{hole.center_mm, 5, hole.normal};
  hole.center_mm += tangents(hole.normal) * Eigen::Vector2d(0.05, 0.05);
  scan(hole);
  drive(run, leaning, 1.5, now);
  expect(State::done, "");
  EXPECT_LT((probe.hole().center_mm - leaning.center_mm).norm(), rounding_mm);
}

TEST_F(Hybrid, BiasOfTheFirstHoleCorrectsTheSecond) {
  const Eigen::Vector3d bias(0.03, 0.07, 0.18);
  scan(candidate(bias));
  drive(run, bore, 1.5, now);
  ASSERT_EQ(probe.state(), State::done);
  scan(candidate(bias));
  EXPECT_LT((compared(probe.expected()) - Eigen::Vector3d(40, -20, 5)).norm(), rounding_mm);
  EXPECT_EQ(probe.u_expected_mm(), candidate().u_mm());  // one hole gives no scatter
}

// From three holes on, their scatter replaces the calibration's uncertainty: the scanner's repeatability
// remains.
TEST_F(Hybrid, ThreeHolesTellTheUncertaintyOfTheNext) {
  for (const double x : {0.02, 0.03, 0.04}) {
    scan(candidate({x, 0, 0}));
    drive(run, bore, 1.5, now);
  }
  scan(candidate());
  // scatter 0.01, u of the mean: the larger of 0.01 / sqrt(3) and the holes' own, 0.01 and touches of 0.001.
  EXPECT_NEAR(probe.u_expected_mm().x(), std::sqrt(0.01 * 0.01 * (2 + 1 / 3.0)), 1e-4);
  EXPECT_LT(probe.u_expected_mm().z(), 0.02);
}

TEST(HybridSettings, RefusedWithWhatIsAllowed) {
  const auto refusal = [](auto change) -> std::string {
    HybridSettings s = settings();
    change(s);
    try {
      HybridProbe{s};
    } catch (const FitRefused& error) {
      return error.what();
    }
    return "(accepted)";
  };
  EXPECT_EQ(refusal([](auto& s) { s.eps_mm = 0; }), "hybrid: eps_mm = 0; allowed: above 0, up to 1");
  EXPECT_EQ(refusal([](auto& s) { s.first_touches = 3; }), "hybrid: first_touches = 3; allowed: 4 to 64");
  EXPECT_EQ(refusal([](auto& s) { s.max_rounds = 1; }), "hybrid: max_rounds = 1; allowed: 2 to 100");
  EXPECT_EQ(refusal([](auto& s) { s.spare_mm = -1; }), "hybrid: spare_mm = -1; allowed: above 0, up to 100");
  EXPECT_EQ(refusal([](auto& s) { s.probe.radius_mm = 0; }), "probe: radius_mm = 0; allowed: above 0");
}

}  // namespace
}  // namespace datum::hybrid_probe_test

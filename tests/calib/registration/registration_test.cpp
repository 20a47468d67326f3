#include "calib/registration/registration.h"

#include <gmock/gmock.h>

#include <Eigen/Geometry>

#include "calib/registration/overlap.h"
#include "tests/calib/registration/board_scene.h"

namespace datum::registration_test {
namespace {

using ::testing::AnyOf;
using testing::bent;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::flat;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::parts;
using testing::seen;
using testing::Surface;

/// A sensor rotated by some degrees about each axis, on a stage with the thesis' squareness.
SnapshotModel truth() {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() =
      (Eigen::AngleAxisd(0.03, Eigen::Vector3d::UnitX()) *
       Eigen::AngleAxisd(-0.02, Eigen::Vector3d::UnitY()) * Eigen::AngleAxisd(0.09, Eigen::Vector3d::UnitZ()))
          .toRotationMatrix();
  m.topRightCorner<3, 1>() << -4, 3, 1;
  SnapshotModel model;
  model.at_calibration.htm = Htm<Machine, Sensor>(m);
  model.at_calibration.covariance.diagonal() << 1e-9, 1e-9, 1e-9, 2.5e-5, 2.5e-5, 2.5e-5;  // 30 urad, 5 um
  model.stage.a = stage_matrix({8.073e-4, 0, 0}, {0, 0, 0});
  model.u.position_um = {1, 1, 1};
  return model;
}

SnapshotCheckSettings settings() { return {testing::scene_noise_mm}; }

/// Frames of the true machine at these stage positions.
struct Cell {
  std::vector<Eigen::Vector3d> q;
  std::vector<HeightFrame> frames;

  Cell(const Surface& surface, std::vector<Eigen::Vector3d> at) : q(std::move(at)) {
    for (std::size_t i = 0; i < q.size(); ++i)
      frames.push_back(seen(surface, pose_of(truth(), q[i], Convention::as_stated), i + 1));
  }
  std::vector<Snapshot> told(const std::function<Eigen::Vector3d(Eigen::Vector3d)>& lie = {}) const {
    std::vector<Snapshot> snapshots;
    for (std::size_t i = 0; i < q.size(); ++i) snapshots.push_back({&frames[i], lie ? lie(q[i]) : q[i]});
    return snapshots;
  }
};

const std::vector<Eigen::Vector3d> two_places{{0, 0, 0}, {9, 5, 0.8}};
const Cell& board() {
  static const Cell cell(parts(), two_places);
  return cell;
}

PairReport compare_two(const std::vector<Snapshot>& s, const SnapshotModel& model = truth()) {
  return compare(s[0], s[1], model, settings());
}

TEST(Registration, SnapshotsOfABoardAgreeAndProveTheirConvention) {
  const PairReport report = compare_two(board().told());
  EXPECT_STREQ(name_of(report.agreement), "AGREES") << report.text;
  EXPECT_TRUE(report.shift.tells(0) && report.shift.tells(1) && report.shift.tells(2)) << report.text;
  // 4 um by squareness over 5 mm is too little for pixels of 100 um; every other mistake is excluded.
  EXPECT_THAT(report.not_excluded,
              Each(AnyOf(Convention::squareness_reversed, Convention::squareness_ignored)))
      << report.text;
}

TEST(Registration, TwoSnapshotsFromOnePlaceExcludeNothing) {
  const Cell cell(parts(), {{0, 0, 0}, {0, 0, 0}});
  PairReport report = compare_two(cell.told());
  EXPECT_STREQ(name_of(report.agreement), "AGREES") << report.text;
  EXPECT_THAT(report.not_excluded,
              ::testing::IsSupersetOf(
                  {Convention::stage_reversed, Convention::x_reversed, Convention::squareness_ignored}));
  SnapshotModel square = truth();
  square.stage.a.setIdentity();
  report = compare_two(cell.told(), square);
  EXPECT_THAT(report.not_excluded, ::testing::Contains(Convention::y_reversed));
  EXPECT_THAT(report.not_excluded, ::testing::Not(::testing::Contains(Convention::squareness_reversed)));
}

TEST(Registration, EveryMistakeOfTheStageIsNamed) {
  const struct {
    Convention mistake;
    std::function<Eigen::Vector3d(Eigen::Vector3d)> lie;
  } cases[] = {
      {Convention::stage_reversed, [](auto q) -> Eigen::Vector3d { return -q; }},
      {Convention::x_reversed,
       [](auto q) -> Eigen::Vector3d {
         return {-q.x(), q.y(), q.z()};
       }},
      {Convention::y_reversed,
       [](auto q) -> Eigen::Vector3d {
         return {q.x(), -q.y(), q.z()};
       }},
      {Convention::z_reversed,
       [](auto q) -> Eigen::Vector3d {
         return {q.x(), q.y(), -q.z()};
       }},
      {Convention::x_y_exchanged,
       [](auto q) -> Eigen::Vector3d {
         return {q.y(), q.x(), q.z()};
       }},
  };
  for (const auto& c : cases) {
    const PairReport report = compare_two(board().told(c.lie));
    EXPECT_STREQ(name_of(report.agreement), "WRONG_CONVENTION") << report.text;
    EXPECT_THAT(report.explained_by, ElementsAre(c.mistake)) << report.text;
    EXPECT_THAT(report.text, HasSubstr(remedy_of(c.mistake)));
  }
}

TEST(Registration, ASensorThatDidNotMoveIsNamed) {
  Cell cell(parts(), {{0, 0, 0}, {0, 0, 0}});
  cell.q[1] = {9, 5, 0.8};
  const PairReport report = compare_two(cell.told());
  EXPECT_THAT(report.explained_by, ElementsAre(Convention::stage_not_applied)) << report.text;
}

TEST(Registration, ATransposedRotationIsNamed) {
  SnapshotModel model = truth();
  Eigen::Matrix4d m = model.at_calibration.htm.matrix();
  m.topLeftCorner<3, 3>().transposeInPlace();
  model.at_calibration.htm = Htm<Machine, Sensor>(m);
  const PairReport report = compare_two(board().told(), model);
  EXPECT_THAT(report.explained_by, ElementsAre(Convention::rotation_transposed)) << report.text;
}

TEST(Registration, MirroredFramesAreNamed) {
  Cell cell = board();
  for (HeightFrame& frame : cell.frames) {
    frame.delivered = Handedness::left;
    mirror_to_right_handed(frame);
    frame.delivered = Handedness::right;
  }
  const PairReport report = compare_two(cell.told());
  EXPECT_THAT(report.explained_by, ElementsAre(Convention::mirrored)) << report.text;
}

TEST(Registration, AWrongStagePositionContradictsWhateverTheConvention) {
  const PairReport report = compare_two(board().told([](auto q) -> Eigen::Vector3d {
    return q + (q.norm() > 0 ? Eigen::Vector3d(1.5, -2.2, 0) : Eigen::Vector3d(0, 0, 0));
  }));
  EXPECT_STREQ(name_of(report.agreement), "CONTRADICTS") << report.text;
}

// Displaced by 25 um in x and 15 um in z: the calibration and the stage explain 2 um.
TEST(Registration, AShiftBeyondTheModelsUncertaintyIsMeasuredAndCarried) {
  const std::vector<Snapshot> told = board().told([](auto q) -> Eigen::Vector3d {
    return q + (q.norm() > 0 ? Eigen::Vector3d(0.025, 0, 0.015) : Eigen::Vector3d(0, 0, 0));
  });
  const RegistrationReport all = check_registration(told, truth(), settings());
  const PairReport& report = all.pairs[0];
  EXPECT_STREQ(name_of(report.agreement), "EXCEEDS") << report.text;
  EXPECT_TRUE(all.usable);
  const Eigen::Matrix3d c = report.shift.covariance_at(report.shift.center_mm);
  for (int i = 0; i < 3; ++i) EXPECT_LT(std::sqrt(c(i, i)), 0.01) << i;
  // b's stated pose is 25 and 15 um too far: moved back by that it lies on a. Three standard uncertainties of
  // the fit.
  const Eigen::Vector3d d = report.shift.at(report.shift.center_mm);
  EXPECT_NEAR(d.x(), -0.025, 3 * std::sqrt(c(0, 0)));
  EXPECT_NEAR(d.y(), 0, 3 * std::sqrt(c(1, 1)));
  EXPECT_NEAR(d.z(), -0.015, 3 * std::sqrt(c(2, 2)));
  const Eigen::Vector3d u = u_registration_mm(all, 1, report.shift.center_mm);
  EXPECT_NEAR(u.x(), std::sqrt(d.x() * d.x() / 2 + c(0, 0)), 1e-12);
  EXPECT_GT(u.x(), 0.015);
  EXPECT_GT(u.z(), 0.010);
  // Far from the overlap even a small fitted rotation counts too.
  EXPECT_GT(u_registration_mm(all, 1, report.shift.center_mm + Eigen::Vector3d(0, 300, 0)).z(), u.z());
}

// Half a millimetre of height: every point is displaced, and it is still one surface. Heights of 5000
// samples, 14 um each: 0.2 um; ten of those.
TEST(Registration, ALargeCommonShiftIsAShiftAndNoContradiction) {
  const Cell cell(bent(), two_places);
  const PairReport report = compare_two(cell.told([](auto q) -> Eigen::Vector3d {
    return q + (q.norm() > 0 ? Eigen::Vector3d(0, 0, 0.5) : Eigen::Vector3d(0, 0, 0));
  }));
  EXPECT_STREQ(name_of(report.agreement), "EXCEEDS") << report.text;
  EXPECT_NEAR(report.shift.at(report.shift.center_mm).z(), -0.5, 0.002);
}

// The same 25 um agree where the stage's reading has an uncertainty of 20 um.
TEST(Registration, AShiftWithinTheModelsUncertaintyAgrees) {
  SnapshotModel model = truth();
  const auto told = board().told([](auto q) -> Eigen::Vector3d {
    return q + (q.norm() > 0 ? Eigen::Vector3d(0.025, 0, 0) : Eigen::Vector3d(0, 0, 0));
  });
  EXPECT_STREQ(name_of(compare_two(told, model).agreement), "EXCEEDS");
  model.u.position_um = {20, 20, 20};
  EXPECT_STREQ(name_of(compare_two(told, model).agreement), "AGREES");
}

TEST(Registration, AMistakeThatWouldLeaveNoOverlapIsNotExcluded) {
  const Cell cell(parts(), {{0, 0, 0}, {15.7, 0, 0.8}});
  const PairReport report = compare_two(cell.told());
  EXPECT_STREQ(name_of(report.agreement), "AGREES") << report.text;
  EXPECT_THAT(report.not_excluded, Contains(Convention::x_y_exchanged)) << report.text;
  EXPECT_THAT(report.not_excluded, Not(Contains(Convention::x_reversed))) << report.text;
}

// The first and the last have 4 mm of overlap, of which a part of 0.4 mm was moved: 10 % of their overlap, 3
// % of that of the last two.
TEST(Registration, OnePairThatContradictsSpoilsAChainThatHangsTogether) {
  Cell cell(parts(), {{0, 0, 0}, {8, 0, 0}, {16, 0, 0}});
  EXPECT_TRUE(check_registration(cell.told(), truth(), settings()).usable);
  auto& heights = std::get<std::vector<float>>(cell.frames[2].counts);
  for (int row = 0; row < 160; ++row)
    for (int col = 5; col < 9; ++col) heights[static_cast<std::size_t>(row) * 200 + col] += 1;
  const RegistrationReport report = check_registration(cell.told(), truth(), settings());
  EXPECT_STREQ(name_of(report.pairs[0].agreement), "AGREES") << report.text;
  EXPECT_STREQ(name_of(report.pairs[1].agreement), "CONTRADICTS") << report.text;
  EXPECT_STREQ(name_of(report.pairs[2].agreement), "AGREES") << report.text;
  EXPECT_FALSE(report.usable);
}

// A rotation of 1 mrad about z over 100 mm in x is 0.1 mm in y; a reading of the stage at each end; T is
// common to both.
TEST(Convention, DifferenceOfTwoSnapshotsHasTheTurnAndTwoReadings) {
  SnapshotModel model;
  model.at_calibration.covariance(2, 2) = 1e-6;
  model.at_calibration.covariance.bottomRightCorner<3, 3>().setIdentity();
  model.u.position_um = {3, 0, 0};
  const Eigen::Matrix3d c = difference_covariance(model, {50, 0, 0}, {150, 0, 0});
  EXPECT_LT((c.diagonal() - Eigen::Vector3d(18e-6, 0.01, 0)).norm(), 1e-15);
}

TEST(ShiftFit, APointMovesByTheShiftAndTheTurnAboutTheCenter) {
  ShiftFit fit;
  fit.center_mm = {10, 0, 0};
  fit.arm_mm = 5;
  fit.shift_mm << 0, 0, 5e-3, 0.1, 0.2, 0.3;  // 1 mrad about z
  EXPECT_LT((fit.at({10, 0, 0}) - Eigen::Vector3d(0.1, 0.2, 0.3)).norm(), 1e-15);
  EXPECT_LT((fit.at({110, 0, 0}) - Eigen::Vector3d(0.1, 0.3, 0.3)).norm(), 1e-15);
  fit.covariance_mm2(2, 2) = 25e-6;
  EXPECT_LT((fit.covariance_at({110, 0, 0}).diagonal() - Eigen::Vector3d(0, 0.01, 0)).norm(), 1e-15);
}

TEST(Registration, AFlatBoardProvesHeightAndTiltsOnly) {
  const Cell cell(flat(), two_places);
  const PairReport report = compare_two(cell.told());
  EXPECT_STREQ(name_of(report.agreement), "AGREES") << report.text;
  EXPECT_TRUE(report.shift.tells(2));
  EXPECT_FALSE(report.shift.tells(0) || report.shift.tells(1));
  EXPECT_THAT(report.text, HasSubstr("the overlap has no texture that would determine x, y"));
  EXPECT_THAT(report.not_excluded, Contains(Convention::x_y_exchanged)) << report.text;
  EXPECT_THAT(report.not_excluded, Not(Contains(Convention::z_reversed))) << report.text;  // 1.6 mm apart
}

// A single spot may be dust that moved.
TEST(Registration, ASpeckOfDustProvesNothing) {
  const Cell cell(testing::speck(), two_places);
  const PairReport report = compare_two(cell.told());
  EXPECT_STREQ(name_of(report.agreement), "AGREES") << report.text;
  EXPECT_FALSE(report.shift.tells(0) || report.shift.tells(1)) << report.text;
  EXPECT_TRUE(report.shift.tells(2));
}

TEST(Registration, ABentSheetTellsAllThreeWithoutASingleStep) {
  const Cell cell(bent(), two_places);
  const PairReport report = compare_two(cell.told());
  EXPECT_STREQ(name_of(report.agreement), "AGREES") << report.text;
  EXPECT_TRUE(report.shift.tells(0) && report.shift.tells(1) && report.shift.tells(2)) << report.text;
  const PairReport reversed = compare_two(cell.told([](auto q) -> Eigen::Vector3d { return -q; }));
  EXPECT_THAT(reversed.explained_by, ElementsAre(Convention::stage_reversed)) << reversed.text;
}

TEST(Registration, TooLittleOverlapShowsNothing) {
  const Cell cell(flat(), {{0, 0, 0}, {19.5, 0, 0}});
  const RegistrationReport report = check_registration(cell.told(), truth(), settings());
  EXPECT_STREQ(name_of(report.pairs[0].agreement), "TOO_LITTLE") << report.pairs[0].text;
  EXPECT_FALSE(report.usable);
  EXPECT_THAT(report.text, HasSubstr("do not hang together"));
  EXPECT_EQ(u_registration_mm(report, 0, {0, 0, 0}), Eigen::Vector3d::Zero());
}

// Three in a row: the outer two do not overlap and are connected by the middle one.
TEST(Registration, AChainOfSnapshotsHangsTogether) {
  const Cell cell(parts(), {{0, 0, 0}, {12, 0, 0}, {24, 0, 0}});
  const RegistrationReport report = check_registration(cell.told(), truth(), settings());
  EXPECT_TRUE(report.usable) << report.text;
  EXPECT_EQ(report.pairs.size(), 3u);
  EXPECT_STREQ(name_of(report.pairs[1].agreement), "TOO_LITTLE");
  const RegistrationReport wrong =
      check_registration(cell.told([](auto q) -> Eigen::Vector3d { return -q; }), truth(), settings());
  EXPECT_FALSE(wrong.usable);
}

// 20 pairs with different places and noise, from a sensor whose pixel rows are parallel to the walls: all
// samples of a wall have equal errors. The error of a determined shift lies within k = 2 in 95.45 % of the
// components; the share of 40 and more has a standard deviation of at most 3.3 %, and four of those leave 82
// %. compare() fits the same shift, and ten times as many to exclude mistakes: it judges every fourth pair.
TEST(Registration, CovarianceOfTheShiftIsHonest) {
  int inside = 0, told = 0;
  const Surface surface = parts();
  SnapshotModel model = truth();
  model.at_calibration.htm = {};
  const auto pose_at = [&](const Eigen::Vector3d& q) { return pose_of(model, q, Convention::as_stated); };
  const Eigen::Vector3d from(0, 0, 0);
  const HeightFrame first = testing::seen_without_noise(surface, pose_at(from));
  for (std::uint64_t i = 0; i < 20; ++i) {
    std::mt19937_64 random(i);
    std::uniform_real_distribution<double> off(-1, 1);
    const Eigen::Vector3d q(8 + off(random), 4 + off(random), off(random));
    const HeightFrame a = testing::with_noise(first, 100 + i), b = seen(surface, pose_at(q), 200 + i);
    const ShiftFit fit = fit_shift(
        [&](const Eigen::Matrix4d& moved) {
          return overlap_samples(a, pose_at(from), b, moved * pose_at(q), {testing::scene_noise_mm});
        },
        difference_covariance(model, from, q));
    for (int k = 0; k < 3; ++k) {
      if (!fit.tells(k)) continue;
      ++told;
      inside += std::abs(fit.shift_mm[3 + k]) <= 2 * std::sqrt(fit.covariance_mm2(3 + k, 3 + k));
    }
    if (i % 4 != 0) continue;
    const PairReport report = compare({&a, from}, {&b, q}, model, settings());
    EXPECT_STREQ(name_of(report.agreement), "AGREES") << report.text;
    EXPECT_EQ(report.shift.shift_mm, fit.shift_mm);
    EXPECT_EQ(report.shift.covariance_mm2, fit.covariance_mm2);
  }
  EXPECT_GE(told, 40);
  EXPECT_GE(inside, 0.82 * told);
}

TEST(Registration, BadSettingsAndFramesAreRefused) {
  const auto refusal = [](const Snapshot& s, const SnapshotCheckSettings& r) -> std::string {
    try {
      compare(s, s, truth(), r);
    } catch (const CalibrationError& error) {
      return error.what();
    }
    return "(accepted)";
  };
  HeightFrame frame = board().frames[0];
  EXPECT_EQ(refusal({&frame}, {0}), "registration: noise_sigma_mm = 0; allowed: above 0");
  EXPECT_EQ(refusal({nullptr}, settings()), "registration: a snapshot without frame");
  frame.delivered = Handedness::left;
  EXPECT_THAT(refusal({&frame}, settings()), HasSubstr("is left-handed: mirror it at ingest"));
}

}  // namespace
}  // namespace datum::registration_test

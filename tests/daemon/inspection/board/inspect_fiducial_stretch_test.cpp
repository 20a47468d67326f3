// Scale and shear of a board by its fiducials and its bodies together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/inspection/registration/fiducial_motion.h"
#include "tests/daemon/inspection/board/fiducial_scene.h"

namespace datum::inspect_fiducials_test {
namespace {

using ::testing::HasSubstr;

/// About the board's middle, as parts and artwork of a board that swelled.
Laid swollen(double x, double y, double b, bool parts_too = true) {
  Eigen::Matrix2d d;
  d << x, b, b, y;
  const Eigen::Vector2d middle(6, 4);
  const auto move = [&](Eigen::Vector2d& at) { at = middle + d * (at - middle); };
  Laid at;
  for (Component& c : at.seen)
    if (parts_too) move(c.body.centre_mm);
  for (Fiducial& f : at.printed) move(f.centre_mm);
  return at;
}

Scene modelled(Scene s, BoardModel model, double most) {
  return with(std::move(s), [&](AlignmentRecipe& a) {
    a.model = model;
    a.max_scale_ppm = most;
    if (model == BoardModel::affine) a.max_shear_urad = most;
  });
}

/// 4000 ppm of 5 mm are 20 um. A mark is known to 2 um over arms of 5 mm: 250 ppm; parts that scatter by 20 um leave three times as much.
TEST(InspectFiducialStretch, TellAScaleBetterThanPartsDo) {
  for (const double ppm : {4000.0, -3000.0}) {
    const double by = 1 + 1e-6 * ppm;
    Laid at = swollen(by, by, 0);
    scatter(at.seen);
    const Scene s = modelled(placed(at), BoardModel::similarity, 5000);
    const BoardVerdict v = verdict_from_json(to_json(s.inspect()));
    ASSERT_EQ(v.reason, Reason::none) << v.detail;
    EXPECT_EQ(number(v, "fiducials_found"), 3) << warnings(v);
    EXPECT_NEAR(number(v, "scale_ppm"), ppm, 3 * number(v, "u_scale_ppm"));
    EXPECT_NEAR(number(v, "shift_x_um"), 310, 4);
    EXPECT_NEAR(number(v, "shift_y_um"), -220, 4);
    EXPECT_EQ(v.stages.at(0).version, "5");
    const BoardVerdict bodies = with(s, [](AlignmentRecipe& a) { a.fiducials.clear(); }).inspect();
    EXPECT_GT(number(bodies, "u_scale_ppm"), 2 * number(v, "u_scale_ppm"));
  }
}

TEST(InspectFiducialStretch, TellScalesAlongBothAxesAndAShear) {
  const BoardVerdict v = modelled(placed(swollen(1.004, 0.997, 0.001)), BoardModel::affine, 5000).inspect();
  ASSERT_EQ(v.reason, Reason::none) << v.detail;
  EXPECT_EQ(number(v, "fiducials_freedom"), 0) << "three marks tell the model and no more";
  EXPECT_NEAR(number(v, "scale_x_ppm"), 4000, 3 * number(v, "u_scale_x_ppm"));
  EXPECT_NEAR(number(v, "scale_y_ppm"), -3000, 3 * number(v, "u_scale_y_ppm"));
  EXPECT_NEAR(number(v, "shear_urad"), 2000, 3 * number(v, "u_shear_urad"));
  EXPECT_LT(number(v, "u_scale_x_ppm"), 500);
}

TEST(InspectFiducialStretch, AStretchBeyondItsLimitOrOfTheMarksAloneIsInvalid) {
  const BoardVerdict far =
      modelled(placed(swollen(1.0045, 1.0045, 0)), BoardModel::similarity, 3000).inspect();
  EXPECT_EQ(far.decision, Decision::invalid);
  EXPECT_THAT(far.detail, HasSubstr("parts and fiducials show a scale of 4"));
  EXPECT_THAT(far.detail, HasSubstr("at most alignment.max_scale_ppm = 3000"));
  const BoardVerdict marks_alone =
      modelled(placed(swollen(1.015, 0.985, 0, false)), BoardModel::affine, 5000).inspect();
  EXPECT_EQ(marks_alone.decision, Decision::invalid);
  EXPECT_THAT(marks_alone.detail, HasSubstr("fiducials and parts disagree"));
}

/// Three marks of an affine board have no remainder of their own: how far they contradict the bodies widens U, as Birge's ratio does else.
TEST(InspectFiducialStretch, ThreeMarksThatContradictTheBodiesWidenU) {
  const std::vector<Fiducial> three = marks();
  PlaneMotion motion;
  motion.pivot_mm = {6, 4};
  Vector6d u;
  u << 0.005, 0.005, 1e-3, 1e-3, 1e-3, 1e-3;
  const Matrix6d bodies = u.cwiseAbs2().asDiagonal();
  const auto fitted = [&](double off_mm) {
    std::vector<SoughtFiducial> sought;
    for (const Fiducial& f : three) {
      FiducialFit fit;
      fit.off_mm = {off_mm, -off_mm};
      fit.covariance = 1e-6 * Eigen::Matrix2d::Identity();
      sought.push_back({&f, {fit, ""}});
    }
    return fit_with_stretch(sought, motion, bodies, 6);
  };
  const StretchedMotion agreeing = fitted(0), apart = fitted(0.012);
  EXPECT_EQ(apart.marks_freedom, 0);
  EXPECT_EQ(apart.parts_freedom, 6);
  ASSERT_GT(apart.parts_chi2, 8);
  EXPECT_NEAR(apart.covariance(3, 3), apart.parts_chi2 / 6 * agreeing.covariance(3, 3),
              1e-9 * apart.covariance(3, 3));
}

}  // namespace
}  // namespace datum::inspect_fiducials_test

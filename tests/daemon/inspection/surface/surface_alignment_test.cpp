// The virtual part is found from what the virtual sensor saw of its datums.
#include "daemon/inspection/surface/surface_alignment.h"

#include <gmock/gmock.h>

#include <cstring>

#include "calib/registration/model_fit_step.h"
#include "tests/daemon/inspection/surface/part_scene.h"

namespace datum {
namespace {

using namespace testing;
using Eigen::Vector3d;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Vector3d middle_mm(48, 32, 0);
const std::vector<std::uint16_t> datums{top_region, front_region, left_region};
const AlignmentSettings settings{1.5};

/// As a fixture leaves a part: 0.4 mm and 5 mrad off.
Htm<Machine, Model> placed_by_hand(const PartScene& scene) {
  const Vector6d off = (Vector6d() << 3e-3, -2e-3, 3.5e-3, 0.3, -0.2, 0.15).finished();
  const model_fit::Lever about{middle_mm, 1};
  return Htm<Machine, Model>(scene.truth().matrix() * model_fit::motion_of(about, off));
}

/// How far a place of the part is from where it truly is, in the model's axes.
Vector3d error_at(const ModelFit& fit, const PartScene& scene, const Vector3d& place) {
  return fit.model_from_machine.htm * (scene.truth() * place) - place;
}

TEST(SurfaceAlignment, AGoodPartIsFoundWithinItsUncertainty) {
  const PartScene scene("good");
  const ModelFit fit =
      align_to_datums(scene.model(), scene.placed, datums, placed_by_hand(scene), settings, cpu_backend(2));
  ASSERT_THAT(fit.refusal, IsEmpty());
  for (const Vector3d& place : {Vector3d(0, 0, 0), Vector3d(96, 0, 0), Vector3d(96, 64, 0), middle_mm}) {
    const Vector3d error = error_at(fit, scene, place);
    const Eigen::Matrix3d covariance = point_covariance(fit.model_from_machine, scene.truth() * place);
    // noise is known; the sensor's linearity of 0.35 um enters beside, doubled by the chamfers' slope and twice by the
    // distance from them
    for (int k = 0; k < 3; ++k)
      EXPECT_LT(std::abs(error[k]), 4 * std::sqrt(covariance(k, k)) + 1.4e-3)
          << place.transpose() << ": " << k;
    EXPECT_LT(std::sqrt(covariance.diagonal().maxCoeff()), 1.5e-3);
  }
}

TEST(SurfaceAlignment, WithoutNoiseThePartIsFoundToItsCounts) {
  const PartScene scene("good", 4, 0);
  const ModelFit fit =
      align_to_datums(scene.model(), scene.placed, datums, placed_by_hand(scene), settings, cpu_backend(2));
  ASSERT_THAT(fit.refusal, IsEmpty());
  // counts of 0.25 um round by at most 0.125 um; more than a thousand of them leave little
  for (const Vector3d& place : {Vector3d(0, 0, 0), middle_mm, Vector3d(96, 64, 0)})
    EXPECT_LT(error_at(fit, scene, place).norm(), 0.125e-3);
}

TEST(SurfaceAlignment, ADentAndAShiftedHoleHardlyMoveTheDatums) {
  const PartScene scene("dent=150,hole=0.15:-0.08");
  const ModelFit fit =
      align_to_datums(scene.model(), scene.placed, datums, placed_by_hand(scene), settings, cpu_backend(2));
  ASSERT_THAT(fit.refusal, IsEmpty());
  // the dent is in the datum: 5.9 mm^3 over the plate's 4000 mm^2 lower it by 1.5 um, twice that where it tilts
  EXPECT_LT(std::abs(error_at(fit, scene, middle_mm).z()), 4e-3);
}

TEST(SurfaceAlignment, ASunkHoleTellsItsOwnShift) {
  const PartScene scene("hole=0.15:-0.08");
  const ModelFit at =
      align_to_datums(scene.model(), scene.placed, datums, placed_by_hand(scene), settings, cpu_backend(2));
  ASSERT_THAT(at.refusal, IsEmpty());
  const ModelFit hole = refine_on_regions(scene.model(), scene.placed, {sink_region}, at.model_from_machine,
                                          {1, 0.1}, settings, cpu_backend(2));
  ASSERT_THAT(hole.refusal, IsEmpty());
  EXPECT_THAT(hole.untold, ::testing::Contains(HasSubstr("turn about (0.0")));
  // what brings the hole onto its model is minus its shift
  const Vector3d center(48, 20, -1.5);
  const Vector3d shift =
      center - hole.model_from_machine.htm * (at.model_from_machine.htm.inverse() * center);
  // 4 standard uncertainties of a mean over some 900 points with 4 um noise on 45 degrees, correlated over 4 x 4 pixels,
  // and the datums' own
  EXPECT_NEAR(shift.x(), 0.15, 0.004);
  EXPECT_NEAR(shift.y(), -0.08, 0.004);
}

TEST(SurfaceAlignment, BytesDependOnNeitherInstructionSetNorThreads) {
  const PartScene scene("good", 4);
  Backend scalar = cpu_backend(1);
  scalar.isa = Isa::scalar;
  const auto start = placed_by_hand(scene);
  const ModelFit a = align_to_datums(scene.model(), scene.placed, datums, start, settings, scalar);
  const ModelFit b = align_to_datums(scene.model(), scene.placed, datums, start, settings, cpu_backend(3));
  ASSERT_THAT(a.refusal, IsEmpty());
  EXPECT_EQ(a.model_from_machine.htm.matrix(), b.model_from_machine.htm.matrix());
  EXPECT_EQ(a.model_from_machine.covariance, b.model_from_machine.covariance);
}

TEST(SurfaceAlignment, APartTooFarFromItsPlaceIsRefused) {
  const PartScene scene("good", 4);
  Eigen::Matrix4d away = scene.truth().matrix();
  away(2, 3) += 20;
  const ModelFit fit = align_to_datums(scene.model(), scene.placed, datums, Htm<Machine, Model>(away),
                                       settings, cpu_backend(2));
  EXPECT_THAT(fit.refusal, HasSubstr("datum 1: 0 points"));
}

}  // namespace
}  // namespace datum

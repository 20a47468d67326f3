// Parts of known pose: planes, a shaft, a cone, with distances in closed form.
#include "calib/registration/model_fit.h"

#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "calib/registration/model_fit_step.h"

namespace datum::model_fit_test {
namespace {

using Eigen::Vector3d;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Htm<Model, Machine> pose_of(const Vector3d& turn_rad, const Vector3d& shift_mm) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() = rotation_from_vector(turn_rad);
  m.topRightCorner<3, 1>() = shift_mm;
  return Htm<Model, Machine>(m);
}

const Htm<Model, Machine> truth = pose_of({0.02, -0.03, 0.4}, {-300, -200, 95});
/// Displaced by 0.4 mm at the part and 5 mrad, as in a fixture.
const Htm<Model, Machine> start = [] {
  const model_fit::Lever about{{48, 32, 0}, 1};
  const Vector6d off = (Vector6d() << 3e-3, -2e-3, 3.5e-3, 0.3, -0.2, 0.15).finished();
  return Htm<Model, Machine>(model_fit::motion_of(about, off) * truth.matrix());
}();

/// A surface by the place nearest to a point: distance and normal.
struct Shape {
  std::function<std::pair<double, Vector3d>(const Vector3d&)> nearest;
  std::vector<Vector3d> on;  // places of it
};

Shape plane_shape(const Vector3d& corner, const Vector3d& u, const Vector3d& v, int n) {
  const Vector3d normal = u.cross(v).normalized();
  Shape s;
  s.nearest = [=](const Vector3d& p) { return std::pair(normal.dot(p - corner), normal); };
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) s.on.push_back(corner + (i + 0.5) / n * u + (k + 0.5) / n * v);
  return s;
}

/// About the z axis through (x, y, 0), as `facets` plane strips; facets 0: round. `slope`: decrease of the
/// radius per mm of height.
Shape round_shape(double x, double y, double radius, double slope, int facets, int n) {
  const Vector3d axis(x, y, 0);
  Shape s;
  s.nearest = [=](const Vector3d& p) {
    double angle = std::atan2(p.y() - y, p.x() - x);
    double reach = radius;
    if (facets > 0) {
      const double each = 2 * std::numbers::pi / facets;
      angle = (std::floor(angle / each) + 0.5) * each;
      reach = radius * std::cos(each / 2);
    }
    const Vector3d out(std::cos(angle), std::sin(angle), 0);
    const Vector3d normal = Vector3d(out.x(), out.y(), slope).normalized();
    return std::pair(normal.dot(p - axis - reach * out), normal);
  };
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      const double a = 2 * std::numbers::pi * (i + 0.5) / n, z = 20.0 * (k + 0.5) / n;
      Vector3d p = axis + Vector3d((radius - slope * z) * std::cos(a), (radius - slope * z) * std::sin(a), z);
      const auto [d, normal] = s.nearest(p);
      s.on.push_back(p - d * normal);
    }
  return s;
}

/// Scanned at `truth`, each point with noise along the normal; tiles of 8 points.
ModelSamples scanned(const Shape& shape, double noise_mm = 0, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Vector3d> machine;
  for (const Vector3d& p : shape.on)
    machine.push_back(truth.inverse() * (p + noise_mm * normal(random) * shape.nearest(p).second));
  return [machine, nearest = shape.nearest](const Htm<Model, Machine>& pose) {
    std::vector<ModelSample> samples;
    for (std::size_t i = 0; i < machine.size(); ++i) {
      const Vector3d p = pose * machine[i];
      const auto [distance, n] = nearest(p);
      samples.push_back({p, n, distance, 1, static_cast<std::uint32_t>(i / 8)});
    }
    return samples;
  };
}

// A plate's upper side and two chamfers, as of the virtual part.
Shape top(int n = 20) { return plane_shape({10, 10, 0}, {80, 0, 0}, {0, 45, 0}, n); }
Shape front(int n = 20) { return plane_shape({5, 0, -3}, {86, 0, 0}, {0, 3, 3}, n); }
Shape left(int n = 20) { return plane_shape({0, 60, -3}, {0, -56, 0}, {3, 0, 3}, n); }

void expect_same(const Htm<Model, Machine>& a, const Htm<Model, Machine>& b, double mm, double rad) {
  // where the part is, not at the machine's origin
  const Vector3d part = truth.inverse() * Vector3d(48, 32, 0);
  EXPECT_LT((a * part - b * part).norm(), mm);
  EXPECT_LT(difference(a, b).head<3>().norm(), rad);
}

TEST(ModelFit, ThreePlanesPlaceThePart) {
  const ModelFit fit = fit_datums({scanned(top()), scanned(front()), scanned(left())}, start);
  EXPECT_THAT(fit.refusal, IsEmpty());
  expect_same(fit.model_from_machine.htm, truth, 1e-9,
              1e-10);  // steps below 1e-6 mm converge by a factor of a thousand each
  ASSERT_EQ(fit.steps.size(), 3u);
  EXPECT_EQ(fit.steps[0].told, 3);
  EXPECT_EQ(fit.steps[1].told, 2);
  EXPECT_EQ(fit.steps[2].told, 1);
  EXPECT_GT(fit.steps[0].rms_before_mm, 0.05);
  EXPECT_LT(fit.steps[0].rms_after_mm, 1e-9);
  EXPECT_NEAR(fit.turn_rad, std::sqrt(9 + 4 + 12.25) * 1e-3, 1e-6);
}

TEST(ModelFit, APlaneTheConeOnItAndAnEdgePlaceThePart) {
  const ModelFit fit = fit_datums({scanned(top()), scanned(round_shape(72, 22, 9, 0.4, 88, 30)),
                                   scanned(round_shape(24, 22, 9, 0.4, 88, 30))},
                                  start);
  EXPECT_THAT(fit.refusal, IsEmpty());
  EXPECT_EQ(fit.steps[1].told, 2);
  EXPECT_EQ(fit.steps[2].told, 1);
  expect_same(fit.model_from_machine.htm, truth, 1e-6, 1e-7);
}

TEST(ModelFit, TheFirstDatumIsNotMovedByTheNext) {
  // the front chamfer is 10 mrad steeper than drawn
  Shape wrong = front();
  for (Vector3d& p : wrong.on) p.z() += 0.01 * (p.y() - 1.5);
  const ModelFit a = fit_datums({scanned(top()), scanned(wrong), scanned(left())}, start);
  const ModelFit b = fit_datums({scanned(wrong), scanned(top()), scanned(left())}, start);
  EXPECT_THAT(a.refusal, IsEmpty());
  EXPECT_THAT(b.refusal, IsEmpty());
  EXPECT_LT(a.steps[0].rms_after_mm, 1e-8);
  EXPECT_GT(a.steps[1].rms_after_mm, 1e-3);
  EXPECT_LT(b.steps[0].rms_after_mm, 1e-8);
  EXPECT_GT(b.steps[1].rms_after_mm, 1e-2);
}

TEST(ModelFit, CovarianceIsThatOfTheScatter) {
  constexpr int trials = 60;
  double sum = 0;
  Matrix6d scale = Matrix6d::Zero();
  for (unsigned t = 0; t < trials; ++t) {
    const ModelFit fit = fit_datums(
        {scanned(top(), 0.004, 3 * t), scanned(front(), 0.004, 3 * t + 1), scanned(left(), 0.004, 3 * t + 2)},
        start);
    ASSERT_THAT(fit.refusal, IsEmpty());
    const Vector6d off = difference(truth, fit.model_from_machine.htm);
    sum += off.dot(fit.model_from_machine.covariance.ldlt().solve(off)) / trials;
    scale += off * off.transpose() / trials;
  }
  // Normalised squares of six parameters: mean 6, with standard deviation sqrt(12 / 60) = 0.45. A covariance
  // from 50 tiles each is uncertain by about 10 %, which increases them equally: 4 deviations on top of that.
  EXPECT_GT(sum, 6 - 4 * 0.45);
  EXPECT_LT(sum, 6 * 1.2 + 4 * 0.45);
}

TEST(ModelFit, WhatDatumsLeaveFreeIsNamed) {
  const ModelFit fit = fit_datums({scanned(top()), scanned(front())}, start);
  EXPECT_THAT(fit.refusal, HasSubstr("shift along (1.00, 0.00, 0.00)"));
  EXPECT_EQ(fit.untold.size(), 1u);
  EXPECT_THAT(fit_datums({scanned(top())}, start).untold.size(), 3);
}

TEST(ModelFit, ADatumThatTellsNothingNewIsRefused) {
  const ModelFit fit =
      fit_datums({scanned(top()), scanned(plane_shape({10, 10, 5}, {20, 0, 0}, {0, 20, 0}, 20))}, start);
  EXPECT_THAT(fit.refusal, HasSubstr("datum 2 determines nothing"));
}

TEST(ModelFit, ADatumThatWasNotSeenIsRefused) {
  const ModelSamples nothing = [](const Htm<Model, Machine>&) { return std::vector<ModelSample>{}; };
  EXPECT_THAT(fit_datums({scanned(top()), nothing}, start).refusal, HasSubstr("datum 2: 0 points"));
  EXPECT_THAT(fit_datums({scanned(top(6))}, start).refusal, HasSubstr("5 tiles"));
}

// A shaft seen all around: neither its rotation nor its shift along the axis can be determined.
TEST(ModelFit, AShaftIsNotTurnedAboutItsAxis) {
  for (const int facets : {0, 80}) {
    const ModelSamples shaft = scanned(round_shape(12, -7, 9, 0, facets, 60), 0.004);
    // with an uncertainty of 1 mrad and 1 um at its place
    const Matrix6d there = model_fit::as_estimate({{12, -7, 10}, 1}, start.translation_mm());
    const HtmEstimate<Model, Machine> from{start, 1e-6 * there * there.transpose()};
    const ModelFit fit = refine(shaft, from, {1, 0.1});
    EXPECT_THAT(fit.refusal, IsEmpty());
    EXPECT_THAT(fit.untold,
                testing::UnorderedElementsAre(HasSubstr("shift along (0.0"), HasSubstr("turn about (0.0")))
        << facets;
    EXPECT_EQ(fit.steps[0].told, 4);
    // axis found: its direction and place
    const Htm<Machine, Model> back = fit.model_from_machine.htm.inverse(), true_back = truth.inverse();
    const Vector3d on_axis = truth * (back * Vector3d(12, -7, 10));
    EXPECT_LT((on_axis - Vector3d(12, -7, 0)).head<2>().norm(),
              1e-3);  // 4 um over sqrt(3600 / 2) points, four times
    const Vector3d axis = back.rotation().col(2);
    EXPECT_LT(axis.cross(true_back.rotation().col(2)).norm(), 1e-4);
    // along and about it the part keeps its start: 0.15 mm and 3.5 mrad
    EXPECT_LT(std::abs(difference(fit.model_from_machine.htm, start)[2]), 1e-4);
    // and its uncertainty: the axis is 0.4 mm of 9 mm off the middle at the start
    EXPECT_NEAR(fit.model_from_machine.covariance(2, 2), 1e-6, 2e-8);
    EXPECT_LT(fit.model_from_machine.covariance(0, 0), 1e-8);
  }
}

TEST(ModelFit, RefinementFindsThePoseWithinItsLimits) {
  const ModelSamples parts[] = {scanned(top()), scanned(front()), scanned(left())};
  const ModelSamples all = [&](const Htm<Model, Machine>& pose) {
    std::vector<ModelSample> samples;
    for (std::uint32_t k = 0; k < 3; ++k)
      for (ModelSample s : parts[k](pose)) {
        s.group += 1000 * k;
        samples.push_back(s);
      }
    return samples;
  };
  const ModelFit fit = refine(all, {start, Matrix6d::Zero()}, {1, 0.01});
  EXPECT_THAT(fit.refusal, IsEmpty());
  EXPECT_THAT(fit.untold, IsEmpty());
  expect_same(fit.model_from_machine.htm, truth, 1e-8, 1e-9);
  EXPECT_GT(fit.steps[0].rms_before_mm, 0.05);
  EXPECT_LT(fit.steps[0].rms_after_mm, 1e-8);
  EXPECT_GT(fit.steps[0].condition, 0);
  EXPECT_THAT(refine(all, {start, Matrix6d::Zero()}, {0.1, 0.01}).refusal, HasSubstr("limit of 0.1 mm"));
  EXPECT_THAT(refine(all, {start, Matrix6d::Zero()}, {1, 0.002}).refusal, HasSubstr("limit of 0.002 rad"));
}

TEST(ModelFit, WeightsDecideWhoIsFollowed) {
  // two levels of one plane, 0.1 mm apart; the lower one has three times the weight
  Shape both = top();
  for (std::size_t i = 0; i < both.on.size(); ++i) both.on[i].z() += (i / 8) % 2 == 0 ? 0.1 : 0;
  const ModelSamples plain = scanned(both);
  const ModelSamples weighted = [&](const Htm<Model, Machine>& pose) {
    std::vector<ModelSample> samples = plain(pose);
    for (ModelSample& s : samples) s.weight = s.group % 2 == 0 ? 1 : 3;
    return samples;
  };
  const auto height = [](const ModelFit& fit) {
    return (truth * (fit.model_from_machine.htm.inverse() * Vector3d(50, 32.5, 0))).z();
  };
  EXPECT_NEAR(height(refine(plain, {truth, Matrix6d::Zero()}, {1, 0.1})), 0.05, 1e-3);
  EXPECT_NEAR(height(refine(weighted, {truth, Matrix6d::Zero()}, {1, 0.1})), 0.025, 1e-3);
}

}  // namespace
}  // namespace datum::model_fit_test

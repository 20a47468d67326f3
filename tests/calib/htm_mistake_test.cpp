#include "calib/htm_mistake.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "calib/euler_angles.h"

namespace datum {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double sigma_mm = 0.02;

Eigen::Matrix4d motion(const Eigen::Vector3d& angles, const Eigen::Vector3d& t) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() = rotation_from_intrinsic_xyz(angles);
  m.topRightCorner<3, 1>() = t;
  return m;
}

Eigen::Matrix4d mirror(int axis) {
  Eigen::Vector4d d = Eigen::Vector4d::Ones();
  d[axis] = -1;
  return d.asDiagonal();
}

/// Twelve places of a cell of 100 mm in both systems, with noise.
std::vector<PointPair> pairs_of(const Eigen::Matrix4d& truth, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, sigma_mm);
  std::uniform_real_distribution<double> place(-50, 50);
  std::vector<PointPair> pairs;
  for (int i = 0; i < 12; ++i) {
    const Eigen::Vector3d p(place(random), place(random), place(random) / 5);
    const Eigen::Vector4d q = truth * p.homogeneous();
    pairs.push_back({p, q.head<3>() + Eigen::Vector3d(noise(random), noise(random), noise(random))});
  }
  return pairs;
}

HtmEstimate<Machine, Sensor> estimate_of(const Eigen::Matrix4d& truth) {
  HtmEstimate<Machine, Sensor> e{Htm<Machine, Sensor>(truth), Matrix6d::Identity()};
  e.covariance.diagonal() << Eigen::Vector3d::Constant(1e-10),
      Eigen::Vector3d::Constant(1e-6);  // 10 urad, 1 um
  return e;
}

/// General transforms: no angle near 0, 90 or 180 degrees, where mistakes coincide.
Eigen::Matrix4d some_truth(std::mt19937_64& random) {
  std::uniform_real_distribution<double> angle(0.15, 1.2), length(20, 300);
  std::bernoulli_distribution minus;
  const auto sign = [&] { return minus(random) ? -1 : 1; };
  Eigen::Vector3d a, t;
  for (int i = 0; i < 3; ++i) a[i] = sign() * angle(random), t[i] = sign() * length(random);
  return motion(a, t);
}

/// The transform as stated with this mistake.
using Make = Eigen::Matrix4d (*)(const Eigen::Matrix4d& truth);

/// Named in each of 100 transforms, by points and by another estimate. A negated Ry and the wrong order of
/// angles coincide where sin b (1 + cos a cos c) = -sin a sin c; one of these 100 is near that surface, where
/// both must be named.
void expect_named(HtmMistake mistake, const std::string& detail, Make make) {
  std::mt19937_64 random(1);
  int ambiguous = 0;
  for (int k = 0; k < 100; ++k) {
    const Eigen::Matrix4d truth = some_truth(random), given = make(truth);
    for (const HtmDiagnosis& d :
         {diagnose(given, pairs_of(truth, random), sigma_mm), diagnose(given, estimate_of(truth))}) {
      ASSERT_FALSE(d.fits) << k;
      ambiguous += d.explained.size() > 1;
      const auto named = std::find_if(d.explained.begin(), d.explained.end(), [&](const NamedMistake& m) {
        return m.mistake == mistake && m.detail == detail;
      });
      ASSERT_NE(named, d.explained.end()) << k << ": " << d.words;
      EXPECT_LT((named->corrected - truth).cwiseAbs().maxCoeff(), 1e-9) << d.words;
      EXPECT_NE(d.words.find(name_of(mistake)), std::string::npos) << d.words;
    }
  }
  EXPECT_LE(ambiguous, mistake == HtmMistake::angle_negated || mistake == HtmMistake::angle_order ? 2 : 0);
}

TEST(HtmMistake, TransposedRotation) {
  expect_named(HtmMistake::rotation_transposed, "", [](const Eigen::Matrix4d& truth) {
    Eigen::Matrix4d m = truth;
    m.topLeftCorner<3, 3>() = truth.topLeftCorner<3, 3>().transpose();
    return m;
  });
}

TEST(HtmMistake, TransposedMatrix) {
  expect_named(HtmMistake::matrix_transposed, "",
               [](const Eigen::Matrix4d& truth) -> Eigen::Matrix4d { return truth.transpose(); });
}

TEST(HtmMistake, Inverted) {
  expect_named(HtmMistake::inverted, "",
               [](const Eigen::Matrix4d& truth) -> Eigen::Matrix4d { return truth.inverse(); });
}

TEST(HtmMistake, NegatedTranslation) {
  expect_named(HtmMistake::translation_negated, "", [](const Eigen::Matrix4d& truth) {
    Eigen::Matrix4d m = truth;
    m.topRightCorner<3, 1>() *= -1;
    return m;
  });
}

TEST(HtmMistake, TranslationOfTheInverse) {
  expect_named(HtmMistake::translation_of_inverse, "", [](const Eigen::Matrix4d& truth) {
    Eigen::Matrix4d m = truth;
    m.topRightCorner<3, 1>() = truth.inverse().topRightCorner<3, 1>();
    return m;
  });
}

template <int axis>
Eigen::Matrix4d with_angle_negated(const Eigen::Matrix4d& truth) {
  Eigen::Vector3d a = intrinsic_xyz(truth.topLeftCorner<3, 3>());
  if (axis == 3) {
    a = -a;
  } else {
    a[axis % 3] *= -1;
  }
  return motion(a, truth.topRightCorner<3, 1>());
}

TEST(HtmMistake, NegatedAngle) {
  expect_named(HtmMistake::angle_negated, "x", with_angle_negated<0>);
  expect_named(HtmMistake::angle_negated, "y", with_angle_negated<1>);
  expect_named(HtmMistake::angle_negated, "z", with_angle_negated<2>);
  expect_named(HtmMistake::angle_negated, "all", with_angle_negated<3>);
}

TEST(HtmMistake, MirroredOnBothSides) {
  expect_named(HtmMistake::mirrored_both_sides, "x",
               [](const Eigen::Matrix4d& t) -> Eigen::Matrix4d { return mirror(0) * t * mirror(0); });
  expect_named(HtmMistake::mirrored_both_sides, "y",
               [](const Eigen::Matrix4d& t) -> Eigen::Matrix4d { return mirror(1) * t * mirror(1); });
  expect_named(HtmMistake::mirrored_both_sides, "z",
               [](const Eigen::Matrix4d& t) -> Eigen::Matrix4d { return mirror(2) * t * mirror(2); });
}

TEST(HtmMistake, MirroredOnOneSide) {
  expect_named(HtmMistake::mirrored_one_side, "input x",
               [](const Eigen::Matrix4d& t) -> Eigen::Matrix4d { return t * mirror(0); });
  expect_named(HtmMistake::mirrored_one_side, "output y",
               [](const Eigen::Matrix4d& t) -> Eigen::Matrix4d { return mirror(1) * t; });
  expect_named(HtmMistake::mirrored_one_side, "input z",
               [](const Eigen::Matrix4d& t) -> Eigen::Matrix4d { return t * mirror(2); });
}

TEST(HtmMistake, AnglesInTheWrongOrder) {
  const auto swapped = [](const Eigen::Matrix4d& t) -> Eigen::Matrix4d {
    const Eigen::Vector3d a = intrinsic_xyz(t.topLeftCorner<3, 3>());
    Eigen::Matrix4d m = t;
    m.topLeftCorner<3, 3>() = (Eigen::AngleAxisd(a.z(), Eigen::Vector3d::UnitZ()) *
                               Eigen::AngleAxisd(a.y(), Eigen::Vector3d::UnitY()) *
                               Eigen::AngleAxisd(a.x(), Eigen::Vector3d::UnitX()))
                                  .toRotationMatrix();
    return m;
  };
  expect_named(HtmMistake::angle_order, "Rx Ry Rz was meant", swapped);
}

TEST(HtmMistake, AnotherUnit) {
  expect_named(HtmMistake::unit, "inch", [](const Eigen::Matrix4d& t) -> Eigen::Matrix4d {
    Eigen::Matrix4d m = t;
    m.topRightCorner<3, 1>() /= 25.4;
    return m;
  });
  expect_named(HtmMistake::unit, "m", [](const Eigen::Matrix4d& t) -> Eigen::Matrix4d {
    Eigen::Matrix4d m = t;
    m.topRightCorner<3, 1>() /= 1000;
    return m;
  });
}

TEST(HtmMistake, ARightTransformIsNotAccused) {
  std::mt19937_64 random(2);
  int accused = 0;
  for (int k = 0; k < 1000; ++k) {
    const Eigen::Matrix4d truth = some_truth(random);
    const HtmDiagnosis d = diagnose(truth, pairs_of(truth, random), sigma_mm);
    EXPECT_TRUE(d.explained.empty()) << d.words;
    accused += !d.fits;
    EXPECT_EQ(d.words.empty(), d.fits);
  }
  EXPECT_LT(accused, 7);  // 1 in 1000 expected; 7 or more with a probability of 1 in 10 000
  // Where a mistake changes nothing, none is named.
  const Eigen::Matrix4d half = motion({pi, 0, 0}, {10, 0, 0});
  EXPECT_TRUE(diagnose(half, estimate_of(half)).fits);
}

TEST(HtmMistake, WhatComesToTheSameIsSaidToBeAmbiguous) {
  // A half turn is its own transpose: inverted, or only the translation is the inverse's.
  const Eigen::Matrix4d half = motion({0, 0, pi}, {120, 40, 30});
  HtmDiagnosis d = diagnose(Eigen::Matrix4d(half.inverse()), estimate_of(half));
  ASSERT_GE(d.explained.size(), 2u) << d.words;
  EXPECT_NE(d.words.find("ambiguous, the transform is inverted, or the translation is that of the inverse"),
            std::string::npos)
      << d.words;
  EXPECT_NE(d.words.find("they come to the same matrix here"), std::string::npos) << d.words;
  // Without rotation: inverted, or a wrong sign of the translation, or its inverse's.
  const Eigen::Matrix4d shift = motion({0, 0, 0}, {120, 40, 30});
  d = diagnose(Eigen::Matrix4d(shift.inverse()), estimate_of(shift));
  EXPECT_EQ(d.explained.size(), 3u) << d.words;
}

TEST(HtmMistake, WhatNothingExplainsIsNotNamed) {
  std::mt19937_64 random(3);
  const Eigen::Matrix4d truth = some_truth(random);
  const Eigen::Matrix4d moved = motion({0.01, 0, 0}, {0.5, 0, 0}) * truth;
  const HtmDiagnosis d = diagnose(moved, pairs_of(truth, random), sigma_mm);
  EXPECT_FALSE(d.fits);
  EXPECT_TRUE(d.explained.empty());
  EXPECT_EQ(
      d.words,
      "the transform does not fit what was measured, and none of the usual mistakes explains it: calibrate "
      "again");
}

TEST(HtmMistake, EvidenceIsNeeded) {
  EXPECT_THROW(diagnose(Eigen::Matrix4d::Identity(), {}, 0.01), CalibrationError);
  const PointPair pair{{0, 0, 0}, {0, 0, 0}};
  EXPECT_THROW(diagnose(Eigen::Matrix4d::Identity(), {&pair, 1}, 0), CalibrationError);
  EXPECT_THROW(diagnose(Eigen::Matrix4d::Constant(NAN), {&pair, 1}, 1), CalibrationError);
  EXPECT_THROW(diagnose(Eigen::Matrix4d::Identity(), HtmEstimate<Machine, Sensor>{}), CalibrationError);
}

TEST(EulerAngles, GoThereAndBack) {
  for (double a : {-3.0, -0.4, 0.0, 2.2}) {
    for (double b : {-1.5, -0.3, 0.0, 1.1}) {
      for (double c : {-2.9, 0.0, 0.7}) {
        const Eigen::Vector3d back = intrinsic_xyz(rotation_from_intrinsic_xyz({a, b, c}));
        EXPECT_LT((back - Eigen::Vector3d(a, b, c)).norm(), 1e-14 / std::cos(b)) << back.transpose();
      }
    }
  }
  for (double b : {pi / 2, -pi / 2}) {  // only the rotation itself is recovered
    const Eigen::Matrix3d r = rotation_from_intrinsic_xyz({0.3, b, 0.5});
    EXPECT_LT((rotation_from_intrinsic_xyz(intrinsic_xyz(r)) - r).norm(), 1e-14);
  }
  // daemon/inspection/METROLOGY.md, E4, with one angle each: y to z, z to x, x to y.
  EXPECT_LT(
      (rotation_from_intrinsic_xyz({pi / 2, 0, 0}) * Eigen::Vector3d::UnitY() - Eigen::Vector3d::UnitZ())
          .norm(),
      1e-15);
}

}  // namespace
}  // namespace datum

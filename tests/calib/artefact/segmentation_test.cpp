#include "calib/artefact/segmentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "calib/artefact/location.h"
#include "tests/calib/artefact/artefact_snapshot.h"

namespace datum {
namespace {

using namespace testing;
using ::testing::HasSubstr;

constexpr double deg = 180 / std::numbers::pi;

TEST(Segmentation, FindsTheFacesAtAnyRotationInThePlane) {
  const TwinArtefact artefact{ideal_drawing()};
  for (int turn = 0; turn < 360; turn += 24) {
    const double w = turn > 180 ? turn - 360 : turn;
    const auto pose =
        Htm<Sensor, Artefact>(Eigen::Matrix4d(testing::pose<Sensor>({0.1, -0.08, 0}, {1, 4, 0}).matrix() *
                                              testing::pose<Artefact>({0, 0, w / deg}, {0, 0, 0}).matrix()));
    const Snapshot s = snapshot(artefact, pose, 3, 0.3);
    const Segmentation found = segment(s.frame, artefact.drawing);
    EXPECT_EQ(wrong(found, s.truth), 0u) << turn;
    for (const FaceEvidence& e : found.evidence) {
      EXPECT_GT(e.coverage, 0.98) << turn;
      // 10 um times the cosine of the slope, without the outliers up to 500 um; the smallest face has 1400
      // points.
      EXPECT_LT(e.sigma_um, 10 * 1.06) << turn;
    }
  }
}

// Points in any order, on a table, with a second, larger level beside it.
TEST(Segmentation, TakesAnUnorderedCloudOnATable) {
  TwinArtefact artefact{ideal_drawing()};
  artefact.table_mm = -6;
  const auto pose = mounting<Sensor>(4);
  const Snapshot s = snapshot(artefact, pose, 3);
  std::vector<Eigen::Vector3d> points = points_of(s.frame);
  const TwinRandom random(1, TwinStream::place);
  for (std::size_t i = points.size() - 1; i > 0; --i) std::swap(points[i], points[random.word(i) % (i + 1)]);
  const Segmentation found = segment(points, artefact.drawing);
  const auto location = locate<Sensor>(found.faces, artefact.drawing, {0, 0, 1}, FaceNoise::each_face);
  const Vector6d error = difference(location.joint.htm, pose);
  const Vector6d u = location.joint.covariance.diagonal().cwiseSqrt();
  for (int i = 0; i < 6; ++i) EXPECT_LT(std::abs(error[i]), 4 * u[i]) << i;
  EXPECT_EQ(location.finding, "");
}

TEST(Segmentation, AFaceThatIsNotSeenIsNamed) {
  for (Face f : all_faces) {
    TwinArtefact artefact{ideal_drawing()};
    artefact.errors[index_of(f)].unseen = true;
    const std::string why = refusal_of(snapshot(artefact, mounting<Sensor>(1), 1).frame, artefact.drawing);
    if (f == Face::lp || f == Face::rp) {
      EXPECT_THAT(
          why, ::testing::AnyOf(HasSubstr(std::string("face ") + name_of(f)), HasSubstr("no plate is seen")));
    } else {
      EXPECT_THAT(why, HasSubstr(std::string("face ") + name_of(f) + " is not seen"));
    }
  }
}

TEST(Segmentation, AnArtefactWithoutASlotIsRefused) {
  for (bool without_long : {true, false}) {
    TwinArtefact artefact{ideal_drawing()};
    (without_long ? artefact.long_slot : artefact.short_slot) = false;
    EXPECT_THAT(refusal_of(snapshot(artefact, mounting<Sensor>(1), 1).frame, artefact.drawing),
                HasSubstr("is not seen"));
    artefact.long_slot = artefact.short_slot = false;
    EXPECT_EQ(refusal_of(snapshot(artefact, mounting<Sensor>(1), 1).frame, artefact.drawing),
              "no slot of the drawn slope is seen in the plate");
  }
}

TEST(Segmentation, AMirroredSnapshotIsRefusedAndSaysSo) {
  const TwinArtefact artefact{ideal_drawing()};
  for (std::uint64_t k = 0; k < 4; ++k) {
    const Snapshot s = snapshot(artefact, mounting<Sensor>(k), 1, 0.3);
    std::vector<Eigen::Vector3d> points = points_of(s.frame);
    for (Eigen::Vector3d& p : points) p.x() = -p.x();
    EXPECT_THAT(refusal_of(points, artefact.drawing), HasSubstr("seen in a mirror it would fit"));
    for (Eigen::Vector3d& p : points) p = {-p.x(), -p.y(), p.z()};
    EXPECT_THAT(refusal_of(points, artefact.drawing), HasSubstr("seen in a mirror it would fit"));
    for (Eigen::Vector3d& p : points) p = {p.x(), -p.y(), -p.z()};
    EXPECT_THAT(refusal_of(points, artefact.drawing),
                HasSubstr("with heights of the other sign it would fit"));
  }
  HeightFrame left = snapshot(artefact, mounting<Sensor>(0), 1).frame;
  left.delivered = Handedness::left;
  EXPECT_EQ(refusal_of(left, artefact.drawing), "the frame is left-handed: mirror it first");
}

// The area beyond the outline is out of view: the coverage alone must reveal the mirroring.
TEST(Segmentation, AMirroredSnapshotIsRefusedThoughItsBorderIsOutOfView) {
  const TwinArtefact artefact{ideal_drawing()};
  std::vector<Eigen::Vector3d> points =
      points_of(snapshot(artefact, pose<Sensor>({0, 0, 0}, {0, 0, 0}), 1).frame);
  std::erase_if(points, [](const Eigen::Vector3d& p) { return p.y() > 22; });
  for (Eigen::Vector3d& p : points) p.y() = -p.y();
  EXPECT_THAT(refusal_of(points, artefact.drawing), HasSubstr("% of it is seen, needed are 85 %"));
}

/// The sample with one change, as another artefact.
ArtefactDrawing another(void (*change)(ArtefactDrawing&)) {
  ArtefactDrawing d = ideal_drawing();
  change(d);
  return d;
}

void set_slope(ArtefactDrawing& d, Face f, double slope_deg) {
  Eigen::Vector3d& n = d.faces[index_of(f)].plane.normal;
  const Eigen::Vector2d azimuth = n.head<2>().normalized();
  n << std::sin(slope_deg / deg) * azimuth, std::cos(slope_deg / deg);
}

TEST(Segmentation, AnotherArtefactIsRefused) {
  const ArtefactDrawing drawing = ideal_drawing();
  const auto why = [&](void (*change)(ArtefactDrawing&)) {
    return refusal_of(snapshot({another(change)}, mounting<Sensor>(2), 1).frame, drawing);
  };
  EXPECT_THAT(why([](ArtefactDrawing& d) { set_slope(d, Face::ll, 30.5); }),
              HasSubstr("the drawing is of another artefact"));
  EXPECT_THAT(why([](ArtefactDrawing& d) { set_slope(d, Face::su, 45); }), HasSubstr("face SU is not seen"));
  EXPECT_THAT(why([](ArtefactDrawing& d) {
                for (Face f : {Face::su, Face::sl}) d.faces[index_of(f)].plane.point_mm.z() = -3.7;
                d.short_depth_mm = 3.7;
              }),
              HasSubstr("is not seen where"));
  EXPECT_THAT(why([](ArtefactDrawing& d) { d.plate.y_max_mm = 36; }), HasSubstr("beyond its outline"));
  EXPECT_THAT(why([](ArtefactDrawing& d) { d.plate.y_max_mm = 18; }), HasSubstr("is seen, needed are 85 %"));
  EXPECT_THAT(why([](ArtefactDrawing& d) {
                for (Face f : {Face::su, Face::sl})
                  for (DrawnArea& a : d.faces[index_of(f)].areas) a.x_min_mm = 24;
              }),
              HasSubstr("face SU"));
}

TEST(Segmentation, ADamagedFaceIsRefused) {
  const auto why = [](auto damage, double white_um = 10) {
    TwinArtefact artefact{ideal_drawing()};
    const auto s = snapshot(artefact, mounting<Sensor>(2), 1, 0.2, white_um);
    std::vector<Eigen::Vector3d> points = points_of(s.frame);
    const auto back = mounting<Sensor>(2).inverse();
    for (Eigen::Vector3d& p : points) {
      const Eigen::Vector3d a = back * p;
      p.z() += damage(a.x(), a.y());
    }
    return refusal_of(points, artefact.drawing);
  };
  EXPECT_EQ(why([](double, double) { return 0.0; }), "(accepted)");
  EXPECT_THAT(why([](double x, double y) { return x < -20 && y < 10 ? 0.5 : 0.0; }), HasSubstr("face LP: "))
      << "something lies on it";
  EXPECT_THAT(why([](double x, double y) { return x < -7 ? 0.08 * (y / 27) * (y / 27) : 0.0; }),
              HasSubstr("face LP: it is bent or dirty"))
      << "bent by 80 um";
  EXPECT_THAT(why([](double, double) { return 0.0; }, 70), HasSubstr("its points scatter by"));
  EXPECT_THAT(why([](double x, double y) { return x > 7 && std::abs(y) > 7 ? 0.12 : 0.0; }),
              HasSubstr("mm from where the drawing and the other faces expect it"))
      << "stepped";
}

// The reason is that of the best fitting rotation, not of the first one.
TEST(Segmentation, TheReasonIsThatOfTheRightRotation) {
  TwinArtefact artefact{ideal_drawing()};
  artefact.errors[index_of(Face::sl)].tilt_rad = {0.005, 0};
  EXPECT_THAT(refusal_of(snapshot(artefact, pose<Sensor>({0, 0, 3.1}, {4, 5, 0}), 1).frame, artefact.drawing),
              HasSubstr("SL meet at"));
}

TEST(Segmentation, WhatIsNotAllInViewIsRefused) {
  const TwinArtefact artefact{ideal_drawing()};
  EXPECT_THAT(refusal_of(snapshot(artefact, pose<Sensor>({0, 0, 0}, {27, 0, 0}), 1).frame, artefact.drawing),
              HasSubstr("bring the whole artefact into view"));
  EXPECT_THAT(refusal_of(snapshot(artefact, pose<Sensor>({0.3, 0, 0}, {0, 0, 0}), 1).frame, artefact.drawing),
              HasSubstr("no plate is seen"))
      << "tilted by 17 degrees";
  EXPECT_THAT(refusal_of(snapshot(artefact, mounting<Sensor>(1), 1, 1.0).frame, artefact.drawing),
              HasSubstr("too few points: "));
  EXPECT_THAT(refusal_of(snapshot(artefact, mounting<Sensor>(1), 1, 0.8).frame, artefact.drawing),
              HasSubstr("take a finer snapshot"));
}

// A plate with a symmetry of 180 degrees does not determine its rotation.
TEST(Segmentation, AnAmbiguousArtefactIsRefused) {
  ArtefactDrawing d = ideal_drawing();
  d.plate = {-34, 34, -27, 27};
  d.faces[index_of(Face::lp)].areas = {{-33, -7.5, 7.5, 26}, {-33, -7.5, -26, -7.5}};
  d.faces[index_of(Face::rp)].areas = {{7.5, 33, 7.5, 26}, {7.5, 33, -26, -7.5}};
  for (Face f : {Face::ll, Face::lr}) {
    DrawnArea a = d.face(f).areas[0];
    d.faces[index_of(f)].areas = {{a.x_min_mm, a.x_max_mm, 7.5, 26}, {a.x_min_mm, a.x_max_mm, -26, -7.5}};
  }
  for (Face f : {Face::su, Face::sl}) {
    DrawnArea a = d.face(f).areas[0];
    d.faces[index_of(f)].areas = {{7.5, 33, a.y_min_mm, a.y_max_mm}, {-33, -7.5, a.y_min_mm, a.y_max_mm}};
  }
  TwinArtefact artefact{d};
  EXPECT_THAT(refusal_of(snapshot(artefact, mounting<Sensor>(1), 1).frame, d), HasSubstr("fits in two ways"));
}

// For any damage of the artefact: it is refused, or the faces are correct.
TEST(Segmentation, NoWrongSegmentationIsAcceptedUnderRandomDamage) {
  int accepted = 0, refused = 0;
  for (std::uint64_t k = 0; k < 60; ++k) {
    TwinArtefact artefact{ideal_drawing()};
    const TwinRandom random(k, TwinStream::bow);
    std::uint64_t n = 0;
    const auto chance = [&](double p) { return random.uniform(n++) < p; };
    for (Face f : all_faces) {
      TwinFaceError& error = artefact.errors[index_of(f)];
      error.unseen = chance(0.03);
      const auto within = [&](double limit) { return limit * (2 * random.uniform(n++) - 1); };
      if (chance(0.1)) error.shift_mm = within(0.4);
      if (chance(0.1)) error.tilt_rad.x() = within(0.01);
      if (chance(0.1)) error.tilt_rad.y() = within(0.01);
    }
    artefact.long_slot = !chance(0.05);
    artefact.short_slot = !chance(0.05);
    if (chance(0.3)) artefact.table_mm = -4 * random.uniform(n++);
    Snapshot s = snapshot(artefact, mounting<Sensor>(k, 10), k, 0.35);
    try {
      const Segmentation found = segment(s.frame, artefact.drawing);
      EXPECT_EQ(wrong(found, s.truth), 0u) << k;
      ++accepted;
    } catch (const SegmentationRefused&) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 3);
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace datum

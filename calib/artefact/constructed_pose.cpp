#include <Eigen/Geometry>

#include "calib/artefact/pose_estimators.h"
#include "calib/fit/construction.h"
#include "calib/fit/symmetric_eigen.h"

namespace datum {

namespace {

/// First and second moments of a face, as used by the construction.
struct Patch {
  Eigen::Vector3d mean, normal;
  Eigen::Matrix3d scatter;
  double n = 0;
};
using Patches = std::array<Patch, face_count>;

Patches patches_of(const FaceData& faces) {
  Patches patches;
  for (std::size_t i = 0; i < face_count; ++i) {
    const auto& fit = faces[i].fit;
    patches[i] = {fit.feature.point_mm, fit.feature.normal, faces[i].scatter,
                  static_cast<double>(fit.evidence.used)};
  }
  return patches;
}

/// A patch rotated about its mean and shifted by an error in fit_plane's parameters.
Patch moved(Patch patch, const Eigen::Vector3d& error) {
  const Eigen::Matrix<double, 3, 2> t = tangents(patch.normal);
  const Eigen::Matrix3d turn = rotation_from_vector(patch.normal.cross(t * error.head<2>()));
  patch.scatter = turn * patch.scatter * turn.transpose();
  patch.mean += error.z() * patch.normal;
  patch.normal = turn * patch.normal;
  return patch;
}

Plane3 plane_of(const Eigen::Vector3d& mean, const Eigen::Matrix3d& scatter, const Eigen::Vector3d& sense) {
  const Eigen::Vector3d normal = symmetric_eigen(scatter).vectors.col(2);
  return {mean, normal.dot(sense) < 0 ? Eigen::Vector3d(-normal) : normal};
}

Plane3 plane_of(const Patch& patch) { return plane_of(patch.mean, patch.scatter, patch.normal); }

/// Each point of a patch has the weight area / n.
Plane3 common_plane(const Patch& a, double area_a, const Patch& b, double area_b) {
  const Eigen::Vector3d mean = (area_a * a.mean + area_b * b.mean) / (area_a + area_b);
  const Eigen::Vector3d to_a = a.mean - mean, to_b = b.mean - mean;
  const Eigen::Matrix3d scatter = area_a * (a.scatter / a.n + to_a * to_a.transpose()) +
                                  area_b * (b.scatter / b.n + to_b * to_b.transpose());
  return plane_of(mean, scatter, a.normal);
}

Eigen::Matrix4d construct(const Patches& p, const ArtefactDrawing& drawing) {
  const auto plane = [&](Face f) { return plane_of(p[index_of(f)]); };
  const Plane3 top = common_plane(p[index_of(Face::lp)], drawing.face(Face::lp).area_mm2(),
                                  p[index_of(Face::rp)], drawing.face(Face::rp).area_mm2());
  // LR cross LL points along +y, SL cross SU along +x.
  const Line3 along = projection(intersection(plane(Face::lr), plane(Face::ll)), top);
  const Line3 across = projection(intersection(plane(Face::sl), plane(Face::su)), top);
  const Eigen::Vector3d y = along.direction;
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.block<3, 1>(0, 0) = y.cross(top.normal);
  m.block<3, 1>(0, 1) = y;
  m.block<3, 1>(0, 2) = top.normal;
  m.block<3, 1>(0, 3) = intersection(along, across);
  return m;
}

}  // namespace

PoseEstimate constructed_pose(const FaceData& faces, const ArtefactDrawing& drawing) {
  const Patches patches = patches_of(faces);
  PoseEstimate pose;
  pose.matrix = construct(patches, drawing);
  // Differences of 1e-5 (mm, rad): the second order leaves 1e-10, rounding of 100 mm leaves 1e-9 of the gain.
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < face_count; ++i) {
    for (int k = 0; k < 3; ++k) {
      Patches up = patches, down = patches;
      up[i] = moved(patches[i], step * Eigen::Vector3d::Unit(k));
      down[i] = moved(patches[i], -step * Eigen::Vector3d::Unit(k));
      pose.gain.col(static_cast<Eigen::Index>(3 * i) + k) =
          (detail::difference(construct(up, drawing), pose.matrix) -
           detail::difference(construct(down, drawing), pose.matrix)) /
          (2 * step);
    }
  }
  return pose;
}

}  // namespace datum

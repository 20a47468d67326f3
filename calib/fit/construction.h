// Constructions from features: intersections, projections, distances. Lengths in mm. Normals and directions
// need not have length 1 (daemon/inspection/METROLOGY.md, E6).
#pragma once

#include "calib/fit/feature.h"

namespace datum {

/// Signed distance of a point from a plane, positive on the normal's side.
double distance_mm(const Plane3& plane, const Eigen::Vector3d& point_mm);

/// Foot of the perpendicular from the point. Throws FitRefused for a normal or direction without length.
Eigen::Vector3d projection(const Eigen::Vector3d& point_mm, const Plane3& plane);
Eigen::Vector3d projection(const Eigen::Vector3d& point_mm, const Line3& line);

/// The line projected along the plane's normal; direction of length 1, same sense. Refuses a line within 1e-3
/// rad of the normal, whose projection has no direction.
Line3 projection(const Line3& line, const Plane3& plane);

/// direction = first.normal x second.normal. point_mm is the point of the line nearest to the middle of the
/// planes' points (METROLOGY.md, E7). Refuses planes within 1e-3 rad of parallel.
Line3 intersection(const Plane3& first, const Plane3& second);

/// Covariance parameters as fit_line's: tilt towards t1, t2 (rad), offset at point_mm along t1, t2 (mm). The
/// two fits are treated as independent. Also refuses an angle so small against the planes' uncertainties that
/// the first-order covariance does not hold.
struct LineEstimate {
  Line3 line;
  Eigen::Matrix4d covariance;
};
LineEstimate intersection(const Fit<Plane3, 3>& first, const Fit<Plane3, 3>& second);

/// Middle of the shortest segment between two lines; refuses lines within 1e-3 rad of parallel.
Eigen::Vector3d intersection(const Line3& first, const Line3& second);

/// Common point of three planes. Refuses normals whose volume |n1 . (n2 x n3)| is below 1e-3.
Eigen::Vector3d apex(const Plane3& first, const Plane3& second, const Plane3& third);

}  // namespace datum

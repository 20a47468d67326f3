// Points measured on the six faces of an artefact, by a sensor or a touch probe, and the statistics of them
// that a fit needs.
#pragma once

#include <array>
#include <vector>

#include "calib/artefact/drawing.h"
#include "calib/fit/feature.h"

namespace datum {

/// Points of each face in one coordinate system (sensor or machine), mm, in the order of `Face`. Touched
/// points lie on the surface: they are already compensated by the probe's radius.
using FacePoints = std::array<std::vector<Eigen::Vector3d>, face_count>;

/// How the standard deviation of the noise is estimated.
enum class FaceNoise {
  each_face,  // scans with thousands of points: from each face's own scatter, since glare and slope differ
  pooled,     // touches, few per face: from the scatter of all faces together
};

struct FaceDatum {
  Fit<Plane3, 3> fit;       // covariance: noise alone, see fit_plane; the normal points out of the artefact
  Eigen::Matrix3d scatter;  // sum of (p - centroid)(p - centroid)^T, mm^2
  /// Covariance of (tilt to t1, tilt to t2, offset): noise times correlation, plus the artefact's form error.
  Eigen::Matrix3d covariance;
};
using FaceData = std::array<FaceDatum, face_count>;

/// Fits each face. `outwards`: approximate outward direction of the artefact's plate. `correlation` is S in
/// s^2 S / n, the variance of a mean of n points. Throws FitRefused, prefixed with the face's name.
FaceData face_data(const FacePoints& points, const ArtefactDrawing& drawing, const Eigen::Vector3d& outwards,
                   FaceNoise noise, double correlation);

/// S of the residuals about the faces' own planes: variance of a mean over that of the same number of
/// independent points. Estimated from means over squares of 8 and of 16 point spacings (n mean^2 / s^2) and
/// extrapolated to squares without border. Returns 1 where S differs from 1 by no more than twice its own
/// standard deviation, or where there are too few points. Variation over more than 16 spacings is form, not
/// noise, and is counted in part only.
double residual_correlation(const FacePoints& points, const FaceData& faces, const ArtefactDrawing& drawing);

}  // namespace datum

// What was measured on the six faces of an artefact, by a sensor or by a touch probe, and what of it a fit
// needs.
#pragma once

#include <array>
#include <vector>

#include "calib/artefact/drawing.h"
#include "calib/fit/feature.h"

namespace datum {

/// Points of each face in one coordinate system (sensor or machine), mm, in the order of `Face`. Touches are
/// points of the surface: compensated by the probe's radius.
using FacePoints = std::array<std::vector<Eigen::Vector3d>, face_count>;

/// Where the size of the noise comes from.
enum class FaceNoise {
  each_face,  // scans, thousands of points: a face's own scatter, since glare and slope make faces unequal
  pooled,     // touches, few points a face: the scatter of all faces together
};

struct FaceDatum {
  Fit<Plane3, 3> fit;       // covariance: noise alone, see fit_plane; the normal points out of the artefact
  Eigen::Matrix3d scatter;  // sum of (p - centroid)(p - centroid)^T, mm^2
  /// Of (tilt to t1, tilt to t2, offset): noise times correlation, and the artefact's own form.
  Eigen::Matrix3d covariance;
};
using FaceData = std::array<FaceDatum, face_count>;

/// Fits each face. `outwards`: a direction roughly out of the artefact's plate. `correlation` S makes the
/// variance of a mean of n points s^2 S / n. Throws FitRefused with the face's name in front.
FaceData face_data(const FacePoints& points, const ArtefactDrawing& drawing, const Eigen::Vector3d& outwards,
                   FaceNoise noise, double correlation);

/// S of the residuals about the faces' own planes: how many times larger the variance of a mean is than that
/// of as many independent points. From the means over squares of 8 and of 16 point spacings (n * mean^2 /
/// s^2), continued to squares without border. 1 where it differs from 1 by no more than twice its own
/// scatter, or where there are too few points to tell. What varies over more than 16 spacings is form, not
/// noise: it is counted in part only.
double residual_correlation(const FacePoints& points, const FaceData& faces, const ArtefactDrawing& drawing);

}  // namespace datum

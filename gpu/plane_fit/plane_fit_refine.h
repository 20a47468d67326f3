// Least squares repeated until the inlier set stands still.
#pragma once

#include "gpu/plane_fit/plane_fit_kernels.h"

namespace datum {

/// What a plane is fitted over, and how its threshold is meant.
struct FitRegion {
  float half_x, half_y;
  bool perpendicular;
};

struct Refined {
  bool spans = false;        // the inliers span a plane; nothing below counts otherwise
  bool fixed_point = false;  // the inlier set stood still
  int refits = 0;
  plane_math::Plane plane;
  double sum_squares = 0;       // of the inliers' vertical residuals
  double reach = 0;             // threshold along z
  plane_math::Moments moments;  // of the inliers
  plane_math::Base base;        // scales of the moments
};

constexpr int max_refits = 32;

/// Alternates "inliers of the plane" and "least-squares plane of the inliers", from `start`, at most `limit`
/// times. Each half of a step lowers sum(min(r^2, threshold^2)), so the alternation ends; rounding alone can
/// make it swing between two sets, of which the larger (then the one of smaller sum of squares, then the
/// earlier) is kept.
Refined refine(const PlaneKernels& kernels, const Cloud& cloud, const plane_math::Plane& start,
               float threshold, const FitRegion& region, PointList band, int limit = max_refits);

}  // namespace datum

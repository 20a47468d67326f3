// Parallel planes through sets of measured points by weighted total least squares (gpu/parallel_planes), with the covariance of
// what they share and their distances. Double precision outside of a plane's own extent: points are fitted about the mean of
// their plane.
#pragma once

#include <string>
#include <vector>

#include "calib/fit/feature.h"
#include "gpu/parallel_planes/parallel_planes.h"

namespace datum {

struct SampledPlane {
  std::string name;
  std::vector<Eigen::Vector3d> mm;
  std::vector<double> weight;  // above 0; one a point: area in mm^2, 1 / u^2 in mm^-2, or area / u^2
};

/// Planes that share one normal.
struct ParallelPointSet {
  std::string name;
  Eigen::Vector3d towards{0, 0, 1};  // the normal's sign
  std::vector<SampledPlane> planes;
};

struct FittedPlane {
  std::string name;
  std::size_t points = 0;
  double effective = 0;  // points of equal weight that would say as much (Kish 1965)
  Eigen::Vector3d centroid_mm;
  double offset_mm = 0, u_offset_mm = 0;  // normal . p of the plane, about the coordinates' origin
  double rms_mm = 0;                      // weighted, from the shared normal
  double flatness_mm = 0;                 // highest less lowest distance along it
};

struct FittedDistance {
  std::size_t from = 0, to = 0;  // planes
  double mm = 0, u_mm = 0;       // along the normal
};

struct FittedSet {
  std::string name;
  Eigen::Vector3d normal;
  Eigen::Matrix3d normal_covariance;  // rad^2; singular along the normal
  double sigma_mm = 0;                // of a point of mean weight
  std::vector<FittedPlane> planes;
  Eigen::MatrixXd offset_covariance_mm2;  // of the planes' offsets
  std::vector<FittedDistance> distances;  // of every pair
};

/// Uncertainties are of the points' scatter alone, as if they were independent. Throws FitRefused: a plane of fewer than 4
/// points, points that leave no freedom, a weight or coordinate that is not finite, a strip, no plane; std::invalid_argument
/// for a set without planes.
FittedSet fit_parallel_set(const ParallelPointSet& set, WeightMeaning meaning, const Backend& backend);

}  // namespace datum

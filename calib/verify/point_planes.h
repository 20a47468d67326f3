// Planes through lists of scattered points, as a coordinate measuring machine delivers them: flatness,
// profile against a nominal plane, parallel planes by weighted total least squares. Double precision
// throughout.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "calib/fit/feature.h"

namespace datum {

struct ListedPoint {
  Eigen::Vector3d mm;
  double weight = 1;  // above 0: represented area, or 1 / u^2
  int plane = 1;      // points of one plane share a number
  int set = 1;        // and planes of one set
  // of fit_parallel_set; 0: not stated
  double area_mm2 = 0, u_um = 0;
};

/// Columns that a list may have beside x_mm, y_mm, z_mm and plane.
enum class PointColumns : std::uint8_t {
  weight,      // weight
  for_weights  // set, area_mm2, u_um
};

/// Reads CSV with a head line that names columns x_mm, y_mm, z_mm and optionally those of `columns` and plane, in any
/// order; one point per line; '.' as decimal point. Empty lines and lines that begin with '#' are skipped.
/// Throws std::invalid_argument with `name`, line, fault and allowed content.
std::vector<ListedPoint> read_points(const std::string& text, const std::string& name,
                                     PointColumns columns = PointColumns::weight);

struct ListedPlane {
  std::size_t points = 0;
  /// Largest less smallest distance from the plane fitted to its own points alone, weighted.
  double flatness_mm = 0;
  double rms_mm = 0;                 // weighted, of distances from the shared plane
  double offset_mm = 0;              // normal . centroid
  double u_offset_mm = 0;            // from the scatter about the shared normal, independent points
  std::optional<double> profile_mm;  // twice the largest distance from the nominal plane
};

struct ParallelPoints {
  Eigen::Vector3d normal;             // of all planes, length 1
  double sigma_mm = 0;                // of a point of mean weight
  double u_tilt_rad[2] = {0, 0};      // of the normal, along the points' longest extent and across
  std::map<int, ListedPlane> planes;  // by number
};

/// n . p = offset, |n| = 1 where it is used.
struct NominalPlane {
  Eigen::Vector3d normal;
  double offset_mm = 0;
};

/// One normal n for all planes: the eigenvector of the smallest eigenvalue of sum_j sum_i w (x_i - m_j)(x_i -
/// m_j)^T, m_j the weighted centroid of plane j (Shakarji and Srinivasan 2013, as in gpu/parallel_planes).
/// Throws FitRefused: a plane of fewer than 4 points, all points on a line or a strip thinner than 1:100,
/// scattered (thickness over width above 0.05).
ParallelPoints fit_listed(const std::vector<ListedPoint>& points, const std::optional<NominalPlane>& nominal);

}  // namespace datum

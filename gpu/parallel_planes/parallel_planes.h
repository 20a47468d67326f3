// Parallel planes through sets of weighted points: one normal and an offset per plane, by weighted total least squares
// (Shakarji and Srinivasan, "Theory and algorithms for weighted total least-squares fitting of lines, planes, and
// parallel planes to support tolerancing standards", J. Comput. Inf. Sci. Eng. 13, 2013). With area weights the sums
// approximate surface integrals: the default for parallel planes of size (ISO 14405-1, Gaussian size).
//
// C++17: CUDA sources include this header. Coordinates and lengths are in one unit of the caller's. One pass over the
// points; the result depends on the points and their order alone, not on the backend, its lanes or its threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/core/backend.h"

namespace datum {

struct WeightedPoint {
  float x, y, z;
  float w;  // >= 0; 0: the point is not there
};

/// What the weights stand for. It decides the uncertainties, not the planes.
enum class WeightMeaning : std::uint8_t {
  area,               // of the surface that the point stands for; every point has the same standard deviation
  variance,           // 1 / u^2 of the point
  area_and_variance,  // area / u^2
};

/// Points near one plane.
struct PlaneSample {
  const WeightedPoint* points = nullptr;
  std::uint64_t size = 0;
  float centre[3] = {0, 0, 0};  // nominal; |coordinate - centre| <= half_range of the settings
};

/// `planes` consecutive samples, from `first` on, share one normal.
struct ParallelSet {
  std::uint32_t first = 0, planes = 0;
};

struct ParallelPlanesSettings {
  float half_range = 0;  // from the recipe, never from the data
  float max_weight = 1;  //
  WeightMeaning meaning = WeightMeaning::area;
  double towards[3] = {0, 0, 1};      // the normal's sign: normal . towards >= 0
  double min_width_ratio = 1e-4;      // smallest eigenvalue ratio 2 / 1: below it the points are a strip
  double max_thickness_ratio = 0.05;  // largest eigenvalue ratio 3 / 2: above it they are no plane
};

enum class ParallelStatus : std::uint8_t {
  ok,
  no_points,     // a plane of the set has no point with a weight
  out_of_range,  // a coordinate is not finite or beyond half_range
  bad_weight,    // a weight is negative, not a number or above max_weight
  strip,         // too narrow to hold a normal
  no_plane,      // thicker than a plane may be
};
const char* name_of(ParallelStatus status);

/// One plane of a set.
struct ParallelPlane {
  double centroid[3] = {0, 0, 0};  // weighted
  double rms = 0;                  // weighted, of the distances from the plane
  double weight = 0;               // sum
  double effective = 0;      // (sum w)^2 / sum w^2: points of equal weight that would say as much (Kish 1965)
  std::uint64_t points = 0;  // with a weight
  double offset_variance = 0;  // of normal . centroid, the normal given
};

/// What the planes of a set share.
struct ParallelPlanes {
  ParallelStatus status = ParallelStatus::no_points;
  std::uint8_t unused[7] = {};
  double normal[3] = {0, 0, 0};
  double axis[2][3] = {};  // in the planes: where the points reach farthest, and across
  double mean_square[3] = {
      0, 0, 0};  // weighted, along axis[0], axis[1] and the normal, about each plane's centroid
  double tilt_variance[2] = {0, 0};  // rad^2, of the normal's inclination to axis[0] and axis[1]
  double sigma = 0;                  // standard deviation of a point of mean weight about its plane
  double effective = 0;              // sum over the planes
};

/// Fits `sets` sets. planes[set.first + i] answers samples[set.first + i]. Throws std::invalid_argument for settings
/// that mean nothing, a set without planes or outside the samples, null points with a size.
void fit_parallel_planes(const PlaneSample* samples, std::size_t count, const ParallelSet* sets,
                         std::size_t set_count, const ParallelPlanesSettings& settings,
                         const Backend& backend, ParallelPlanes* shared, ParallelPlane* planes);

/// normal . (centroid of b - centroid of a), and its variance where the settings' meaning gives one.
struct PlaneDistance {
  double value = 0, variance = 0;
};
PlaneDistance distance(const ParallelPlanes& shared, const ParallelPlane& a, const ParallelPlane& b);

/// Extreme distances of a sample's points from its plane, along the normal: their difference is the flatness about the
/// least-squares plane (ISO 12781-1, FLTt). A second pass.
struct PlaneExtremes {
  double lowest = 0, highest = 0;
};
PlaneExtremes extremes(const PlaneSample& sample, const ParallelPlanes& shared, const ParallelPlane& plane,
                       const Backend& backend);

}  // namespace datum

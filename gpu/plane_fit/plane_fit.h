// Planes z = a x + b y + c through many point sets at once: RANSAC, local optimisation, then least squares repeated
// to an unchanged inlier set. Every backend returns the same bytes. DESIGN.md explains the algorithm and names the
// files.
//
// Coordinates of one plane are in one unit (um in datumd), relative to a centre that the caller chooses inside its
// region. C++17: CUDA sources include this header.
//
// T.-H. Cho, "Efficient CUDA Implementation of Multiple Planes Fitting Using RANSAC", Journal of the Korea Institute of
// Information and Communication Engineering 23(4), 2019: "the multi-plane paper". DESIGN.md lists the other sources.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/core/backend.h"
#include "gpu/core/fit_mode.h"

namespace datum {

/// Which points stand for all of a plane while hypotheses are tested; every point decides about the least-squares
/// plane.
enum class SamplingOrder : std::uint8_t {
  /// One quad at random of each of 256 equal parts of the points in their order, no other point is read before the
  /// search. By position where fewer than half of the points of these quads have a height.
  by_index,
  /// By random keys of x and y, in a pass over all points: the result does not depend on the order of the points.
  by_position,
};

/// Residual that a threshold limits: along z, or perpendicular to the plane (the multi-plane paper).
enum class Residual : std::uint8_t { vertical, perpendicular };

/// Thresholds are in the unit of z. For a floor that may have a second level beside it: screened mode, a threshold of
/// 1.5 and a refit_threshold of 3 standard deviations of the noise, and an rms above 1.2 of them refused. At a
/// threshold of 4 a tilted plane that bridges both levels wins the count (tests/gpu/plane_fit_second_level_test.cpp).
/// Exact mode ranks hypotheses by their counts alone, as the multi-plane paper does, and lacks that protection.
struct PlaneFitSettings {
  FitMode mode = FitMode::screened;
  SamplingOrder sampling = SamplingOrder::by_index;
  Residual residual = Residual::vertical;
  float threshold = 0;             // t of the multi-plane paper: |r| <= t is an inlier of a hypothesis
  float refit_threshold = 0;       // the same for the least-squares plane, >= threshold; 0: threshold
  double confidence = 1.0 - 1e-9;  // p of equation 2 of the multi-plane paper
  int max_hypotheses = 512;
};

/// Points of one plane; z = NaN: no height. The result depends on their order only through SamplingOrder::by_index.
struct PlanePoints {
  const float* x = nullptr;
  const float* y = nullptr;
  const float* z = nullptr;
  std::uint32_t size = 0;
  float half_x = 0;  // bounds |x| <= half_x and |y| <= half_y, known before the measurement
  float half_y = 0;
  std::uint64_t seed = 0;  // of the random numbers; a plane's own, so that the batch does not matter
};

enum class FitStatus : std::uint8_t {
  ok,
  too_few_points,  // fewer than 3 have a height
  no_consensus,    // no hypothesis has 3 inliers, or the inliers determine no plane
  out_of_bounds,   // a point lies outside half_x, half_y
};
const char* name_of(FitStatus status);

/// Result of one plane. Unless status is ok only valid counts; for no_consensus hypotheses and refits, too.
struct PlaneFit {
  double a = 0, b = 0, c = 0;
  double rms = 0;                    // of the inliers' residuals along z
  double mean_x = 0, mean_y = 0;     // centroid of the inliers
  double sxx = 0, sxy = 0, syy = 0;  // central second moments of the inliers (sums, not means)
  std::uint32_t valid = 0;           // points with a height
  std::uint32_t inliers = 0;         // of the plane, by refit_threshold
  std::uint32_t hypotheses = 0;      // N of the sequential stopping rule
  std::uint32_t refits = 0;          // least-squares planes until the inlier set did not change
  FitStatus status = FitStatus::no_consensus;
  bool fixed_point = false;  // the inlier set did not change any more
};

/// Fits `count` planes on the CPU. Throws std::invalid_argument for a threshold outside 1e-12 to 1e12, a
/// refit_threshold below it, a confidence outside (0, 1), max_hypotheses < 1, bounds outside 1e-12 to 1e12, or null
/// pointers with a size.
void fit_planes(const PlanePoints* planes, std::size_t count, const PlaneFitSettings& settings,
                const Backend& backend, PlaneFit* fits);

}  // namespace datum

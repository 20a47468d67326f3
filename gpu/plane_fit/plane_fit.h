// Many planes at once: RANSAC after the multi-plane paper, then least squares repeated to an unchanged inlier
// set.
//
// C++17: CUDA sources include this header. Coordinates of one plane are in one unit (um in datumd), relative
// to a centre that the caller chooses inside its region; z = a x + b y + c.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/core/backend.h"

namespace datum {

enum class FitMode : std::uint8_t {
  exact,     // the paper's rule: each hypothesis is counted on all points
  screened,  // hypotheses are counted on a subset of about 1024 points, all points are read about once
};

/// Which points stand for all of a plane while hypotheses are tested; every point decides about the least-squares plane.
enum class SamplingOrder : std::uint8_t {
  by_index,  // four beside each other of each of 256 equal parts of the points as they lie: no other is looked at. Where
  // fewer than half of them have a height, by position
  by_position,  // by keys of x and y: all points are looked at before, and their order never shows
};

/// Distance that a threshold is compared with: along z, or perpendicular to the plane (the paper).
enum class Residual : std::uint8_t { vertical, perpendicular };

/// For a floor that may have a second level beside it take threshold 1.5 and refit_threshold 3 standard
/// deviations of the noise, screened, and refuse a rms above 1.2 of them: a count at 4 lets a tilted plane
/// win that bridges both levels (tests/gpu/plane_fit_second_level_test.cpp). Exact mode keeps to the paper's
/// rule and lacks that protection.
struct PlaneFitSettings {
  FitMode mode = FitMode::screened;
  SamplingOrder sampling = SamplingOrder::by_index;
  Residual residual = Residual::vertical;
  float threshold = 0;             // t of the paper: consensus of a hypothesis, |r| <= t
  float refit_threshold = 0;       // inliers of the least-squares plane, >= threshold; 0 = same as threshold
  double confidence = 1.0 - 1e-9;  // p of the paper's equation 2
  int max_hypotheses = 512;
};

/// Points of one plane. A pixel without a height has z = NaN. Their order shows in nothing but what is sampled by index.
struct PlanePoints {
  const float* x = nullptr;
  const float* y = nullptr;
  const float* z = nullptr;
  std::uint32_t size = 0;
  float half_x = 0;  // |x| <= half_x, |y| <= half_y: bounds from the recipe, never from the data
  float half_y = 0;
  std::uint64_t seed = 0;  // from recipe and component, so that neighbours in a batch never matter
};

enum class FitStatus : std::uint8_t {
  ok,
  too_few_points,  // fewer than 3 with a height
  no_consensus,    // no hypothesis found 3 inliers, or the inliers do not span a plane
  out_of_bounds,   // a point lies outside half_x, half_y
};
const char* name_of(FitStatus status);

struct PlaneFit {
  double a = 0, b = 0, c = 0;
  double rms = 0;                    // of the inliers' vertical residuals
  double mean_x = 0, mean_y = 0;     // centroid of the inliers
  double sxx = 0, sxy = 0, syy = 0;  // central second moments of the inliers (sums, not means)
  std::uint32_t valid = 0;           // points with a height
  std::uint32_t inliers = 0;         // |r| <= refit_threshold at the end
  std::uint32_t hypotheses = 0;      // N that the sequential rule used
  std::uint32_t refits = 0;          // least-squares solutions until the inlier set stood still
  FitStatus status = FitStatus::no_consensus;
  bool fixed_point = false;  // the inlier set stood still within the limit
};

/// Fits `count` planes. Throws std::invalid_argument for settings that mean nothing (threshold not positive
/// and finite, refit_threshold below it, confidence outside (0,1), max_hypotheses < 1) or null pointers with
/// a size.
void fit_planes(const PlanePoints* planes, std::size_t count, const PlaneFitSettings& settings,
                const Backend& backend, PlaneFit* fits);

}  // namespace datum

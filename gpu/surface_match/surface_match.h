// What was measured near each facet of a model: the distances of the points in front of it (point-facet matching, PFM),
// and of the measured surface along its normal (facet-facet matching, FFM). After the two algorithms of the thesis
// (chapter 3), whose tests and order of walk are fixed here since it leaves them open. C++17: CUDA sources include this
// header. Coordinates and lengths are in one unit of the caller's, relative to the model's origin
// (TriangleModel::origin).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/core/backend.h"
#include "gpu/model_distance/model_distance.h"
#include "gpu/surface_match/model_facets.h"

namespace datum {

namespace match {
struct PointIndex;
struct FacetIndex;
}  // namespace match

/// A point matches a facet where it is not farther than `gate` from the facet's plane, its foot there lies within the
/// facet's circle (about the centroid, through the farthest corner), and it was seen from in front: the cosine
/// between the facet's normal and the point's direction is at least `least_cosine`.
struct PointMatchSettings {
  float gate = 0;               // largest distance from the plane
  float least_cosine = 0.5f;    // where the points have directions
  std::uint32_t least = 1;      // fewer points are no data
  float sharp_cosine = 0.866f;  // facets at a sharper edge of the model are `edge` (30 degrees)
};

/// Of the points that match one facet. Distances along its normal: positive outside.
struct FacetDeviation {
  std::uint32_t count = 0;
  float mean = 0, lowest = 0, highest = 0;
  float s = 0;  // standard deviation; 0 for one point
  MatchClass kind = MatchClass::no_data;
  std::uint8_t unused[3] = {};
};

enum class FacetChoice : std::uint8_t {
  nearest,     // of those pierced, the nearest; of several at the same distance the lowest
  first_found  // as the thesis walks: in the order of the distances from the origin, outwards from the nearest
};

/// The line through a facet's centroid along its normal pierces a measured facet (rims included) that looks the same way:
/// cosine between the normals of at least `least_cosine`, distance of at most `gate`.
struct FacetMatchSettings {
  float gate = 0;
  float least_cosine = 0.5f;
  float sharp_cosine = 0.866f;
  FacetChoice choice = FacetChoice::nearest;
  /// first_found: how far the distances from the origin of a facet's centroid and of the walk's start may differ.
  float vicinity = 0;
};

/// Where a facet's normal pierces the measured surface.
struct FacetPierced {
  float distance = 0;       // along the normal; 0 and no_data where nothing was found
  std::uint32_t facet = 0;  // of the measured surface
  MatchClass kind = MatchClass::no_data;
  std::uint8_t unused[3] = {};
};

/// Direction towards the sensor, of length 1.
struct PointDirection {
  float x, y, z;
};

/// Measured points, made ready. Points that are not finite match nothing.
class MeasuredPoints {
 public:
  /// `directions`: one for each point, or null. Throws std::invalid_argument above 2^25 points.
  MeasuredPoints(const ModelPoint* points, const PointDirection* directions, std::size_t count);
  ~MeasuredPoints();

  /// out[i] belongs to facets.facet[i] and depends on nothing else. Throws std::invalid_argument for settings that mean
  /// nothing.
  void match(const ModelFacets& facets, const PointMatchSettings& settings, const Backend& backend,
             FacetDeviation* out) const;

  const match::PointIndex& index() const { return *index_; }

 private:
  std::unique_ptr<match::PointIndex> index_;
};

using MeasuredFacet = std::array<std::array<float, 3>, 3>;  // corners, anticlockwise seen from the sensor

/// Measured facets, made ready. Those without a normal or with a corner that is not finite are never pierced.
class MeasuredFacets {
 public:
  /// `choice` first_found: sorted for walks as well. Nothing depends on `threads`. Throws std::invalid_argument above 2^25
  /// facets.
  explicit MeasuredFacets(const std::vector<MeasuredFacet>& facets, FacetChoice choice = FacetChoice::nearest,
                          unsigned threads = 1);
  ~MeasuredFacets();

  /// Throws std::invalid_argument also for a walk where nothing was sorted for it.
  void match(const ModelFacets& facets, const FacetMatchSettings& settings, const Backend& backend,
             FacetPierced* out) const;

  const match::FacetIndex& index() const { return *index_; }

 private:
  std::unique_ptr<match::FacetIndex> index_;
};

}  // namespace datum

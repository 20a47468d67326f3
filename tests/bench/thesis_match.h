// The thesis' matching on one core as its table 3.1 and figure 3.2 print it: what was measured sorted by its distance from
// the origin, a binary search for each model facet, then a walk outwards through a shell, one test after the other.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/surface_match/surface_match.h"

namespace datum::bench {

class ThesisPoints {
 public:
  ThesisPoints(const std::vector<ModelPoint>& points, const std::vector<PointDirection>& directions);
  /// Mean of all in the shell; *count of them.
  float match(const ModelFacet& f, float gate, float least_cosine, float vicinity, std::size_t* count) const;

 private:
  struct Actual {
    float radius;
    ModelPoint p;
    PointDirection d;
  };
  std::vector<Actual> sorted_;
};

class ThesisFacets {
 public:
  explicit ThesisFacets(const std::vector<MeasuredFacet>& facets);
  /// The first in the shell; false: none.
  bool match(const ModelFacet& f, float gate, float least_cosine, float vicinity, float* distance) const;

 private:
  struct Actual {
    float radius;
    float centre[3], normal[3];
    MeasuredFacet corner;
  };
  std::vector<Actual> sorted_;
};

}  // namespace datum::bench

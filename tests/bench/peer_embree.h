#pragma once

#include <vector>

#include "gpu/model_distance/model_distance.h"

namespace datum::bench {

/// Embree's point query: seconds of the build and of the queries, and each point's distance without sign.
struct EmbreeResult {
  double build_s = 0, query_s = 0;
  std::vector<float> distance;
};
EmbreeResult embree_distances(const TriangleModel& model, const std::vector<ModelPoint>& points,
                              unsigned threads);

}  // namespace datum::bench

#pragma once

#include <vector>

#include "gpu/model_distance/model_distance.h"

namespace datum::bench {

/// Prints rows of the device, or why there are none.
void match_gpu_rows(const TriangleModel& model, const std::vector<ModelPoint>& scan,
                    const std::vector<ModelPoint>& shuffled, float search);

}  // namespace datum::bench

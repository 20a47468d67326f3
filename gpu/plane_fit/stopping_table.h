// The number of hypotheses (hypotheses_needed()) as a table, so that the device needs no loop of multiplications.
#pragma once

#include <vector>

namespace datum {

/// Element k - 1, for k up to `limit`: the largest 1 - w^3 for which plane_math::hypotheses_needed() returns at most k.
std::vector<double> stopping_table(double p, int limit);

}  // namespace datum

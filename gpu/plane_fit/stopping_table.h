// Equation 2 of the paper as a table, so that no device multiplies in a loop.
#pragma once

#include <vector>

namespace datum {

/// element k - 1: the largest 1 - w^3 for which plane_math::hypotheses_needed(p) says at most k, for k up to `limit`.
std::vector<double> stopping_table(double p, int limit);

}  // namespace datum

#pragma once

#include <cstddef>

namespace datum::bench {

/// Prints one line: a scan of a cone, in memory as snapshots give it, with a model of so many facets: distances of its points,
/// both matchings, all three. On the CPU and, from host memory to host memory, on a device.
void scan_match_row(std::size_t facets, std::size_t points, unsigned threads);

}  // namespace datum::bench

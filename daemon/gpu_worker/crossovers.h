// From what size on datumd-gpu is faster than this host's CPU, with the exchange between both processes. It depends on both, so it is
// measured when the worker is first asked for such a service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "daemon/gpu_worker/service_client.h"

namespace datum {

/// Until it is measured: an H200's with 16 threads beside it (gpu/README.md).
constexpr std::size_t least_matched_on_gpu = 3'000;
constexpr std::size_t least_rows_on_gpu = 200;
constexpr std::size_t least_shared_on_gpu = 1'500;
constexpr std::size_t least_correlated_on_gpu = 16'384;

/// Of times taken at growing sizes: the size from which on the GPU's stay below the CPU's, linear between two sizes, at least the first one;
/// twice the last size where the CPU is faster there. Lists of one length, above 0.
std::size_t crossover_of(const std::vector<std::size_t>& size, const std::vector<double>& cpu,
                         const std::vector<double>& gpu);

/// In points, joined and model facets of a scan together.
struct MatchCrossovers {
  std::size_t by_points = least_matched_on_gpu;   // PFM alone
  std::size_t by_surface = least_matched_on_gpu;  // FFM, or both
};
/// Matches a wavy sheet of several sizes; of each some times, the least counts. Takes some 0.1 s. The worker has another model
/// afterwards. Throws GpuError.
MatchCrossovers measure_matching(ServiceClient& gpu, const Backend& cpu);

/// In rows of a system (thin plates).
struct InvertCrossover {
  std::size_t rows = least_rows_on_gpu;
};
/// Likewise; some 20 ms.
InvertCrossover measure_inverting(ServiceClient& gpu, const Backend& cpu);

/// In points that share a surface's area.
struct AreaCrossover {
  std::size_t points = least_shared_on_gpu;
};
/// Likewise; some 50 ms.
AreaCrossover measure_sharing(ServiceClient& gpu, const Backend& cpu);

/// In values of an image that is correlated with a reference.
struct CorrelationCrossover {
  std::size_t values = least_correlated_on_gpu;
};
/// Likewise; some 0.1 s.
CorrelationCrossover measure_correlating(ServiceClient& gpu, const Backend& cpu);

}  // namespace datum

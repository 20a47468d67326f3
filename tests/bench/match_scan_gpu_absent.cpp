#include <cstdio>

#include "tests/bench/match_scan_gpu.h"

namespace datum::bench {

void scan_match_gpu(const TriangleModel&, const ModelFacets&, const ScannedSurface&, const DistanceSettings&,
                    const ScanMatchSettings&, const ScanResults&) {
  std::printf("  built without CUDA\n");
}

}  // namespace datum::bench

#include "tests/bench/match_scan_gpu.h"

#include <cstdio>
#include <cstring>

#include "gpu/core/cuda_device.h"
#include "gpu/core/cuda_support.cuh"
#include "gpu/model_distance/model_distance_cuda.h"
#include "gpu/surface_match/facet_matcher_cuda.h"
#include "tests/bench/gpu_timing.h"

namespace datum::bench {
namespace {

template <class T>
cuda::Buffer<T> pinned(std::size_t count, const T* from = nullptr) {
  cuda::Buffer<T> b(cuda::Where::host_mapped);
  b.reserve(count);
  if (from) std::memcpy(static_cast<void*>(b.get()), from, count * sizeof *from);
  return b;
}

template <class T>
bool equal(const cuda::Buffer<T>& found, const std::vector<T>& expected) {
  return std::memcmp(found.get(), expected.data(), expected.size() * sizeof expected[0]) == 0;
}

}  // namespace

void scan_match_gpu(const TriangleModel& model, const ModelFacets& facets, const ScannedSurface& scan,
                    const DistanceSettings& distance, const ScanMatchSettings& match,
                    const ScanResults& expected) {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) {
    std::printf("  %s\n", device.why.c_str());
    return;
  }
  const auto search = cuda_device_search(model);
  const auto matcher = cuda_device_match(facets);
  const auto points = pinned(scan.point_count, scan.points);
  const auto view = pinned(scan.point_count, scan.view);
  const auto corners = pinned(scan.facet_count, scan.facets);
  const auto distances = pinned<ModelDistance>(scan.point_count);
  const auto by_points = pinned<FacetDeviation>(facets.facet.size());
  const auto by_surface = pinned<FacetPierced>(facets.facet.size());
  ScannedSurface surface = scan;
  surface.points = points.get();
  surface.view = view.get();
  surface.facets = corners.get();
  std::vector<double> find_us, match_us;
  for (int i = 0; i < 21; ++i) {
    find_us.push_back(
        wall_us([&] { search->find(points.get(), scan.point_count, distance, distances.get()); }));
    match_us.push_back(wall_us([&] { matcher->match(surface, match, by_points.get(), by_surface.get()); }));
  }
  const bool same = equal(distances, expected.distances) && equal(by_points, expected.by_points) &&
                    equal(by_surface, expected.by_surface);
  std::printf("  %s %8.3f %8.3f, bytes %s\n", device.name.c_str(), spread_of(find_us).median / 1e3,
              spread_of(match_us).median / 1e3, same ? "equal" : "DIFFERENT");
}

}  // namespace datum::bench

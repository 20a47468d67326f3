#include "tests/bench/match_surface_gpu.h"

#include <cstdio>
#include <cstring>

#include "gpu/core/cuda_device.h"
#include "gpu/surface_match/surface_match_cuda.h"
#include "tests/bench/gpu_timing.h"

namespace datum::bench {
namespace {

/// Build of the cells on the CPU, transfer, kernel, results: each by itself.
template <class Measured, class Device, class Settings, class Result, class Make>
void rows(const Make& make, const ModelFacets& facets, const Settings& settings,
          const std::vector<Result>& expected) {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) {
    std::printf(" no GPU rows: %s\n", device.why.c_str());
    return;
  }
  const Stream stream;
  Device matcher(facets);
  std::unique_ptr<Measured> measured;
  std::vector<double> build, upload, kernel, fetch;
  std::vector<Result> out(expected.size());
  for (int i = 0; i < 5; ++i) {
    build.push_back(wall_us([&] { measured = make(); }));
    upload.push_back(wall_us([&] { matcher.upload(stream, *measured); }));
  }
  const Replay replay(stream, [&](CudaStream s) { matcher.launch(s, settings); });
  for (int i = 0; i < 20; ++i) kernel.push_back(replay.device_us());
  for (int i = 0; i < 5; ++i) fetch.push_back(wall_us([&] { matcher.fetch(stream, out.data()); }));
  int apart = 0;  // the thesis' figure 3.6: a hundred runs
  for (int i = 0; i < 100; ++i) {
    matcher.launch(stream, settings);
    matcher.fetch(stream, out.data());
    apart += std::memcmp(out.data(), expected.data(), out.size() * sizeof out[0]) != 0;
  }
  const bool equal = std::memcmp(out.data(), expected.data(), out.size() * sizeof out[0]) == 0;
  const Spread s = spread_of(kernel);
  std::printf(
      " %s: kernel %.1f us (10 %% %.1f, 90 %% %.1f), bytes %s, of %d in 100 runs different; build on the CPU "
      "%.0f us, upload %.0f, "
      "results %.0f\n",
      device.name.c_str(), s.median, s.p10, s.p90, equal ? "equal" : "DIFFERENT", apart,
      spread_of(build).median, spread_of(upload).median, spread_of(fetch).median);
}

}  // namespace

void point_match_gpu_rows(const ModelFacets& facets, const std::vector<ModelPoint>& points,
                          const std::vector<PointDirection>& directions, const PointMatchSettings& settings,
                          const std::vector<FacetDeviation>& expected) {
  rows<MeasuredPoints, CudaPointMatch>(
      [&] { return std::make_unique<MeasuredPoints>(points.data(), directions.data(), points.size()); },
      facets, settings, expected);
}

void facet_match_gpu_rows(const ModelFacets& facets, const std::vector<MeasuredFacet>& measured,
                          const FacetMatchSettings& settings, const std::vector<FacetPierced>& expected) {
  rows<MeasuredFacets, CudaFacetMatch>([&] { return std::make_unique<MeasuredFacets>(measured); }, facets,
                                       settings, expected);
}

}  // namespace datum::bench

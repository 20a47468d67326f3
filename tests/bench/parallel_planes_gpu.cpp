#include "tests/bench/parallel_planes_gpu.h"

#include <cstdio>

#include "gpu/core/cuda_device.h"
#include "gpu/parallel_planes/parallel_planes_cuda.h"
#include "tests/bench/gpu_timing.h"

namespace datum::bench {

void parallel_planes_gpu_rows(const testing::Stack& stack, const ParallelPlanesSettings& settings,
                              const testing::StackResult& expected) {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) {
    std::printf("no GPU rows: %s\n", device.why.c_str());
    return;
  }
  const Stream stream;
  const Ceilings ceilings = measure_ceilings(stream, 15);
  CudaParallelPlanes fitter;
  const auto samples = stack.samples();
  fitter.prepare(samples.data(), samples.size(), stack.sets.data(), stack.sets.size(), settings, false);
  fitter.upload(stream);
  const Replay replay(stream, [&](CudaStream s) { fitter.launch(s); });
  std::vector<double> us;
  for (int i = 0; i < 60; ++i) us.push_back(replay.device_us());
  testing::StackResult result(stack);
  fitter.fetch(stream, result.shared.data(), result.planes.data());
  std::size_t points = 0;
  for (const auto& plane : stack.points) points += plane.size();
  const double floor_us = static_cast<double>(points * sizeof(WeightedPoint)) / ceilings.read_gb_s * 1e-3;
  const Spread s = spread_of(us);
  std::printf(
      "%s: kernels %.1f us (10 %% %.1f, 90 %% %.1f); reading alone %.1f us at %.0f GB/s; bytes %s\n\n",
      device.name.c_str(), s.median, s.p10, s.p90, floor_us, ceilings.read_gb_s,
      result.bytes() == expected.bytes() ? "equal" : "DIFFERENT");
}

}  // namespace datum::bench

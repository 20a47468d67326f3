#include "tests/bench/diffusion_gpu.h"

#include <cstdio>

#include "gpu/core/cuda_device.h"
#include "gpu/diffusion/diffusion_cuda.h"
#include "tests/bench/gpu_timing.h"

namespace datum::bench {

void diffusion_gpu_row(const char* name, const std::vector<std::int32_t>& counts, const DiffusionGrid& grid,
                       const DiffusionSettings& settings, const std::vector<std::int32_t>& expected) {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) {
    std::printf("%-44s no GPU: %s\n", name, device.why.c_str());
    return;
  }
  const Stream stream;
  CudaDiffusion diffuser;
  diffuser.prepare(counts.data(), grid, settings, cpu_backend());
  diffuser.upload(stream);
  diffuser.launch(stream);
  std::vector<std::int32_t> found(counts.size());
  diffuser.fetch(stream, found.data());
  const Replay replay(stream, [&](CudaStream s) { diffuser.launch(s); });
  std::vector<double> us;
  for (int i = 0; i < 25; ++i) us.push_back(replay.device_us() / settings.iterations);
  const Spread s = spread_of(us);
  std::printf("%-44s %8.1f us an iteration (10 %% %.1f, 90 %% %.1f); %.0f GB/s; bytes %s\n", name, s.median,
              s.p10, s.p90, 8e-3 * static_cast<double>(grid.size()) / s.median,
              found == expected ? "equal" : "DIFFERENT");
}

}  // namespace datum::bench

#include "tests/bench/match_gpu.h"

#include <cstdio>
#include <cstring>
#include <memory>

#include "gpu/core/cuda_device.h"
#include "gpu/model_distance/model_distance_cuda.h"
#include "tests/bench/gpu_timing.h"

namespace datum::bench {

void match_gpu_rows(const TriangleModel& model, const std::vector<ModelPoint>& scan,
                    const std::vector<ModelPoint>& shuffled, float search) {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) {
    std::printf(" no GPU rows: %s\n", device.why.c_str());
    return;
  }
  const Stream stream;
  CudaModelSearch finder(model);
  DistanceSettings settings;
  settings.search = search;
  const ModelSearch host(std::make_shared<TriangleModel>(model));
  for (const auto* points : {&scan, &shuffled}) {
    finder.upload(stream, points->data(), points->size());
    const Replay replay(stream, [&](CudaStream s) { finder.launch(s, settings); });
    std::vector<double> us;
    for (int i = 0; i < 20; ++i) us.push_back(replay.device_us());
    std::vector<ModelDistance> found(points->size()), expected(points->size());
    finder.fetch(stream, found.data());
    host.find(points->data(), points->size(), settings, cpu_backend(0), expected.data());
    const bool equal = std::memcmp(found.data(), expected.data(), found.size() * sizeof found[0]) == 0;
    const Spread s = spread_of(us);
    std::printf(" %s, %s: kernel %.1f us (10 %% %.1f, 90 %% %.1f), bytes %s\n", device.name.c_str(),
                points == &scan ? "scan order" : "shuffled", s.median, s.p10, s.p90,
                equal ? "equal" : "DIFFERENT");
  }
}

}  // namespace datum::bench

// Distances by the GPU while it is well, by the CPU while it is not: the same bytes, and no part waits for a repair.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "daemon/gpu/gpu_health.h"
#include "daemon/gpu/surface_link.h"

namespace datum {

class FailoverFinder final : public DistanceFinder {
 public:
  /// The worker is started by the first surface. `start_patience`: how long that one waits for it.
  FailoverFinder(std::unique_ptr<SurfaceLink> link, Backend cpu, std::chrono::milliseconds start_patience,
                 GpuHealth::Now now, GpuHealth::Report report, RestartPauses pauses = {});

  void find(const SearchedModel& model, const ModelPoint* points, std::size_t count,
            const DistanceSettings& settings, ModelDistance* out) override;
  std::string describe() const override { return health_.last(); }
  /// "" while the GPU is well, else what its last fault was.
  std::string fault() const { return health_.fault(); }

 private:
  bool found_by_gpu(const SearchedModel& model, const ModelPoint* points, std::size_t count,
                    const DistanceSettings& settings, ModelDistance* out);

  const std::unique_ptr<SurfaceLink> link_;
  CpuDistanceFinder cpu_;
  const std::chrono::milliseconds start_patience_;
  std::mutex finding_;
  GpuHealth health_;
};

}  // namespace datum

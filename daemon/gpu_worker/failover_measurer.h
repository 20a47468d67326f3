// Measures boards on the GPU, or on the CPU during a GPU fault: the same bytes, and no board waits for a recovery.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "daemon/gpu_worker/gpu_client.h"
#include "daemon/gpu_worker/gpu_health.h"
#include "gpu/board/board_measurer.h"

namespace datum {

struct FailoverSettings {
  // How long a board waits for the preparation of a plan; then the CPU measures it, and the next board tries again.
  std::chrono::milliseconds plan_timeout{400};
  RestartPauses pauses;
};

class FailoverMeasurer final : public BoardMeasurer {
 public:
  /// The client may be started already.
  FailoverMeasurer(std::unique_ptr<GpuClient> link, std::unique_ptr<BoardMeasurer> cpu, GpuHealth::Now now,
                   GpuHealth::Report report, FailoverSettings settings = {});

  /// Thread-safe; concurrent calls wait for each other.
  void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) override;
  void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records, unsigned threads,
               const SiteWork& work) override;
  void expect(const BoardPlan& plan, const std::shared_ptr<const void>& of,
              const EarlyWorkMaker& make) override;
  /// Backend of the last board: "cuda NVIDIA H200 sm_90", "cpu avx512 x16".
  std::string describe() const override { return health_.last(); }
  /// "" while the GPU works, else its last fault.
  std::string fault() const { return health_.fault(); }
  /// Number of restarts of the worker.
  std::uint64_t restarts() const { return health_.restarts(); }

 private:
  template <class OnCpu>
  bool measured_by_gpu_or(const BoardPlan& plan, const FrameView& frame, SiteRecord* records,
                          const OnCpu& on_cpu);
  bool measured_by_gpu(const BoardPlan& plan, const FrameView& frame, SiteRecord* records);

  const std::unique_ptr<GpuClient> link_;
  const std::unique_ptr<BoardMeasurer> cpu_;
  const std::chrono::milliseconds plan_timeout_;
  std::mutex measuring_;
  GpuHealth health_;
};

}  // namespace datum

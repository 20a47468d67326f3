// Boards on the GPU while it is well, on the CPU while it is not: the same bytes, and no board waits for a
// repair.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "daemon/gpu/gpu_link.h"
#include "gpu/board/board_measurer.h"

namespace datum {

struct FailoverSettings {
  // A board waits so long for a plan to be prepared; after that it goes to the CPU and the next one asks
  // again.
  std::chrono::milliseconds plan_patience{400};
  // Pause before the first restart after a fault; doubled for each fault after it.
  std::chrono::nanoseconds first_pause = std::chrono::seconds(1);
  // The longest pause; a GPU that was well for so long begins with the first one again.
  std::chrono::nanoseconds longest_pause = std::chrono::minutes(5);
};

class FailoverMeasurer final : public BoardMeasurer {
 public:
  using Now = std::function<std::chrono::nanoseconds()>;  // monotonic
  /// A line for the log: of a fault, once until the GPU is back; of its return; of boards that go to the CPU while it is
  /// well, once for each reason.
  using Report = std::function<void(bool fault, const std::string& text)>;

  /// The link may be started already.
  FailoverMeasurer(std::unique_ptr<GpuLink> link, std::unique_ptr<BoardMeasurer> cpu, Now now, Report report,
                   FailoverSettings settings = {});

  /// May be called from several threads, which wait for each other.
  void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) override;
  /// Who measured the last board: "cuda NVIDIA H200 sm_90", "cpu avx512 x16".
  std::string describe() const override;
  /// "" while the GPU is well, else what its last fault was.
  std::string fault() const;

 private:
  bool measured_by_gpu(const BoardPlan& plan, const FrameView& frame, SiteRecord* records);
  bool passed_over(const std::string& why);
  void note_fault(const std::string& what);
  void note_return();
  void note_measurer(const std::string& who);

  const std::unique_ptr<GpuLink> link_;
  const std::unique_ptr<BoardMeasurer> cpu_;
  const Now now_;
  const Report report_;
  const FailoverSettings settings_;

  std::mutex measuring_;
  std::chrono::nanoseconds retry_at_{0}, well_since_{0}, pause_{0};  // pause_: before the last restart
  std::string passed_over_;  // why the last boards went to the CPU while the GPU is well
  mutable std::mutex texts_;
  std::string last_, fault_;
};

}  // namespace datum

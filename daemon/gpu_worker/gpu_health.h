// Health of a GPU: when it may be tried again after a fault, and the log lines about it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace datum {

struct RestartPauses {
  // Before the first restart after a fault; doubled for each further fault.
  std::chrono::nanoseconds first = std::chrono::seconds(1);
  // Upper limit. A GPU that worked for this long begins with the first pause again.
  std::chrono::nanoseconds longest = std::chrono::minutes(5);
};

class GpuHealth {
 public:
  using Now = std::function<std::chrono::nanoseconds()>;  // monotonic
  /// A line for the log: of a fault, once until recovery; of the recovery; of each reason for which the CPU works
  /// although the GPU is usable, once.
  using Report = std::function<void(bool fault, const std::string& text)>;

  /// `work`: the work that the CPU does during a fault, "boards are measured".
  GpuHealth(std::string work, Now now, Report report, RestartPauses pauses);

  /// True: a worker that is not running may be started.
  bool may_start() const { return now_() >= retry_at_; }
  /// Records a start of the worker.
  void started();
  void failed(const std::string& what);
  /// Records completed work; `device`: its executor.
  void did_well(const std::string& device);
  /// Records work on the CPU without a GPU fault; reported once per reason.
  void passed_over(const std::string& why);

  /// Records the executor of the last work.
  void set_last(const std::string& who);
  std::string last() const;
  /// "" while the GPU works, else its last fault.
  std::string fault() const;
  /// Number of starts after the first. last(), fault() and restarts() are thread-safe.
  std::uint64_t restarts() const;

 private:
  const std::string work_;
  const Now now_;
  const Report report_;
  const RestartPauses pauses_;
  std::chrono::nanoseconds retry_at_{0}, well_since_{0}, pause_{0};  // pause_: before the last restart
  std::string passed_over_;  // why the CPU did the last work although the GPU is usable
  mutable std::mutex texts_;
  std::string last_, fault_;
  std::uint64_t starts_ = 0;
};

}  // namespace datum

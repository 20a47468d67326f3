// How a GPU has fared: when it may be tried again after a fault, and what the log hears of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace datum {

struct RestartPauses {
  // Before the first restart after a fault; doubled for each fault after it.
  std::chrono::nanoseconds first = std::chrono::seconds(1);
  // The longest; a GPU that was well for so long begins with the first one again.
  std::chrono::nanoseconds longest = std::chrono::minutes(5);
};

class GpuHealth {
 public:
  using Now = std::function<std::chrono::nanoseconds()>;  // monotonic
  /// A line for the log: of a fault, once until the GPU is back; of its return; of work that goes to the CPU while it is
  /// well, once for each reason.
  using Report = std::function<void(bool fault, const std::string& text)>;

  /// `work`: what is done meanwhile on the CPU, "boards are measured".
  GpuHealth(std::string work, Now now, Report report, RestartPauses pauses);

  /// Whether a worker that is not running may be started.
  bool may_start() const { return now_() >= retry_at_; }
  /// A worker was started.
  void started();
  void failed(const std::string& what);
  /// It did what it was asked; `device`: who.
  void did_well(const std::string& device);
  /// No fault, and no silence either: said once for as long as it lasts.
  void passed_over(const std::string& why);

  /// Who did the last work.
  void set_last(const std::string& who);
  std::string last() const;
  /// "" while the GPU is well, else what its last fault was.
  std::string fault() const;
  /// How often a worker was started after the first one. These three may be asked from any thread.
  std::uint64_t restarts() const;

 private:
  const std::string work_;
  const Now now_;
  const Report report_;
  const RestartPauses pauses_;
  std::chrono::nanoseconds retry_at_{0}, well_since_{0}, pause_{0};  // pause_: before the last restart
  std::string passed_over_;  // why the last work went to the CPU while the GPU is well
  mutable std::mutex texts_;
  std::string last_, fault_;
  std::uint64_t starts_ = 0;
};

}  // namespace datum

// The daemon's client of datumd-gpu: starts it, sends plans and frames, receives records, and never waits beyond a
// deadline.
//
//   absent -start-> starting -greeting-> ready -plan-> preparing -answer-> prepared -board-> prepared
//
// Every fault of the worker (end, stop, hang, protocol violation) is thrown as GpuError. The client must then be stopped,
// and may be started again. One thread at a time may use it.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "daemon/gpu_worker/early_slots.h"
#include "daemon/gpu_worker/gpu_wire.h"
#include "daemon/gpu_worker/shared_memory.h"
#include "daemon/gpu_worker/worker_client.h"
#include "gpu/core/backend.h"

namespace datum {

struct GpuClientSettings {
  std::filesystem::path program = program_beside_this("datumd-gpu");
  Backend staging;  // threads and instruction set for copying a frame into its slot
  // One for frames that are copied; for frames that come early one in work and one behind it.
  std::uint32_t slots = 3;
  // An idle driver takes seconds to start, more with eight cards and no persistence daemon.
  std::chrono::milliseconds start_timeout{60'000};
  // The worst case is the PTX translation for a newer card, which happens once.
  std::chrono::milliseconds prepare_timeout{120'000};
  // 1000 times the duration of a large board; with the CPU's time after it well below two seconds.
  std::chrono::milliseconds measure_timeout{700};
};

class GpuClient {
 public:
  using Clock = WorkerClient::Clock;

  explicit GpuClient(GpuClientSettings settings);
  ~GpuClient();

  bool started() const { return worker_.started(); }
  /// Starts the worker without waiting for it. Throws GpuError.
  void start();
  /// Kills the worker.
  void stop();
  /// Process id of the worker, for monitoring; -1: not running.
  pid_t pid() const { return worker_.pid(); }

  /// Null: no greeting until the deadline. Throws GpuError where the worker has other code, ended, or was silent for
  /// start_timeout. A greeting may report that there is no usable device.
  const Greeting* greeting(Clock::time_point until);
  /// True: boards of this plan can be measured. A new plan is sent first. False: the worker is still preparing it; ask
  /// again. Throws GpuError where it refuses or exceeds prepare_timeout, and std::invalid_argument where plan or frame
  /// are contradictory.
  bool prepare(const BoardPlan& plan, const FrameView& frame, Clock::time_point until);
  /// Measures a frame with the prepared plan into its site_count records. False: a slot cannot represent this frame
  /// (stage_frame). Throws GpuError, at the latest measure_timeout after the frame is in its slot.
  bool measure(const FrameView& frame, SiteRecord* records);
  /// BoardMeasurer::expect(), of the prepared plan.
  void expect(const BoardPlan& plan, const std::shared_ptr<const void>& of, const EarlyWorkMaker& make);
  /// Takes frames while they are read or received.
  std::shared_ptr<EarlyPixels> early() const { return early_; }
  /// "NVIDIA H200 sm_90".
  const std::string& device() const { return device_; }

 private:
  bool is_prepared(const BoardPlan& plan) const;
  void send(const BoardPlan& plan);
  bool answered(Clock::time_point until);
  void ring();
  void call();
  void order(std::uint32_t slot, std::uint32_t frame, SiteRecord* records);
  void await_records(std::uint32_t number);

  const GpuClientSettings settings_;
  WorkerClient worker_;
  Clock::time_point sent_;
  std::shared_ptr<SharedMemory> memory_;  // null: none
  const std::shared_ptr<EarlySlots> early_;
  std::uint32_t plans_ = 0, boards_ = 0;  // numbers of the last orders
  bool preparing_ = false, prepared_ = false;
  // Copy of the last sent plan; the one in shared memory is not trusted, since the worker can write there.
  BoardPlan plan_;
  std::vector<SitePlan> sites_;
  std::vector<PixelRun> runs_;
  std::shared_ptr<const SlotPlan> in_slot_;  // of plan_
  std::vector<std::uint8_t> sides_;
  std::string device_;
};

}  // namespace datum

// The daemon's end of datumd-gpu: starts it, gives it plans and frames, takes records, and never waits beyond
// a deadline.
//
//   absent -start-> starting -greeting-> ready -plan-> preparing -answer-> prepared -board-> prepared
//
// Whatever the worker does (ends, stops, hangs, speaks nonsense) is a GpuError here; the link is then to be
// stopped, and may be started again. Used from one thread at a time.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/gpu_worker/gpu_wire.h"
#include "daemon/gpu_worker/shared_memory.h"
#include "daemon/gpu_worker/worker_client.h"
#include "gpu/core/backend.h"

namespace datum {

struct GpuClientSettings {
  std::filesystem::path program = program_beside_this("datumd-gpu");
  Backend staging;          // threads and instruction set that copy a frame into its slot
  std::uint32_t slots = 2;  // of the ring; boards take them in turn
  // A driver that was not in use takes seconds to start, more with eight cards and no persistence daemon.
  std::chrono::milliseconds start_timeout{60'000};
  // Longest: the code of a newer card is translated from PTX, once.
  std::chrono::milliseconds prepare_timeout{120'000};
  // A thousand times what a large board takes; with the CPU's time after it well below two seconds.
  std::chrono::milliseconds measure_timeout{700};
};

class GpuClient {
 public:
  using Clock = WorkerClient::Clock;

  explicit GpuClient(GpuClientSettings settings);

  bool started() const { return worker_.started(); }
  /// Starts the worker; does not wait for it. Throws GpuError.
  void start();
  /// Kills the worker.
  void stop();
  /// The worker's process, for whoever watches it; -1 where there is none.
  pid_t pid() const { return worker_.pid(); }

  /// Null where the worker has not greeted by then. Throws GpuError where it is of other code, gone, or
  /// silent for start_timeout. A greeting may say that there is no usable device.
  const Greeting* greeting(Clock::time_point until);
  /// Whether boards of this plan can be measured now. A plan that is not the last one is sent first. False:
  /// the worker was not done with it by then; ask again. Throws GpuError where it refuses or takes
  /// prepare_timeout, and std::invalid_argument for a plan that contradicts itself or its frame.
  bool prepare(const BoardPlan& plan, const FrameView& frame, Clock::time_point until);
  /// Measures a frame of the prepared plan: its site_count records. False: this frame can't be told in a slot
  /// (stage_frame). Throws GpuError, at the latest measure_timeout after the frame is in its slot.
  bool measure(const FrameView& frame, SiteRecord* records);
  /// "NVIDIA H200 sm_90": who measures.
  const std::string& device() const { return device_; }

 private:
  bool is_prepared(const BoardPlan& plan) const;
  void send(const BoardPlan& plan);
  bool answered(Clock::time_point until);
  void ring();
  void await_records(std::uint32_t number);

  const GpuClientSettings settings_;
  WorkerClient worker_;
  Clock::time_point sent_;
  SharedMemory memory_;
  std::uint32_t plans_ = 0, boards_ = 0;  // numbers of the last orders
  bool preparing_ = false, prepared_ = false;
  // The last plan that was sent, as it was; the memory's copy is not trusted, since the worker may have
  // written there.
  BoardPlan plan_;
  std::vector<SitePlan> sites_;
  std::vector<PixelRun> runs_, covered_;
  std::vector<std::uint8_t> sides_;
  std::string device_;
};

}  // namespace datum

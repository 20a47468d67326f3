// The daemon's client of a worker process: start, greeting, packets with deadlines, kill.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "daemon/gpu_worker/gpu_wire.h"
#include "daemon/system/child_process.h"

namespace datum {

class WorkerClient {
 public:
  using Clock = std::chrono::steady_clock;

  WorkerClient(std::filesystem::path program, std::chrono::milliseconds start_timeout)
      : program_(std::move(program)), start_timeout_(start_timeout) {}

  bool started() const { return process_.started(); }
  /// Does not wait for the worker. Throws GpuError.
  void start();
  void stop();
  pid_t pid() const { return process_.pid(); }
  int socket() const { return process_.socket(); }

  /// Null: no greeting until the deadline. Throws GpuError where the worker has other code, ended, or was silent for
  /// start_timeout. A greeting may report that there is no usable device.
  const Greeting* greeting(Clock::time_point until);
  /// Receives one packet; returns its size, or -1 at the deadline. Throws GpuError where the worker is gone.
  long receive(void* data, std::size_t capacity, Clock::time_point until);
  /// Throws GpuError where the worker is gone.
  void send(const void* data, std::size_t size, int fd = -1);
  /// Throws GpuError that states how the worker ended.
  [[noreturn]] void lost();

 private:
  const std::filesystem::path program_;
  const std::chrono::milliseconds start_timeout_;
  ChildProcess process_;
  std::optional<Greeting> greeting_;
  Clock::time_point started_;
};

/// Throws GpuError where the order failed, or where the reply does not answer it. `matches`: its size and number do; `order`
/// names it: "a plan"; `lost`: a failed order loses the device (gpu_error.h).
void check_reply(const WireReply& reply, bool matches, const char* order, bool lost);

}  // namespace datum

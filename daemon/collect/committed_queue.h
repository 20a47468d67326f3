// From the thread that writes to the loop: numbers of messages that are committed.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "drivers/port/pollable.h"

namespace datum {

class CommittedQueue final : public Pollable {
 public:
  using Action = std::function<void(const std::vector<std::uint64_t>& numbers, MonotonicNs now)>;
  /// `action` is called on the loop. Throws std::system_error where the kernel gives no descriptor.
  explicit CommittedQueue(Action action);
  ~CommittedQueue() override;
  CommittedQueue(const CommittedQueue&) = delete;
  CommittedQueue& operator=(const CommittedQueue&) = delete;

  /// By any thread.
  void add(const std::vector<std::uint64_t>& numbers);

  int fd() const override { return event_; }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override { return std::nullopt; }
  void on_deadline(MonotonicNs) override {}
  std::string describe() const override { return "committed messages"; }

 private:
  const Action action_;
  int event_;
  std::mutex mutex_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace datum

// State of the process and its disks from the kernel, sampled by a thread of its own: a hanging disk, as of a broken
// network share, blocks only this thread.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "drivers/port/pollable.h"

namespace datum {

struct ServiceSnapshot {
  MonotonicNs looked_ns = 0;
  std::optional<double> cpu_s, started_utc_s;
  std::optional<std::uint64_t> memory_bytes, virtual_bytes, fds, most_fds, threads;
  std::optional<std::uint64_t> store_bytes;
  std::map<std::string, std::uint64_t> free_bytes;  // by kind of content
};

/// Folders that datumd writes.
struct ServicePlaces {
  std::filesystem::path store;                         // the file; its WAL is beside it
  std::map<std::string, std::filesystem::path> rooms;  // "store", "pictures", "frames": folders
};

/// Samples now; unavailable values are none. proc(5), statvfs(3).
ServiceSnapshot look_at_service(const ServicePlaces& places);

class ServiceSampler {
 public:
  using Clock = MonotonicNs (*)();
  /// Samples at once, and every `period_ms` after that.
  ServiceSampler(ServicePlaces places, Clock now, int period_ms = 5000);
  ~ServiceSampler();
  ServiceSampler(const ServiceSampler&) = delete;
  ServiceSampler& operator=(const ServiceSampler&) = delete;

  /// The newest sample; null: the first one is not complete.
  std::shared_ptr<const ServiceSnapshot> newest() const;

 private:
  /// Outlives the sampler where its thread hangs.
  struct Shared {
    mutable std::mutex mutex;
    std::condition_variable wake;
    bool stopping = false, ended = false;
    std::shared_ptr<const ServiceSnapshot> newest;
  };
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace datum

// The thread that writes: takes what was delivered, commits it in batches, and says so. Where the database is away it keeps what it has
// and tries again: nothing is committed, so nothing is accepted, and no more is delivered than the window holds.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "daemon/collect/batch_writer.h"

namespace datum {

struct WriteThreadActions {
  std::function<void(const std::vector<std::uint64_t>& numbers)> committed;  // called by the thread
  std::function<void(int level, const std::string& text)> log;               // levels of syslog
  std::function<std::int64_t()> now_us;                                      // since 1970
};

class WriteThread {
 public:
  WriteThread(const CollectSettings& settings, WriteThreadActions actions);
  ~WriteThread();

  void add(std::uint64_t number, Delivered message);
  /// Ends when everything is written; at once where the database is away.
  void end();
  bool has_ended() const { return has_ended_; }
  /// What ended it: the database is unfit.
  std::exception_ptr failure() const;

 private:
  void run();
  std::vector<Delivered> next_batch(std::vector<std::uint64_t>& numbers);
  bool write(const std::vector<Delivered>& batch);
  bool pause();
  void keep_house();

  const CollectSettings& settings_;
  const WriteThreadActions actions_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::pair<std::uint64_t, Delivered>> queue_;
  bool ending_ = false;
  std::atomic<bool> has_ended_ = false;
  std::exception_ptr failure_;
  std::optional<BatchWriter> writer_;
  int wait_ms_ = 0;
  std::string told_;  // each trouble once
  std::chrono::steady_clock::time_point house_due_{};
  std::thread thread_;  // last: it uses all others
};

}  // namespace datum

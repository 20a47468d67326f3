// Threads for pieces of a frame that arrives. They are none of parallel_for's, which measure the frame before it meanwhile.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace datum {

class PieceWorkers {
 public:
  explicit PieceWorkers(unsigned threads);
  /// Does what was submitted first.
  ~PieceWorkers();
  PieceWorkers(const PieceWorkers&) = delete;
  PieceWorkers& operator=(const PieceWorkers&) = delete;

  /// A task must not throw. Callable from any thread.
  void submit(std::function<void()> task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // last
};

/// For frames of a network's sensor where this host's own work has so many threads.
std::shared_ptr<PieceWorkers> piece_workers_beside(unsigned threads);

/// Pieces of one frame, submitted by one thread; their end may be awaited by another one afterwards.
class PieceGroup {
 public:
  explicit PieceGroup(std::shared_ptr<PieceWorkers> workers) : workers_(std::move(workers)) {}
  ~PieceGroup() { wait(); }
  PieceGroup(const PieceGroup&) = delete;
  PieceGroup& operator=(const PieceGroup&) = delete;

  void submit(std::function<void()> piece);
  /// For all that were submitted.
  void wait();
  /// The same; rethrows what one of them threw.
  void finish();

 private:
  std::shared_ptr<PieceWorkers> workers_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::size_t in_work_ = 0;
  std::exception_ptr error_;
};

}  // namespace datum

// Threads for pieces of a frame that arrives. They are none of parallel_for's, which measure the frame before it meanwhile.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
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

}  // namespace datum

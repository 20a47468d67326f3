#include "gpu/core/piece_workers.h"

#include <algorithm>
#include <utility>

namespace datum {

PieceWorkers::PieceWorkers(unsigned threads) {
  for (unsigned i = 0; i < std::max(threads, 1u); ++i) threads_.emplace_back([this] { work(); });
}

PieceWorkers::~PieceWorkers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void PieceWorkers::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void PieceWorkers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::function<void()> task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

std::shared_ptr<PieceWorkers> piece_workers_beside(unsigned threads) {
  constexpr unsigned most = 4;  // each takes 1 GB/s and more of a sensor's link; one may wait for the disk
  return std::make_shared<PieceWorkers>(std::clamp(threads, 2u, most));
}

void PieceGroup::submit(std::function<void()> piece) {
  {
    const std::lock_guard lock(mutex_);
    ++in_work_;
  }
  workers_->submit([this, piece = std::move(piece)] {
    std::exception_ptr error;
    try {
      piece();
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);  // held, so that the object lives until this has ended
    if (error) error_ = error;
    if (--in_work_ == 0) done_.notify_all();
  });
}

void PieceGroup::wait() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return in_work_ == 0; });
}

void PieceGroup::finish() {
  wait();
  if (error_) std::rethrow_exception(error_);
}

}  // namespace datum

#include "daemon/collect/committed_queue.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace datum {

CommittedQueue::CommittedQueue(Action action)
    : action_(std::move(action)), event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

CommittedQueue::~CommittedQueue() { ::close(event_); }

void CommittedQueue::add(const std::vector<std::uint64_t>& numbers) {
  {
    const std::lock_guard held(mutex_);
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_, &one, sizeof one);
}

void CommittedQueue::on_ready(MonotonicNs now) {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(event_, &count, sizeof count);
  std::vector<std::uint64_t> numbers;
  {
    const std::lock_guard held(mutex_);
    numbers.swap(numbers_);
  }
  action_(numbers, now);
}

}  // namespace datum

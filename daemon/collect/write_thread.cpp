#include "daemon/collect/write_thread.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>

namespace datum {
namespace {

constexpr int first_wait_ms = 500, longest_wait_ms = 30'000;
constexpr std::chrono::minutes house_period{60};

}  // namespace

WriteThread::WriteThread(const CollectSettings& settings, WriteThreadActions actions)
    : settings_(settings), actions_(std::move(actions)), thread_([this] { run(); }) {}

WriteThread::~WriteThread() {
  end();
  thread_.join();
}

void WriteThread::add(std::uint64_t number, Delivered message) {
  {
    const std::lock_guard held(mutex_);
    queue_.emplace_back(number, std::move(message));
  }
  wake_.notify_one();
}

void WriteThread::end() {
  {
    const std::lock_guard held(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
}

std::exception_ptr WriteThread::failure() const {
  const std::lock_guard held(mutex_);
  return failure_;
}

/// All that waits; empty: the period of keeping house is over, or the thread ends.
std::vector<Delivered> WriteThread::next_batch(std::vector<std::uint64_t>& numbers) {
  std::unique_lock held(mutex_);
  wake_.wait_until(held, house_due_, [&] { return ending_ || !queue_.empty(); });
  std::vector<Delivered> batch;
  for (auto& [number, message] : queue_) {
    numbers.push_back(number);
    batch.push_back(std::move(message));
  }
  queue_.clear();
  return batch;
}

/// False: the thread is to end.
bool WriteThread::pause() {
  std::unique_lock held(mutex_);
  return !wake_.wait_for(held, std::chrono::milliseconds(wait_ms_), [&] { return ending_; });
}

void WriteThread::keep_house() {
  if (std::chrono::steady_clock::now() < house_due_) return;
  house_due_ = std::chrono::steady_clock::now() + house_period;
  writer_->remove_old();
}

/// False: the database is away.
bool WriteThread::write(const std::vector<Delivered>& batch) {
  try {
    if (!writer_) {
      writer_.emplace(connection_string(settings_.database), settings_, actions_.now_us);
      actions_.log(LOG_INFO, fmt::format("connected with the database {} at {}", settings_.database.name,
                                         settings_.database.host));
    }
    if (!batch.empty())
      for (const std::string& alarm : writer_->write(batch).alarms) actions_.log(LOG_ERR, alarm);
    keep_house();
    wait_ms_ = 0;
    told_.clear();
    return true;
  } catch (const DatabaseUnfit&) {
    throw;
  } catch (const std::runtime_error&
               error) {  // DatabaseAway, DatabaseRefusal of the house, a password that can't be read
    if (told_ != error.what())
      actions_.log(LOG_WARNING,
                   fmt::format("the database: {}; nothing is accepted from the broker before it is committed",
                               error.what()));
    told_ = error.what();
    writer_.reset();
    wait_ms_ = std::clamp(2 * wait_ms_, first_wait_ms, longest_wait_ms);
    return false;
  }
}

void WriteThread::run() {
  try {
    house_due_ = std::chrono::steady_clock::now();
    for (bool first = true;; first = false) {
      std::vector<std::uint64_t> numbers;
      const std::vector<Delivered> batch = first ? std::vector<Delivered>() : next_batch(numbers);
      bool goes_on = true;
      while (goes_on && !write(batch)) goes_on = pause();
      if (goes_on && !numbers.empty()) actions_.committed(numbers);
      const std::lock_guard held(mutex_);
      if (!goes_on || (ending_ && queue_.empty())) break;
    }
  } catch (...) {
    const std::lock_guard held(mutex_);
    failure_ = std::current_exception();
  }
  has_ended_ = true;
  actions_.committed({});
}

}  // namespace datum

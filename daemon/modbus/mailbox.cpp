#include "daemon/modbus/mailbox.h"

#include <unistd.h>

#include <utility>

namespace datum::modbus {

std::shared_ptr<const Image> Mailbox::image() const {
  const std::lock_guard lock(mutex_);
  return image_;
}

void Mailbox::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto put = ::write(wake_, &one, sizeof one);
}

Exception Mailbox::write(Request request, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  if (closed_) return Exception::device_failure;
  request_ = std::move(request);
  step_ = Step::waiting;
  wake();
  const auto taken = [this] { return step_ != Step::waiting; };
  if (!answered_.wait_for(lock, timeout, taken)) {
    step_ = Step::none;
    return Exception::busy;
  }
  answered_.wait(lock, [this] { return step_ == Step::done; });
  step_ = Step::none;
  return answer_;
}

void Mailbox::present(bool is) {
  const std::lock_guard lock(mutex_);
  present_ = is;
  wake();
}

bool Mailbox::is_present() const {
  const std::lock_guard lock(mutex_);
  return present_;
}

std::optional<Request> Mailbox::take() {
  const std::lock_guard lock(mutex_);
  if (step_ != Step::waiting) return std::nullopt;
  step_ = Step::taken;
  answered_.notify_all();
  return std::move(request_);
}

void Mailbox::done(Exception answer) {
  const std::lock_guard lock(mutex_);
  answer_ = answer;
  step_ = Step::done;
  answered_.notify_all();
}

void Mailbox::publish(std::shared_ptr<const Image> image) {
  const std::lock_guard lock(mutex_);
  image_.swap(image);
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (step_ != Step::waiting) return;
  answer_ = Exception::device_failure;
  step_ = Step::done;
  answered_.notify_all();
}

}  // namespace datum::modbus

#include "daemon/gpu_worker/worker_client.h"

#include <poll.h>

#include <algorithm>

#include "gpu/core/gpu_error.h"

namespace datum {

void WorkerClient::start() {
  stop();
  try {
    process_.start(program_);
  } catch (const std::runtime_error& error) {
    throw GpuError(std::string("GPU worker: ") + error.what(), false);
  }
  started_ = Clock::now();
}

void WorkerClient::stop() {
  process_.kill();
  greeting_.reset();
}

void WorkerClient::lost() { throw GpuError("GPU worker: it " + process_.how_it_ended(), true); }

long WorkerClient::receive(void* data, std::size_t capacity, Clock::time_point until) {
  for (;;) {
    const long size = receive_packet(process_.socket(), data, capacity, nullptr, false);
    if (size == 0) lost();
    if (size > 0) return size;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return -1;
    pollfd watched{process_.socket(), POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(left.count()));
  }
}

void WorkerClient::send(const void* data, std::size_t size, int fd) {
  bool is_there = false;
  try {
    is_there = send_packet(process_.socket(), data, size, fd);
  } catch (const std::runtime_error& error) {
    throw GpuError(std::string("GPU worker: ") + error.what(), true);
  }
  if (!is_there) lost();
}

const Greeting* WorkerClient::greeting(Clock::time_point until) {
  if (greeting_) return &*greeting_;
  const auto deadline = started_ + start_timeout_;
  Greeting heard;
  const long size = receive(&heard, sizeof heard, std::min(until, deadline));
  if (size < 0) {
    if (Clock::now() < deadline) return nullptr;
    throw GpuError(
        "GPU worker: no greeting within " + std::to_string(start_timeout_.count()) + " ms of its start",
        true);
  }
  // A short packet leaves zeros, which differ from every identity.
  if (const std::string wrong = difference(heard.identity); !wrong.empty())
    throw GpuError(
        "GPU worker: " + program_.string() + ": " + wrong + "; install both programs from one build", false);
  if (size != sizeof heard) throw GpuError("GPU worker: its greeting is of another size", false);
  greeting_ = heard;
  return &*greeting_;
}

void check_reply(const WireReply& reply, bool matches, const char* order, bool lost) {
  if (matches && reply.status == WireStatus::failed) throw GpuError(get_text(reply.text), lost);
  if (!matches || reply.status != WireStatus::done)
    throw GpuError(std::string("GPU worker: it answers ") + order + " with nonsense", true);
}

}  // namespace datum

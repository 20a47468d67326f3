#include "daemon/gpu_worker/gpu_state_client.h"

#include <algorithm>
#include <stdexcept>

namespace datum {
namespace {

constexpr auto fresh = std::chrono::seconds(5);

}  // namespace

std::optional<GpuSample> GpuStateClient::newest(Clock::time_point now) {
  if (process_.started()) receive(now);
  const bool told_that_there_is_none = sample_ && !sample_->present;
  if (!process_.started() && !told_that_there_is_none && now >= retry_at_) start(now);
  if (told_that_there_is_none || (sample_ && now - sampled_ <= fresh)) return sample_;
  return std::nullopt;
}

void GpuStateClient::start(Clock::time_point now) {
  try {
    process_.start(program_, {"--state"});
    why_not_ = "not known yet";
  } catch (const std::runtime_error& error) {
    failed(error.what(), now);
  }
}

void GpuStateClient::receive(Clock::time_point now) {
  for (;;) {
    GpuSample heard;
    const long size = receive_packet(process_.socket(), &heard, sizeof heard, nullptr, false);
    if (size < 0) break;
    if (size == 0) {
      const std::string end = process_.how_it_ended();
      if (sample_ && !sample_->present)
        process_.kill();
      else
        failed("the process that asks the driver " + end, now);
      return;
    }
    const std::string wrong = difference(heard.identity);
    if (size != sizeof heard || !wrong.empty())
      return failed(
          "the process that asks the driver: " + (wrong.empty() ? "its sample is of another size" : wrong),
          now);
    sample_ = heard;
    sampled_ = now;
    pause_ = std::chrono::nanoseconds(0);
  }
  if (sample_ && now - sampled_ > fresh) why_not_ = "the driver does not answer";
}

void GpuStateClient::failed(const std::string& why, Clock::time_point now) {
  why_not_ = why;
  process_.kill();
  pause_ = pause_.count() == 0 ? pauses_.first : std::min(2 * pause_, pauses_.longest);
  retry_at_ = now + std::chrono::duration_cast<Clock::duration>(pause_);
}

}  // namespace datum

#include "daemon/view/page_pace.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace datum {

PagePace::PagePace(const PaceSettings& settings, Time now)
    : settings_(settings), left_(settings.burst), at_(now) {
  if (!(settings.share > 0 && settings.share <= 1) || settings.burst <= Duration::zero())
    throw std::invalid_argument("the share of time for pages is above 0 and at most 1, and a burst lasts");
}

void PagePace::refill(Time now) {
  if (now <= at_) return;
  left_ = std::min<std::chrono::duration<double>>(settings_.burst, left_ + settings_.share * (now - at_));
  at_ = now;
}

std::size_t PagePace::waiting() const {
  return std::accumulate(addresses_.begin(), addresses_.end(), std::size_t{0},
                         [](std::size_t n, const Address& a) { return n + a.requests.size(); });
}

PagePace::Turn PagePace::ask(const std::string& address, Request request, Time now) {
  refill(now);
  if (!under_way_ && addresses_.empty() && left_.count() > 0) {
    under_way_ = request;
    return Turn::now;
  }
  if (waiting() >= settings_.most_waiting) return Turn::refused;
  auto at =
      std::find_if(addresses_.begin(), addresses_.end(), [&](const Address& a) { return a.name == address; });
  if (at == addresses_.end()) at = addresses_.insert(addresses_.end(), {address, {}});
  at->requests.push_back(request);
  return Turn::later;
}

void PagePace::done(Duration work, Time now) {
  refill(now);
  left_ -= work;
  under_way_.reset();
}

void PagePace::forget(Request request) {
  if (under_way_ == request) under_way_.reset();
  for (Address& address : addresses_) std::erase(address.requests, request);
  std::erase_if(addresses_, [](const Address& a) { return a.requests.empty(); });
}

std::optional<PagePace::Request> PagePace::next(Time now) {
  refill(now);
  if (under_way_ || addresses_.empty() || left_.count() <= 0) return std::nullopt;
  Address& first = addresses_.front();
  under_way_ = first.requests.front();
  first.requests.pop_front();
  if (first.requests.empty())
    addresses_.pop_front();
  else
    addresses_.splice(addresses_.end(), addresses_, addresses_.begin());
  return under_way_;
}

std::optional<PagePace::Time> PagePace::due() const {
  if (under_way_ || addresses_.empty()) return std::nullopt;
  if (left_.count() > 0) return at_;
  // A tick later than the bucket is at 0.
  return at_ + std::chrono::duration_cast<Duration>(-left_ / settings_.share) + std::chrono::microseconds(1);
}

PagePace::Duration PagePace::pause(Time now) {
  refill(now);
  return left_.count() > 0 ? Duration::zero()
                           : std::chrono::duration_cast<Duration>(-left_ / settings_.share);
}

}  // namespace datum

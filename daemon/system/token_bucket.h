// TokenBucket: a rate limit with bursts. Time is a parameter.
#pragma once

#include <algorithm>

#include "drivers/port/pollable.h"

namespace datum {

class TokenBucket {
 public:
  /// `burst` tokens at once, then `per_second`; both at least 1.
  TokenBucket(int per_second, int burst)
      : price_ns_(1'000'000'000 / per_second), full_ns_(price_ns_ * burst), saved_ns_(full_ns_) {}

  bool ready(MonotonicNs now) const { return saved_at(now) >= price_ns_; }
  /// Takes a token; false and no change where the bucket is empty.
  bool take(MonotonicNs now) {
    const MonotonicNs saved = saved_at(now);
    if (saved < price_ns_) return false;
    saved_ns_ = saved - price_ns_;
    counted_at_ = std::max(counted_at_, now);
    return true;
  }
  /// Time of the next token; in the past where one is available.
  MonotonicNs ready_at() const { return counted_at_ + price_ns_ - saved_ns_; }

 private:
  MonotonicNs saved_at(MonotonicNs now) const {
    return std::min(full_ns_, saved_ns_ + std::max<MonotonicNs>(0, now - counted_at_));
  }
  MonotonicNs price_ns_, full_ns_, saved_ns_;
  MonotonicNs counted_at_ = 0;
};

}  // namespace datum

// SigningSchedule: when the head of the chain is to be signed.
#pragma once

#include <cstdint>

#include "daemon/store/signing_settings.h"
#include "drivers/port/pollable.h"

namespace datum {

/// At the start, since the process before may have been killed in between; then by results and by time. One signature at a time.
class SigningSchedule {
 public:
  static constexpr MonotonicNs again_ns = 10'000'000'000;  // after a failure

  explicit SigningSchedule(const SigningSettings& settings)
      : every_results_(settings.every_results), every_ns_(MonotonicNs{settings.every_s} * 1'000'000'000) {}

  void stored() { ++new_results_; }
  bool due(MonotonicNs now) const {
    return !asking_ && (now >= due_ns_ || (!failed_ && new_results_ >= every_results_));
  }
  void asked() {
    asking_ = true;
    asked_results_ = new_results_;
  }
  /// `more`: what is new was too much for one signature.
  void got(bool more, MonotonicNs now) {
    asking_ = failed_ = false;
    new_results_ -= asked_results_;
    due_ns_ = more ? now : now + every_ns_;
  }
  void failed(MonotonicNs now) {
    asking_ = false;
    failed_ = true;
    due_ns_ = now + again_ns;
  }

 private:
  std::uint64_t every_results_;
  MonotonicNs every_ns_;
  std::uint64_t new_results_ = 0, asked_results_ = 0;
  MonotonicNs due_ns_ = 0;
  bool asking_ = false, failed_ = false;
};

}  // namespace datum

// AwaitedTouch: one touch of the probe that an operator's procedure waits for, out of what the CMM delivers. While none is
// awaited, what the CMM delivers has no effect. On the loop's thread.
#pragma once

#include <functional>
#include <optional>

#include "drivers/cmm/source.h"
#include "drivers/cmm/touch_source.h"

namespace datum {

class AwaitedTouch {
 public:
  /// `ended` is called once for each start() that is not aborted. `cmm`: null where none is configured; nothing starts
  /// then.
  using Ended = std::function<void(const TouchSource& touch, MonotonicNs now)>;
  AwaitedTouch(CmmSource* cmm, Ended ended) : cmm_(cmm), ended_(std::move(ended)) {}

  bool active() const { return active_; }
  void start(const TouchSettings& settings, MonotonicNs now);
  void abort(MonotonicNs now);

  void position(const ProbePoint& sample, MonotonicNs now);
  void latched(const ProbePoint& sample, MonotonicNs now);
  std::optional<MonotonicNs> deadline() const { return active_ ? source_->deadline() : std::nullopt; }
  void on_deadline(MonotonicNs now);

 private:
  bool end_if_finished(MonotonicNs now);

  CmmSource* cmm_;
  Ended ended_;
  std::optional<TouchSource> source_;
  bool active_ = false;
};

}  // namespace datum

// StareSession: the sequence position, exposure, frame, position of one measurement. No I/O, no clock.
//
//   session.start(now);  reader.poll_soon(now);            // at the trigger command
//   reader.on_sample: session.position(sample, now);       // step wait_frame: expose now
//   session.frame_arrived(now);  reader.poll_soon(now);    // the file is in the drop folder
//   step done or failed: session.result()
#pragma once

#include <optional>

#include "drivers/cmm/pairing.h"

namespace datum {

class StareSession {
 public:
  enum class Step { idle, wait_before, wait_frame, wait_after, done, failed };

  explicit StareSession(const PairSettings& settings) : settings_(settings) {}

  /// Begins a measurement; discards one in progress.
  void start(MonotonicNs now);
  /// A sample of the CMM. Samples measured before the request are ignored. One that is not ok is ignored too,
  /// but provides the reason if no good one arrives in time.
  void position(const ProbePoint& sample, MonotonicNs now);
  /// The frame has arrived. `captured`: its exposure in host time where the sensor's clock is related to the
  /// host's; otherwise the exposure lies between the position before and now.
  void frame_arrived(MonotonicNs now, std::optional<CaptureWindow> captured = std::nullopt);
  /// Sets the exposure from the frame's file, known after reading it.
  void exposed(CaptureWindow captured);
  /// The frame was not this measurement's (a repeated delivery): waits for its own, keeping the position
  /// before.
  void frame_discarded(MonotonicNs now);
  /// The operator aborts.
  void abort();
  std::optional<MonotonicNs> deadline() const { return deadline_; }
  void on_deadline(MonotonicNs now);

  Step step() const { return step_; }
  bool wants_position() const { return step_ == Step::wait_before || step_ == Step::wait_after; }
  bool finished() const { return step_ == Step::done || step_ == Step::failed; }
  /// Result of the last finished session; not accepted before the end of one.
  const PairingResult& result() const { return result_; }

 private:
  void fail(PairFault fault, const std::string& detail);

  PairSettings settings_;
  Step step_ = Step::idle;
  std::optional<MonotonicNs> deadline_;
  MonotonicNs asked_ns_ = 0;  // positions must be younger
  ProbePoint last_;           // the last requested sample
  CaptureWindow window_;
  PairingResult result_;
};

const char* name_of(StareSession::Step step);

}  // namespace datum

// Network frames of a GigE Vision camera with 3D output.
//
// A frame is delivered at once, and the camera's setup is read beside its measurement. It is at fault, and its board
// INVALID, where packets are missing, earlier frames were lost (a gap in the block ids, a full queue), the
// setup or the resolution differs, its exposure is too old or by the camera's clock not yet over, or the
// camera was lost meanwhile. A frame that came before the trigger was sent shows no board: the cell waits on.
// No received frame is dropped without a report.
//
// Frames are in memory only: a crash before the result is stored leaves no result.
#pragma once

#include <utility>

#include "drivers/genicam/block_counter.h"
#include "drivers/genicam/reader.h"
#include "drivers/gocator/clock_estimate.h"
#include "drivers/sensor/frame_source.h"
#include "gpu/core/piece_workers.h"

namespace datum {

class GenicamSource final : public FrameSource, private genicam::Listener {
 public:
  using AlreadyMeasured = MeasuredFrames::AlreadyMeasured;

  /// Starts connecting. `clock`: the loop's, for the camera's thread. `sensor`, the profile that frames will be read by, outlives
  /// them.
  GenicamSource(const genicam::Settings& settings, const SensorProfile& sensor,
                AlreadyMeasured already_measured, MonotonicNs now, genicam::CameraThread::Clock clock);

  std::vector<Pollable*> pollables() override { return {&reader_}; }
  std::string describe() const override;
  std::optional<LinkReport> report(MonotonicNs now) const override;
  std::string refusal() const override { return reader_.why_not_running(); }
  std::string place() const override { return reader_.describe(); }
  std::size_t begin(MonotonicNs now) override;
  std::optional<MonotonicNs> link_since() const override { return reader_.keeper().record().since_ns; }
  void expose(MonotonicNs now) override;
  std::string take_fault() override { return std::exchange(fault_, {}); }
  std::optional<ClaimedFrame> next() override;
  bool is_duplicate(const FrameIdentity& identity) const override { return measured_.has(identity); }
  void measured(const ClaimedFrame&, const FrameIdentity& identity) override { measured_.add(identity); }
  void duplicate(const ClaimedFrame&, const FrameIdentity&) override {}
  void failed(const ClaimedFrame&, const std::string&) override {}
  std::vector<std::string> take_warnings() override { return std::exchange(warnings_, {}); }

 private:
  // genicam::Listener
  void opened(const genicam::Opened& opened, MonotonicNs now) override;
  void block(genicam::Block&& block, MonotonicNs now) override;
  void clock(const genicam::ClockAnswer& answer) override;
  void overrun(std::uint64_t frames) override { overrun_ = frames; }
  void lost(const std::string& why, MonotonicNs now) override;
  void warning(const std::string& text) override { warnings_.push_back(text); }

  std::optional<ClockOffset> clock_offset(MonotonicNs now) const;
  MonotonicNs exposure_ns() const;
  std::optional<HostSpan> by_clock(const genicam::Delivery& delivery, MonotonicNs now) const;
  bool precedes_trigger(const genicam::Delivery& delivery) const;
  std::optional<HostSpan> exposed(const genicam::Delivery& delivery, std::optional<HostSpan> span) const;
  std::string doubt_of(const genicam::Block& block, const ClaimedFrame& claim, MonotonicNs now);
  std::string said(const std::string& what) const;

  genicam::Settings settings_;
  MeasuredFrames measured_;
  std::vector<std::string> warnings_;
  std::string fault_;
  std::deque<ClaimedFrame> ready_;
  genicam::BlockCounter counter_;
  gocator::ClockEstimate clock_;
  std::uint64_t clock_zero_ns_ = 0;  // zero of the clock estimate: the camera's clock may count since 1970
  bool clock_known_ = false;
  std::optional<MonotonicNs> delivered_ns_;  // the last frame
  std::uint64_t tokens_ = 0, frames_ = 0, overrun_ = 0;
  genicam::Reader reader_;  // last: its handlers use the members above
};

}  // namespace datum

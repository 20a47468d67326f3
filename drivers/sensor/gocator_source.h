// Network frames of a Gocator.
//
// A frame is delivered once the loaded job was read after its arrival. It is at fault, and its board INVALID,
// where that job differs or was modified, earlier frames were lost (a gap in the index, a full queue), its
// index decreases, its resolution is not the cell's, its exposure is too old, or the sensor lost data
// meanwhile. No received frame is dropped without a report.
//
// Without an archive frames are in memory only: a crash before the result is stored leaves no result. With
// one, a .gdp file is written before the measurement and is on the disk before the result; a crash leaves it in
// work/, and the next start moves it to failed/ with a report.
#pragma once

#include <utility>

#include "drivers/gocator/reader.h"
#include "drivers/sensor/drop_folder.h"
#include "drivers/sensor/frame_source.h"
#include "gpu/core/piece_workers.h"

namespace datum {

class GocatorSource final : public FrameSource, private gocator::Listener {
 public:
  using AlreadyMeasured = MeasuredFrames::AlreadyMeasured;

  /// Starts connecting. `sensor`, the profile that frames will be read by, outlives them. Throws RefusedError where the
  /// archive's folder is not usable.
  GocatorSource(const gocator::Settings& settings, const SensorProfile& sensor,
                AlreadyMeasured already_measured, MonotonicNs now, gocator::Ports ports);
  GocatorSource(const gocator::Settings& settings, const SensorProfile& sensor,
                AlreadyMeasured already_measured, MonotonicNs now)
      : GocatorSource(settings, sensor, std::move(already_measured), now, gocator::tcp_ports(settings)) {}

  std::vector<Pollable*> pollables() override { return reader_.pollables(); }
  std::string describe() const override;
  std::optional<LinkReport> report(MonotonicNs now) const override;
  std::string refusal() const override;
  std::string place() const override { return reader_.describe(); }
  std::size_t begin(MonotonicNs now) override;
  std::optional<MonotonicNs> link_since() const override { return reader_.control().record().since_ns; }
  void expose(MonotonicNs now) override;
  std::string take_fault() override;
  std::optional<ClaimedFrame> next() override;
  bool is_duplicate(const FrameIdentity& identity) const override { return measured_.has(identity); }
  void measured(const ClaimedFrame& claim, const FrameIdentity& identity) override;
  void discard(const ClaimedFrame& claim, const FrameIdentity& identity) override;
  void duplicate(const ClaimedFrame& claim, const FrameIdentity& identity) override;
  void failed(const ClaimedFrame& claim, const std::string& reason) override;
  std::vector<std::string> take_warnings() override { return std::exchange(warnings_, {}); }

 private:
  struct Waiting {  // for the answer with its job
    ClaimedFrame claim;
    std::uint64_t ticket = 0;
  };
  std::size_t fresh_waiting() const;

  // gocator::Listener
  std::vector<std::int16_t> heights(std::size_t pixels) override;
  std::unique_ptr<gocator::SurfaceWork> surface_begins(gocator::DataSet& set) override;
  void data_set(gocator::DataSet&& set, MonotonicNs first_byte_ns, MonotonicNs now) override;
  void job(std::uint64_t ticket, const gocator::LoadedJob& job, MonotonicNs now) override;
  void lost(const std::string& why, MonotonicNs now) override;
  void fault(const std::string& why) override;
  void counts_anew() override { last_index_.reset(); }
  void warning(const std::string& text) override { warnings_.push_back(text); }

  ClaimedFrame claim_of(gocator::DataSet&& set, MonotonicNs first_byte_ns, MonotonicNs now);
  std::string doubt_of(const gocator::DataSet& set, const std::optional<HostSpan>& exposed, MonotonicNs now);
  std::string index_fault(std::uint64_t index);
  std::string job_refusal(const gocator::LoadedJob& job) const;
  void doubt_all(const std::string& why);
  void finish(const ClaimedFrame& claim, DropFolder::End end, const std::string& text);

  gocator::Settings settings_;
  const SensorProfile& sensor_;
  std::shared_ptr<PieceWorkers> workers_;  // frames may outlive the source
  MeasuredFrames measured_;
  std::optional<DropFolder> archive_;
  std::vector<std::string> warnings_;
  std::string fault_;
  std::deque<Waiting> waiting_;
  std::deque<ClaimedFrame> ready_;
  std::optional<std::uint64_t> last_index_;
  std::optional<MonotonicNs> delivered_ns_;
  std::uint64_t tokens_ = 0, frames_ = 0, lost_frames_ = 0;
  bool loss_told_ = false;     // the connection was lost since the last frame
  std::uint64_t overrun_ = 0;  // frames dropped from the full queue since the last queued one
  gocator::Reader reader_;     // last: its handlers use the members above
};

}  // namespace datum

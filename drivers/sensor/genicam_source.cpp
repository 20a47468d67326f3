#include "drivers/sensor/genicam_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "drivers/sensor/arriving_block.h"
#include "drivers/sensor/genicam_frame.h"

namespace datum {
namespace {

constexpr MonotonicNs ns_per_us = 1000;
// Queue in memory, each of the largest size: the cell uses one while the next arrives.
constexpr std::size_t most_waiting_blocks = 4;
// A camera may have stamped a frame before the first request of its time.
constexpr std::uint64_t zero_before_ns = 3'600'000'000'000;

genicam::CameraThread::Memory kept_memory(const std::shared_ptr<FrameBuffers>& buffers) {
  return [buffers](std::size_t bytes) {
    return buffers ? buffers->bytes(bytes) : std::vector<std::uint8_t>(bytes);
  };
}

/// Null: frames are hashed as a whole.
genicam::BlockBegins arriving_blocks(const SensorProfile& sensor) {
  if (sensor.reading.scheme != HashScheme::tree) return nullptr;
  return [&sensor, workers = piece_workers_beside(sensor.reading.threads)](const genicam::Setup& setup,
                                                                           ByteView memory) {
    return std::make_shared<ArrivingBlock>(memory, setup, sensor, workers);
  };
}

}  // namespace

GenicamSource::GenicamSource(const genicam::Settings& settings, const SensorProfile& sensor,
                             AlreadyMeasured already_measured, MonotonicNs now,
                             genicam::CameraThread::Clock clock)
    : settings_(settings),
      measured_(std::move(already_measured)),
      reader_(settings, *this, std::move(clock), kept_memory(sensor.reading.buffers),
              arriving_blocks(sensor)) {
  reader_.start(now);
}

std::string GenicamSource::said(const std::string& what) const {
  return genicam::name_of(settings_) + ": " + what;
}

std::string GenicamSource::describe() const {
  return fmt::format("{}; {} frames, {} lost, {} waiting", reader_.describe(), frames_, counter_.lost(),
                     ready_.size());
}

std::optional<LinkReport> GenicamSource::report(MonotonicNs now) const {
  LinkReport report = report_of(reader_.keeper(), "sensor", "genicam");
  if (report.trouble.empty()) report.trouble = refusal();
  report.delivered_ns = delivered_ns_;
  report.clock = clock_offset(now);
  return report;
}

std::size_t GenicamSource::begin(MonotonicNs) {
  const std::size_t fresh = ready_.size();  // Aravis never repeats a block id
  if (!ready_.empty())
    warning(said(fmt::format("{} frames came while none was wanted; they were not measured", ready_.size())));
  ready_.clear();
  overrun_ = 0;
  fault_ = refusal();
  return fresh;
}

void GenicamSource::expose(MonotonicNs) {
  if (settings_.trigger != genicam::TriggerBy::software || reader_.trigger()) return;
  const std::string why = refusal();
  fault_ = why.empty() ? said("not connected yet") : why;
}

std::optional<ClaimedFrame> GenicamSource::next() {
  if (ready_.empty()) return std::nullopt;
  ClaimedFrame claim = std::move(ready_.front());
  ready_.pop_front();
  return claim;
}

// ---- events of the reader ----

void GenicamSource::opened(const genicam::Opened&, MonotonicNs) {
  counter_.reset();
  clock_.reset();
  clock_known_ = false;
}

void GenicamSource::clock(const genicam::ClockAnswer& answer) {
  if (!clock_known_ || answer.camera_ns < clock_zero_ns_)
    clock_zero_ns_ = answer.camera_ns - std::min(answer.camera_ns, zero_before_ns);
  const std::uint64_t us = (answer.camera_ns - clock_zero_ns_) / ns_per_us;
  const bool agrees = clock_.answered(answer.sent_ns, answer.received_ns, us);
  if (clock_known_ && !agrees) warning(said("its clock began again, or was set"));
  clock_known_ = true;
}

std::optional<ClockOffset> GenicamSource::clock_offset(MonotonicNs now) const {
  std::optional<ClockOffset> offset = clock_.offset(now);
  if (offset) offset->offset_ns -= static_cast<std::int64_t>(clock_zero_ns_);
  return offset;
}

MonotonicNs GenicamSource::exposure_ns() const {
  return static_cast<MonotonicNs>(reader_.state() ? reader_.state()->exposure_us * ns_per_us : 0);
}

/// Exposure from the camera's clock; none: unknown.
std::optional<HostSpan> GenicamSource::by_clock(const genicam::Delivery& delivery, MonotonicNs now) const {
  std::optional<HostSpan> span;
  const std::uint64_t stamp_ns = delivery.payload.timestamp_ns;
  if (clock_known_ && stamp_ns >= clock_zero_ns_)
    span = clock_.host_time((stamp_ns - clock_zero_ns_) / ns_per_us, now);
  if (span) {
    // GenICam does not state whether the stamp is the exposure's begin or end.
    span->from_ns -= exposure_ns();
    span->to_ns += exposure_ns();
  }
  return span;
}

/// The frame of an earlier trigger, or of none: an exposure follows the trigger that caused it. A camera may answer a
/// trigger that found it stopped when it is started again.
bool GenicamSource::precedes_trigger(const genicam::Delivery& delivery) const {
  if (settings_.trigger != genicam::TriggerBy::software) return false;
  return reader_.trigger_pending() ||
         (reader_.triggered_ns() && delivery.arrived_ns <= *reader_.triggered_ns());
}

/// The same, limited to after the trigger that caused it.
std::optional<HostSpan> GenicamSource::exposed(const genicam::Delivery& delivery,
                                               std::optional<HostSpan> span) const {
  const bool ours = settings_.trigger == genicam::TriggerBy::software && reader_.triggered_ns();
  if (!ours) return span;
  // Our own trigger precedes its exposure, regardless of the clocks' uncertainty.
  if (!span) return HostSpan{*reader_.triggered_ns(), delivery.first_packet_ns};
  span->from_ns = std::max(span->from_ns, *reader_.triggered_ns());
  return span;
}

void GenicamSource::block(genicam::Block&& block, MonotonicNs now) {
  ++frames_;
  delivered_ns_ = now;
  const genicam::Payload& payload = block.delivery.payload;
  ClaimedFrame claim;
  claim.token = ++tokens_;
  const std::string name = fmt::format("{}@{}", payload.block_id, payload.timestamp_ns);
  claim.entry = name;
  claim.exposed_by_clock = by_clock(block.delivery, now);
  claim.before_trigger = precedes_trigger(block.delivery);
  claim.exposed =
      claim.before_trigger ? claim.exposed_by_clock : exposed(block.delivery, claim.exposed_by_clock);
  claim.clock = clock_offset(now);
  claim.first_seen_ns = block.delivery.first_packet_ns;
  if (claim.exposed) claim.first_seen_ns = std::min(claim.first_seen_ns, claim.exposed->to_ns);
  claim.doubt = doubt_of(block, claim, now);
  if (ready_.size() >= most_waiting_blocks) {
    ++overrun_;
    return;
  }
  overrun_ = 0;
  const std::string serial = reader_.state() ? reader_.state()->identity.serial : "";
  claim.received =
      std::make_shared<GenicamFrame>(std::move(block.delivery.payload), block.setup,
                                     GenicamOrigin{genicam::name_of(settings_) + " " + name, serial,
                                                   settings_.user_set, settings_.resolution_um},
                                     block.change, std::move(block.delivery.work));
  ready_.push_back(std::move(claim));
}

std::string GenicamSource::doubt_of(const genicam::Block& block, const ClaimedFrame& claim, MonotonicNs now) {
  const std::optional<HostSpan>& exposed = claim.exposed;
  std::string gap;
  if (block.delivery.payload.block_id == 0)
    counter_.unnamed();
  else
    gap = counter_.next(block.delivery.payload.block_id);
  if (!block.delivery.payload.incomplete.empty()) return block.delivery.payload.incomplete;
  if (overrun_ > 0) return fmt::format("{} frames before it came faster than they are measured", overrun_);
  if (!gap.empty()) return gap;
  if (claim.before_trigger) return "it came before the trigger was sent";
  if (!exposed) return "";
  if (exposed->from_ns > block.delivery.arrived_ns)
    return fmt::format("by its time stamp it was exposed {} ms after it came",
                       (exposed->from_ns - block.delivery.arrived_ns) / ns_per_ms);
  const MonotonicNs age_ms = (now - exposed->to_ns) / ns_per_ms;
  if (age_ms <= settings_.max_age_ms) return "";
  return fmt::format("it was exposed at least {} ms before it came; allowed: {} ms", age_ms,
                     settings_.max_age_ms);
}

void GenicamSource::lost(const std::string& why, MonotonicNs) {
  fault_ = said("the connection was lost: " + why);
  warning(fault_);
}

}  // namespace datum

#include "drivers/sensor/gocator_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "drivers/link_error.h"
#include "drivers/sensor/arriving_surface.h"
#include "drivers/sensor/gocator_frame.h"

namespace datum {
namespace {

// Queue in memory, each of the largest message: the cell uses one while the next arrives.
constexpr std::size_t most_waiting_sets = 4;

std::string steps_text(const std::array<std::uint32_t, 3>& nm) {
  return fmt::format("{:g} x {:g} x {:g} um", nm[0] / 1e3, nm[1] / 1e3, nm[2] / 1e3);
}

}  // namespace

GocatorSource::GocatorSource(const gocator::Settings& settings, const SensorProfile& sensor,
                             AlreadyMeasured already_measured, MonotonicNs now, gocator::Ports ports)
    : settings_(settings),
      sensor_(sensor),
      workers_(piece_workers_beside(sensor.reading.threads)),
      measured_(std::move(already_measured)),
      reader_(settings, *this, std::move(ports)) {
  if (settings_.archive) {
    archive_.emplace(*settings_.archive);
    archive_->prepare();
    for (const ClaimedFrame& claim : archive_->left_over()) {
      tokens_ = std::max(tokens_, claim.token);
      finish(claim, DropFolder::End::failed,
             "was in work when datumd ended; see whether its board has a result");
      warning(claim.name() + " was in work when datumd ended; see whether its board has a result");
    }
  }
  reader_.start(now);
}

std::string GocatorSource::describe() const {
  return fmt::format("{}; {} frames, {} lost, {} waiting", reader_.describe(), frames_, lost_frames_,
                     waiting_.size() + ready_.size());
}

std::optional<LinkReport> GocatorSource::report(MonotonicNs now) const {
  LinkReport report = report_of(reader_.control(), "sensor", "gocator");
  if (report.trouble.empty()) report.trouble = refusal();
  report.delivered_ns = delivered_ns_;
  report.clock = reader_.clock().offset(now);
  return report;
}

std::string GocatorSource::job_refusal(const gocator::LoadedJob& job) const {
  if (job.name != settings_.job)
    return fmt::format("gocator {}: job '{}' is loaded, this cell measures with '{}'", settings_.address,
                       job.name, settings_.job);
  if (job.modified)
    return fmt::format("gocator {}: job '{}' was modified since it was loaded; save or load it again",
                       settings_.address, job.name);
  return "";
}

std::string GocatorSource::refusal() const {
  if (std::string why = reader_.why_not_running(); !why.empty()) return why;
  return reader_.job() ? job_refusal(*reader_.job()) : "";
}

/// Number without repeated frames.
std::size_t GocatorSource::fresh_waiting() const {
  std::size_t fresh = 0;
  for (const Waiting& w : waiting_) fresh += !w.claim.again;
  for (const ClaimedFrame& claim : ready_) fresh += !claim.again;
  return fresh;
}

std::size_t GocatorSource::begin(MonotonicNs) {
  const std::size_t fresh = fresh_waiting();
  if (const std::size_t early = waiting_.size() + ready_.size(); early > 0)
    warning(fmt::format("gocator {}: {} frames came while none was wanted; they were not measured",
                        settings_.address, early));
  for (const ClaimedFrame& claim : ready_) failed(claim, "");
  waiting_.clear();
  ready_.clear();
  overrun_ = 0;
  // A loss before this board was reported then.
  if (std::exchange(loss_told_, false)) last_index_.reset();
  fault_ = refusal();
  return fresh;
}

void GocatorSource::expose(MonotonicNs now) {
  if (settings_.trigger == gocator::TriggerBy::software) reader_.trigger(now);
}

std::string GocatorSource::take_fault() { return std::exchange(fault_, {}); }

// ---- events of the reader ----

std::vector<std::int16_t> GocatorSource::heights(std::size_t pixels) {
  const auto& buffers = sensor_.reading.buffers;
  return buffers ? buffers->counts<std::int16_t>(pixels) : std::vector<std::int16_t>(pixels);
}

std::unique_ptr<gocator::SurfaceWork> GocatorSource::surface_begins(gocator::DataSet& set) {
  const bool is_lost = waiting_.size() + ready_.size() >= most_waiting_sets;
  if (is_lost || !set.stamp || sensor_.reading.scheme != HashScheme::tree) return nullptr;
  return std::make_unique<ArrivingSurface>(set, sensor_, workers_);
}

void GocatorSource::data_set(gocator::DataSet&& set, MonotonicNs first_byte_ns, MonotonicNs now) {
  if (set.empty() || (!set.surface && set.refusal.empty())) return;  // measurements of the sensor's own tools
  ++frames_;
  delivered_ns_ = now;
  if (waiting_.size() + ready_.size() >= most_waiting_sets) {
    ++overrun_;
    ++lost_frames_;
    if (set.stamp) last_index_ = set.stamp->frame_index;
    return;
  }
  ClaimedFrame claim = claim_of(std::move(set), first_byte_ns, now);
  const std::uint64_t ticket = reader_.ask_job(now);
  waiting_.push_back({std::move(claim), ticket});
}

ClaimedFrame GocatorSource::claim_of(gocator::DataSet&& set, MonotonicNs first_byte_ns, MonotonicNs now) {
  ClaimedFrame claim;
  claim.token = ++tokens_;
  claim.first_seen_ns = first_byte_ns;
  std::string name = fmt::format("unstamped-{}", claim.token);
  if (set.stamp) {
    claim.again = last_index_ && set.stamp->frame_index <= *last_index_;
    name = fmt::format("{}@{}", set.stamp->frame_index, set.stamp->timestamp_us);
    claim.exposed = reader_.clock().host_time(set.stamp->timestamp_us, now);
    claim.clock = reader_.clock().offset(now);
  }
  if (claim.exposed) {
    // The protocol does not state whether the stamp is the exposure's begin or end.
    const MonotonicNs exposure_ns = set.surface ? set.surface->exposure_ns : 0;
    claim.exposed->from_ns -= exposure_ns;
    claim.exposed->to_ns += exposure_ns;
    claim.first_seen_ns = std::min(first_byte_ns, claim.exposed->to_ns);
  }
  claim.doubt = doubt_of(set, claim.exposed, now);
  claim.exposed_by_clock = claim.exposed;
  // Our own trigger precedes its exposure, regardless of the clocks' uncertainty.
  if (claim.exposed && settings_.trigger == gocator::TriggerBy::software && reader_.triggered_ns())
    claim.exposed->from_ns = std::max(claim.exposed->from_ns, *reader_.triggered_ns());
  claim.entry = name + ".gdp";
  const auto file = archive_ ? *settings_.archive / "work" / std::to_string(claim.token) / claim.entry
                             : std::filesystem::path();
  if (archive_) claim.entry = file;
  claim.received = std::make_shared<GocatorFrame>(
      std::move(set), fmt::format("gocator {} {}", settings_.address, name), file, workers_);
  return claim;
}

std::string GocatorSource::doubt_of(const gocator::DataSet& set, const std::optional<HostSpan>& exposed,
                                    MonotonicNs now) {
  std::string doubt = set.refusal;
  if (set.stamp) {
    const std::string index = index_fault(set.stamp->frame_index);
    if (doubt.empty()) doubt = index;
  }
  if (doubt.empty() && set.surface) {
    const std::array<std::uint32_t, 3> steps{set.surface->x_step_nm, set.surface->y_step_nm,
                                             set.surface->z_step_nm};
    if (steps != settings_.step_nm)
      doubt = fmt::format(
          "its resolution is {}, this cell's {}: the job, its units or sensor.gocator.resolution_um "
          "changed",
          steps_text(steps), steps_text(settings_.step_nm));
  }
  if (!doubt.empty() || !exposed) return doubt;
  const MonotonicNs age_ms = (now - exposed->to_ns) / ns_per_ms;
  if (age_ms > settings_.max_age_ms)
    doubt = fmt::format("it was exposed at least {} ms before it came; allowed: {} ms", age_ms,
                        settings_.max_age_ms);
  return doubt;
}

/// Missing frames may have been this board's.
std::string GocatorSource::index_fault(std::uint64_t index) {
  const auto last = std::exchange(last_index_, index);
  loss_told_ = false;
  const std::uint64_t overrun = std::exchange(overrun_, 0);
  if (overrun > 0) return fmt::format("{} frames before it came faster than they are measured", overrun);
  if (!last || index == *last + 1) return "";
  if (index > *last) {
    lost_frames_ += index - *last - 1;
    return fmt::format("{} frames before it were lost: index {} after {}", index - *last - 1, index, *last);
  }
  return fmt::format("its index {} comes after {}", index, *last);
}

void GocatorSource::job(std::uint64_t ticket, const gocator::LoadedJob& job, MonotonicNs) {
  const std::string why = job_refusal(job);
  while (!waiting_.empty() && waiting_.front().ticket <= ticket) {
    ClaimedFrame claim = std::move(waiting_.front().claim);
    waiting_.pop_front();
    if (claim.doubt.empty()) claim.doubt = why;
    static_cast<GocatorFrame&>(*claim.received).loaded_by(job.name);
    ready_.push_back(std::move(claim));
  }
}

void GocatorSource::doubt_all(const std::string& why) {
  for (Waiting& w : waiting_)
    if (w.claim.doubt.empty()) w.claim.doubt = why;
  for (ClaimedFrame& claim : ready_)
    if (claim.doubt.empty()) claim.doubt = why;
}

void GocatorSource::lost(const std::string& why, MonotonicNs) {
  const std::string text = fmt::format("gocator {}: the connection was lost: {}", settings_.address, why);
  // Their job can't be requested any more.
  for (Waiting& w : waiting_) {
    if (w.claim.doubt.empty()) w.claim.doubt = text;
    ready_.push_back(std::move(w.claim));
  }
  waiting_.clear();
  loss_told_ = true;
  fault_ = text;
  warning(text);
}

void GocatorSource::fault(const std::string& why) {
  doubt_all(why);
  fault_ = why;
  warning(why);
}

// ---- how deliveries end ----

std::optional<ClaimedFrame> GocatorSource::next() {
  if (ready_.empty()) return std::nullopt;
  ClaimedFrame claim = std::move(ready_.front());
  ready_.pop_front();
  return claim;
}

void GocatorSource::finish(const ClaimedFrame& claim, DropFolder::End end, const std::string& text) {
  if (!archive_) return;
  if (claim.received) {
    const std::string problem = static_cast<GocatorFrame&>(*claim.received).write_problem();
    if (!problem.empty()) warning(problem);
  }
  std::error_code ignored;
  if (!std::filesystem::exists(claim.entry, ignored)) return;  // never read
  try {
    archive_->finish(claim, end, text);
  } catch (const LostError& error) {
    warning(std::string("gocator archive: ") + error.what());
  }
}

void GocatorSource::measured(const ClaimedFrame& claim, const FrameIdentity& identity) {
  measured_.add(identity);
  finish(claim, DropFolder::End::done, "");
}

void GocatorSource::discard(const ClaimedFrame& claim, const FrameIdentity& identity) {
  measured_.add(identity);
  finish(claim, DropFolder::End::discarded, "");
}

void GocatorSource::duplicate(const ClaimedFrame& claim, const FrameIdentity& identity) {
  finish(claim, DropFolder::End::done,
         fmt::format("{}: not measured again: frame {} with the same content was measured before",
                     claim.name(), identity.frame_id));
}

void GocatorSource::failed(const ClaimedFrame& claim, const std::string& reason) {
  finish(claim, DropFolder::End::failed, reason);
}

}  // namespace datum

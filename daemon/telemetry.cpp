#include "daemon/telemetry.h"

#include "config/utc_time.h"
#include "daemon/system/event_loop.h"
#include "daemon/system/log.h"
#include "daemon/version/version.h"

namespace datum {
namespace {

LogFields fields_of(const EventKind& kind) {
  return {{"MESSAGE_ID", kind.message_id}, {"DATUM_EVENT", kind.name}};
}

}  // namespace

void Telemetry::tell(int priority, const std::string& text, const LogEvent& event) {
  metrics_.heard(priority, event.event);
  LogFields fields{{"DATUM_CELL", cell_}};
  if (const EventKind* kind = kind_of(event.event)) {
    const LogFields known = fields_of(*kind);
    fields.insert(fields.end(), known.begin(), known.end());
    fields.insert(fields.end(), event.fields.begin(), event.fields.end());
  }
  log_line(static_cast<Priority>(priority), text, fields);
}

ServicePlaces places_of(const DaemonConfig& config) {
  ServicePlaces places{config.store, {{"store", config.store.parent_path()}}};
  if (config.pictures) places.rooms["pictures"] = *config.pictures;
  if (const auto frames = deliveries_folder(config); !frames.empty()) places.rooms["frames"] = frames;
  return places;
}

StoreRoom room_of(const ServiceSampler& keeper) {
  const auto facts = keeper.newest();
  if (!facts) return {};
  const auto free = facts->free_bytes.find("store");
  return {facts->store_bytes, free == facts->free_bytes.end() ? std::nullopt : std::optional(free->second)};
}

int tell_refusal(const std::string& why, int status) {
  LogFields fields = fields_of(*kind_of(Event::configuration_refused));
  fields.emplace_back("DATUM_REASON", why);
  log_line(Priority::error, why, fields);
  return status;
}

MetricsService::MetricsService(MetricsDependencies parts)
    : parts_(std::move(parts)),
      server_(
          *parts_.config.metrics, [this](MetricsForm form) { return text(form); }, parts_.telemetry.sink()) {}

/// Parses a whole result, so it does that only when the oldest result changes.
std::optional<std::int64_t> MetricsService::oldest_utc_s() {
  try {
    const std::uint64_t first = parts_.cell.results().first;
    if (first == oldest_) return oldest_utc_s_;
    const auto stored = parts_.cell.result(first);
    oldest_utc_s_ = stored ? utc_from_iso8601(stored->measured_at.substr(0, 19) + "Z") : std::nullopt;
    oldest_ = first;
    return oldest_utc_s_;
  } catch (const std::exception&) {  // the log and *TST? report it
    return std::nullopt;
  }
}

std::string MetricsService::text(MetricsForm form) {
  ServiceReading now;
  now.version = code_id();
  now.cell = parts_.config.cell;
  now.backend = parts_.backend.measurer->describe();
  now.backend_fault = parts_.backend.fault();
  const FrameCounts& frames = parts_.cell.frame_counts();
  now.frames_taken = frames.taken;
  now.frames_refused = frames.refused;
  now.frames_twice = frames.twice;
  now.worker_jobs = parts_.worker.jobs();
  now.worker_since = parts_.worker.busy_since();
  now.watchdog_fed = parts_.watchdog_fed();
  now.log_lines_lost = log_lines_lost();
  now.requests = server_.counts();
  now.facts = parts_.facts.newest();
  now.controller = parts_.controller.newest();
  now.retention = parts_.retention.facts();
  now.worker_restarts = parts_.backend.worker_restarts();
  now.oldest_utc_s = oldest_utc_s();
  return parts_.telemetry.metrics().text(parts_.cell, now, form);
}

}  // namespace datum

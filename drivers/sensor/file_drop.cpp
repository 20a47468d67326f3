#include "drivers/sensor/file_drop.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "drivers/link_error.h"

namespace datum {
namespace {

constexpr MonotonicNs ms = 1'000'000;

}  // namespace

FileDrop::FileDrop(FileDropSettings settings, AlreadyMeasured already_measured, MonotonicNs now)
    : settings_(std::move(settings)),
      measured_(std::move(already_measured)),
      folder_(settings_.folder, settings_.reader),
      lone_images_(settings_.lone_image_ms * ms) {
  folder_.prepare();
  for (ClaimedFrame& claim : folder_.left_over()) {
    claim.first_seen_ns = now;
    left_over_.push_back(std::move(claim));
  }
  watch(now);
}

// The watch precedes the listing: files arriving in between are seen twice rather than never.
void FileDrop::watch(MonotonicNs now) {
  try {
    folder_.prepare();
    watch_ = std::make_unique<FolderWatch>(settings_.folder);
  } catch (const std::runtime_error& e) {
    warnings_.push_back(fmt::format("{}; trying again in {} ms", e.what(), settings_.rescan_ms));
    ++record_.attempts;
    record_.last_error = e.what();
    record_.last_error_ns = now;
    next_rescan_ns_ = now + settings_.rescan_ms * ms;
    return;
  }
  record_.since_ns = now;
  record_.attempts = 0;
  ++record_.opened;
  rescan(now);
}

void FileDrop::on_ready(MonotonicNs now) { take_events(now); }

std::size_t FileDrop::begin(MonotonicNs now) {
  // Each round reads some dozens; more files at once are found by the listing below.
  for (int rounds = 0; rounds < 16 && take_events(now); ++rounds) continue;
  if (watch_) rescan(now);
  return 0;
}

/// False: there was none.
bool FileDrop::take_events(MonotonicNs now) {
  if (!watch_) return false;
  bool lost = false, gone = false;
  const std::vector<FolderEvent> events = watch_->read();
  for (const FolderEvent& event : events) {
    switch (event.kind) {
      case FolderEvent::Kind::complete:
        // a sidecar that arrived before its images gets the time of a growing file
        folder_.has_images(event.name) ? complete(event.name, now) : created(event.name, now);
        break;
      case FolderEvent::Kind::created:
        created(event.name, now);
        break;
      case FolderEvent::Kind::overflow:
        lost = true;
        break;
      case FolderEvent::Kind::gone:
        gone = true;
        break;
    }
  }
  if (gone) {
    warnings_.push_back(
        fmt::format("file drop {}: the folder was moved or removed", settings_.folder.string()));
    watch_.reset();
    next_rescan_ns_ = now;
    record_.since_ns = now;
    ++record_.lost;
    record_.last_error = "the folder was moved or removed";
    record_.last_error_ns = now;
  } else if (lost) {
    warnings_.push_back(
        fmt::format("file drop {}: events were lost, the folder is listed", settings_.folder.string()));
    rescan(now);
  }
  return !events.empty();
}

std::optional<MonotonicNs> FileDrop::deadline() const {
  MonotonicNs first = next_rescan_ns_;
  for (const auto& [name, file] : growing_) first = std::min(first, file.due_ns);
  return first;
}

void FileDrop::on_deadline(MonotonicNs now) {
  check_growing(now);
  if (now < next_rescan_ns_) return;
  if (watch_) {
    rescan(now);
  } else {
    watch(now);
  }
}

void FileDrop::rescan(MonotonicNs now) {
  next_rescan_ns_ = now + settings_.rescan_ms * ms;
  move_unmoved();
  try {
    for (const std::string& name : folder_.triggers(settings_.most_known)) created(name, now);
    if (now >= next_look_ns_) look_for_lone_images(now);
    listing_failed_ = false;
  } catch (const LostError& e) {
    if (!listing_failed_) warnings_.push_back(fmt::format("file drop: {}", e.what()));
    listing_failed_ = true;
  }
}

void FileDrop::look_for_lone_images(MonotonicNs now) {
  next_look_ns_ = now + settings_.lone_image_ms * ms / 6;
  const auto lone = lone_images_.look(
      folder_.images(settings_.most_known),
      [&](const std::string& image) { return folder_.is_announced(image); }, now);
  if (lone.empty()) return;
  record_.last_error = lone_images_text(lone, settings_.folder.string());
  record_.last_error_ns = now;
  warnings_.push_back("file drop " + record_.last_error);
}

std::optional<FileDrop::Growing> FileDrop::examine(const std::string& name, MonotonicNs now) const {
  struct stat info {};
  if (::lstat((settings_.folder / name).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const auto ns_of = [](const timespec& t) { return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec; };
  return Growing{static_cast<std::uintmax_t>(info.st_size),
                 ns_of(info.st_mtim),
                 now,
                 now + settings_.settle_ms * ms,
                 {info.st_dev, ns_of(info.st_ctim)}};
}

void FileDrop::created(const std::string& name, MonotonicNs now) {
  if (!DropFolder::is_trigger(name) || growing_.count(name) || ready_names_.count(name) || is_full()) return;
  if (const auto file = examine(name, now)) growing_.emplace(name, *file);
}

void FileDrop::complete(const std::string& name, MonotonicNs now) {
  if (!DropFolder::is_trigger(name) || ready_names_.count(name)) return;
  const auto file = examine(name, now);
  if (!file) return;
  const auto known = growing_.find(name);
  if (known == growing_.end() && is_full()) return;
  delivered_ns_ = now;
  ready_names_.insert(name);
  const Growing& first = known == growing_.end() ? *file : known->second;
  ready_.push_back({name, first.first_seen_ns, first.delivered});
  if (known != growing_.end()) growing_.erase(known);
}

bool FileDrop::is_full() const { return growing_.size() + ready_.size() >= settings_.most_known; }

/// All files named by its sidecar are present, or their time is over.
bool FileDrop::is_whole(const std::string& name, const Growing& file, MonotonicNs now) const {
  return now >= file.first_seen_ns + settings_.images_timeout_ms * ms || folder_.has_images(name);
}

void FileDrop::check_growing(MonotonicNs now) {
  std::vector<std::string> settled;
  for (auto it = growing_.begin(); it != growing_.end();) {
    auto& [name, before] = *it;
    if (before.due_ns > now) {
      ++it;
      continue;
    }
    const auto file = examine(name, now);
    if (!file) {
      it = growing_.erase(it);
      continue;
    }
    if (file->size > 0 && file->size == before.size && file->changed_ns == before.changed_ns &&
        is_whole(name, before, now))
      settled.push_back(name);
    const MonotonicNs first_seen_ns = before.first_seen_ns;
    const FileStamp delivered = before.delivered;
    before = *file;
    before.first_seen_ns = first_seen_ns;
    before.delivered = delivered;
    ++it;
  }
  for (const std::string& name : settled) complete(name, now);
}

std::optional<ClaimedFrame> FileDrop::next() {
  if (!left_over_.empty()) {
    ClaimedFrame claim = std::move(left_over_.front());
    left_over_.pop_front();
    ++in_work_;
    return claim;
  }
  while (!ready_.empty()) {
    const Ready ready = std::move(ready_.front());
    ready_.pop_front();
    ready_names_.erase(ready.name);
    try {
      auto claim = folder_.claim(ready.name, claims_are_for_);
      unclaimable_.clear();
      if (!claim) continue;
      claim->first_seen_ns = ready.first_seen_ns;
      claim->delivered = ready.delivered;
      ++in_work_;
      return claim;
    } catch (const LostError& e) {  // it stays, and the next listing finds it
      if (std::exchange(unclaimable_, e.what()) != e.what())
        warnings_.push_back(fmt::format("file drop: {}", unclaimable_));
    }
  }
  return std::nullopt;
}

void FileDrop::finish(const ClaimedFrame& claim, DropFolder::End end, const std::string& text) {
  --in_work_;
  try {
    folder_.finish(claim, end, text);
  } catch (const LostError& e) {
    warnings_.push_back(fmt::format("file drop: {}", e.what()));
    // further ones are found in work/ at the next start
    if (unmoved_.size() < settings_.most_known) unmoved_.push_back({claim, end, text});
  }
}

/// The first attempt reported the failure; retries silently until it succeeds or the delivery is gone.
void FileDrop::move_unmoved() {
  while (!unmoved_.empty()) {
    const Unmoved& first = unmoved_.front();
    std::error_code error;
    try {
      if (std::filesystem::exists(first.claim.entry.parent_path(), error))
        folder_.finish(first.claim, first.end, first.text);
    } catch (const LostError&) {
      return;
    }
    unmoved_.pop_front();
  }
}

void FileDrop::measured(const ClaimedFrame& claim, const FrameIdentity& identity) {
  measured_.add(identity);
  finish(claim, DropFolder::End::done, "");
}

void FileDrop::discard(const ClaimedFrame& claim, const FrameIdentity& identity) {
  measured_.add(identity);
  finish(claim, DropFolder::End::discarded, "");
}

void FileDrop::duplicate(const ClaimedFrame& claim, const FrameIdentity& identity) {
  finish(claim, DropFolder::End::done,
         fmt::format("{}: not measured again: frame {} with the same content was measured before",
                     claim.name(), identity.frame_id));
}

void FileDrop::failed(const ClaimedFrame& claim, const std::string& reason) {
  finish(claim, DropFolder::End::failed, reason);
}

std::vector<std::string> FileDrop::take_warnings() { return std::exchange(warnings_, {}); }

std::string FileDrop::refusal() const {
  return watch_ ? "" : fmt::format("file drop {}: not there", settings_.folder.string());
}

std::optional<LinkReport> FileDrop::report(MonotonicNs) const {
  LinkReport report;
  report.name = "sensor";
  report.kind = "file_drop";
  report.peer = settings_.folder.string();
  report.state = watch_ ? LinkState::open : LinkState::closed;
  report.trouble = watch_ ? unclaimable_ : refusal();
  report.record = record_;
  report.delivered_ns = delivered_ns_;
  return report;
}

std::string FileDrop::describe() const {
  return fmt::format("file drop {}: {}, {} growing, {} ready, {} in work", settings_.folder.string(),
                     watch_ ? "watching" : "not there", growing_.size(), ready_.size() + left_over_.size(),
                     in_work_);
}

}  // namespace datum

#include "daemon/store/retention/file_retention.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace datum {
namespace {

constexpr std::size_t most_notes = 64;  // in the queue of take_notes()

}  // namespace

FileRetention::FileRetention(FileRetentionDependencies parts) : parts_(std::move(parts)) {
  shortage_ = datum::shortage(*parts_.room, parts_.places, parts_.settings, false);
}

std::string FileRetention::shortage() const {
  const std::lock_guard lock(mutex_);
  return shortage_;
}

void FileRetention::trust_clock(bool trusted) {
  const std::lock_guard lock(mutex_);
  list_soon_ |= trusted != clock_trusted_;
  clock_trusted_ = trusted;
}

std::vector<std::string> FileRetention::take_notes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

std::map<std::string, KeptFiles> FileRetention::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

void FileRetention::look() {
  const bool short_before = !shortage().empty();
  std::string why = datum::shortage(*parts_.room, parts_.places, parts_.settings, short_before);
  {
    const std::lock_guard lock(mutex_);
    shortage_ = std::move(why);
  }
  if (going_.empty()) list();
  remove_some();
}

/// Deliveries in discard/ are few and always listed; the others only periodically.
void FileRetention::list() {
  if (!parts_.deliveries.empty()) {
    going_ = deliveries_in(parts_.deliveries / "discard");
    if (!going_.empty()) return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (++looks_ < looks_for_a_sweep && !list_soon_) return;
    list_soon_ = false;
  }
  looks_ = 0;
  const auto& deliveries = parts_.deliveries;
  if (!deliveries.empty())
    list("frames", {deliveries / "done", deliveries / "failed"}, parts_.settings.frames);
  if (!parts_.pictures.empty()) list("pictures", {parts_.pictures}, parts_.settings.pictures);
}

void FileRetention::list(const std::string& kind, const std::vector<std::filesystem::path>& folders,
                         KeepLimit limit) {
  {
    const std::lock_guard lock(mutex_);
    if (!clock_trusted_) limit.days.reset();
  }
  if (!limit.any()) return;
  KeptFiles kept;
  for (const auto& folder : folders) {
    auto files = kind == "frames" ? deliveries_in(folder) : pictures_in(folder);
    kept.number += files.size();
    for (const KeptFile& file : files) kept.bytes += file.bytes;
    const auto gone = beyond(std::move(files), limit, parts_.utc_s());
    kept.number -= gone.size();
    for (const KeptFile& file : gone) kept.bytes -= file.bytes;
    if (!gone.empty())
      note(fmt::format("{} of {} are beyond their limits and removed", gone.size(), folder.string()));
    going_.insert(going_.begin(), gone.rbegin(), gone.rend());
  }
  const std::lock_guard lock(mutex_);
  kept_[kind] = kept;
}

void FileRetention::remove_some() {
  for (std::size_t n = 0; n < most_at_once && !going_.empty(); ++n) {
    try {
      remove_kept(going_.back());
    } catch (const std::system_error& error) {
      if (std::exchange(told_, error.what()) != error.what()) note(error.what());
    }
    going_.pop_back();
  }
}

void FileRetention::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (notes_.size() < most_notes) notes_.push_back(text);
}

FileRetentionThread::FileRetentionThread(FileRetention& keeper) : keeper_(keeper) {
  thread_ = std::thread([this] { run(); });
}

FileRetentionThread::~FileRetentionThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void FileRetentionThread::run() {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 19);  // lowest priority, for this thread
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    keeper_.look();
    lock.lock();
    wake_.wait_for(lock, std::chrono::seconds(1), [this] { return stopping_; });
  }
}

}  // namespace datum

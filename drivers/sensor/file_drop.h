// File drop: frames that a sensor's own software writes into a folder.
//
// A delivery is complete when its trigger is: the sidecar NAME.json (written last), or NAME.ptr or NAME.csv
// alone. A trigger that was moved in or closed by its writer counts at once; one that was only created (link
// and unlink) or found by a listing counts when its size and time have not changed for settle_ms and it is
// not empty. Hidden names and *.part are ignored. The folder is listed at start, after an overflow of the
// event queue and every rescan_ms (SMB and NFS report no events of remote writers). How deliveries move:
// drop_folder.h.
//
// Use, on the loop's thread but for load_frame:
//   while idle and (claim = drop.next()):
//     worker: frame = load_frame(claim, profile)     throws FrameError -> drop.failed(claim, what)
//     if drop.is_duplicate(frame.identity):          drop.duplicate(claim)
//     else: inspect, store durably, then             drop.measured(claim, frame.identity)
//   for each of drop.take_warnings(): log it
// A crash before the result is stored leaves the delivery in work/ and it is measured after the restart; a
// crash after that leaves it there too, and the store says that it is a duplicate.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "drivers/frame/sensor_profile.h"
#include "drivers/port/pollable.h"
#include "drivers/sensor/drop_folder.h"
#include "drivers/sensor/folder_watch.h"

namespace datum {

struct FileDropSettings {
  std::filesystem::path folder;
  int rescan_ms = 2000;
  int settle_ms = 500;
};

/// The same frame again has the same three, whatever name it was delivered under.
struct FrameIdentity {
  std::string sensor_serial, frame_id, content_sha256;
  auto operator<=>(const FrameIdentity&) const = default;
};

struct DroppedFrame {
  HeightFrame frame;
  FrameIdentity identity;
};

/// Reads a claimed delivery; for a worker thread. Throws FrameError (see read_frame).
DroppedFrame load_frame(const ClaimedFrame& claim, const SensorProfile& profile);

class FileDrop : public Pollable {
 public:
  using AlreadyMeasured = std::function<bool(const FrameIdentity&)>;

  /// Makes missing folders, takes up what an earlier run left in work/, watches and lists the folder.
  /// `already_measured` asks the result store. Throws RefusedError where an operator must act.
  FileDrop(FileDropSettings settings, AlreadyMeasured already_measured, MonotonicNs now);

  int fd() const override { return watch_ ? watch_->fd() : -1; }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;

  /// Claims the next complete delivery, left-over ones first, then in order of completion. None: nothing to
  /// do now.
  std::optional<ClaimedFrame> next();
  bool is_duplicate(const FrameIdentity& identity) const;

  /// The verdict is stored: to done/.
  void measured(const ClaimedFrame& claim, const FrameIdentity& identity);
  /// To done/, with a note.
  void duplicate(const ClaimedFrame& claim, const FrameIdentity& identity);
  /// To failed/, with the reason.
  void failed(const ClaimedFrame& claim, const std::string& reason);

  /// What the operator should know (events lost, folder gone, rename refused), since the last call.
  std::vector<std::string> take_warnings();

 private:
  struct Growing {  // a trigger that may still be written to
    std::uintmax_t size = 0;
    std::int64_t changed_ns = 0;
    MonotonicNs first_seen_ns = 0, due_ns = 0;
  };
  struct Ready {
    std::string name;
    MonotonicNs first_seen_ns = 0;
  };

  void watch(MonotonicNs now);
  void rescan(MonotonicNs now);
  void created(const std::string& name, MonotonicNs now);
  void complete(const std::string& name, MonotonicNs now);
  void check_growing(MonotonicNs now);
  void finish(const ClaimedFrame& claim, DropFolder::End end, const std::string& text);
  std::optional<Growing> examine(const std::string& name, MonotonicNs now) const;

  FileDropSettings settings_;
  AlreadyMeasured already_measured_;
  DropFolder folder_;
  std::unique_ptr<FolderWatch> watch_;
  std::map<std::string, Growing> growing_;
  std::deque<Ready> ready_;
  std::set<std::string> ready_names_;  // of ready_
  std::deque<ClaimedFrame> left_over_;
  // The store is the memory; this one bridges the moments in which it can't be asked or does not know yet.
  std::deque<FrameIdentity> recent_;
  std::size_t in_work_ = 0;
  MonotonicNs next_rescan_ns_ = 0;
  bool listing_failed_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace datum

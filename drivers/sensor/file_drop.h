// File drop: frames that a sensor's software writes into a folder.
//
// A delivery is complete when its trigger is: the sidecar NAME.json (written last), or NAME.ptr or NAME.csv
// alone. A trigger that was moved in or closed by its writer counts at once. One that was only created (link
// and unlink) or found by a listing counts when it is not empty and its size and time have not changed for
// settle_ms. Hidden names and *.part are ignored. The folder is listed at start, after an overflow of the
// event queue and every rescan_ms (SMB and NFS report no events of remote writers). Moves of deliveries:
// drop_folder.h.
//
// Use: frame_source.h. A crash before the result is stored leaves the delivery in work/, and it is measured
// after the restart. A crash after that leaves it there too, and the store reports it as a duplicate.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "drivers/sensor/drop_folder.h"
#include "drivers/sensor/folder_watch.h"
#include "drivers/sensor/frame_source.h"
#include "drivers/sensor/lone_images.h"

namespace datum {

struct FileDropSettings {
  std::filesystem::path folder;
  int rescan_ms = 2000;
  int settle_ms = 500;
  // Wait for a sidecar's images that arrive after it; then it is claimed, and refused by its reader.
  int images_timeout_ms = 0;
  std::shared_ptr<const FrameReader> reader{};  // of its deliveries; null: they contain heights
  std::optional<int> max_age_ms{};              // of a frame at its claim; none: any age
  // Uncertainty of sidecars' UTC stamps against this computer; none: stamps are not used.
  std::optional<int> utc_uncertainty_ms{};
  // Larger than sensors deliver: a profiler of 3200 points over 20,000 profiles; snapshots have 5 million.
  // Reading a .ptr file takes 9 bytes a pixel, a cloud 30.
  int max_frame_mpix = 64;
  int lone_image_ms = 60'000;       // after which an image without a sidecar is reported
  std::size_t most_known = 10'000;  // deliveries at a time; a later listing finds the others
};

class FileDrop final : public Pollable, public FrameSource {
 public:
  using AlreadyMeasured = MeasuredFrames::AlreadyMeasured;

  /// Creates missing folders, recovers the deliveries of an earlier run from work/, watches and lists the
  /// folder. `already_measured` queries the result store. Throws RefusedError where an operator must act.
  FileDrop(FileDropSettings settings, AlreadyMeasured already_measured, MonotonicNs now);

  int fd() const override { return watch_ ? watch_->fd() : -1; }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;

  std::vector<Pollable*> pollables() override { return {this}; }
  std::optional<LinkReport> report(MonotonicNs now) const override;
  std::string refusal() const override;
  std::string place() const override { return settings_.folder.string(); }
  /// Lists the folder now, because events of remote writers are missing.
  std::size_t begin(MonotonicNs now) override;

  void claims_are_for(const ClaimRecord& record) override { claims_are_for_ = record; }
  void claim_is_for(const ClaimedFrame& claim, const std::optional<ClaimRecord>& record) override {
    const std::filesystem::path slot = claim.entry.parent_path();
    remove_claim_record(slot);
    if (record) write_claim_record(slot, *record);
  }
  /// Recovered ones first, then in order of completion.
  std::optional<ClaimedFrame> next() override;
  bool is_duplicate(const FrameIdentity& identity) const override { return measured_.has(identity); }
  /// To done/.
  void measured(const ClaimedFrame& claim, const FrameIdentity& identity) override;
  /// To discard/.
  void discard(const ClaimedFrame& claim, const FrameIdentity& identity) override;
  /// To done/, with a note.
  void duplicate(const ClaimedFrame& claim, const FrameIdentity& identity) override;
  /// To failed/, with the reason.
  void failed(const ClaimedFrame& claim, const std::string& reason) override;
  /// Lost events, a missing folder, refused renames, images without a sidecar.
  std::vector<std::string> take_warnings() override;

 private:
  struct Growing {  // a trigger that may still be growing
    std::uintmax_t size = 0;
    std::int64_t changed_ns = 0;
    MonotonicNs first_seen_ns = 0, due_ns = 0;
    FileStamp delivered;
  };
  struct Ready {
    std::string name;
    MonotonicNs first_seen_ns = 0;
    FileStamp delivered;
  };
  struct Unmoved {  // has a result, but could not be moved out of work/
    ClaimedFrame claim;
    DropFolder::End end;
    std::string text;
  };

  void watch(MonotonicNs now);
  bool take_events(MonotonicNs now);
  void rescan(MonotonicNs now);
  void look_for_lone_images(MonotonicNs now);
  void created(const std::string& name, MonotonicNs now);
  void complete(const std::string& name, MonotonicNs now);
  void check_growing(MonotonicNs now);
  bool is_full() const;
  bool is_whole(const std::string& name, const Growing& file, MonotonicNs now) const;
  void finish(const ClaimedFrame& claim, DropFolder::End end, const std::string& text);
  void move_unmoved();
  std::optional<Growing> examine(const std::string& name, MonotonicNs now) const;

  FileDropSettings settings_;
  MeasuredFrames measured_;
  std::optional<ClaimRecord> claims_are_for_;
  DropFolder folder_;
  std::unique_ptr<FolderWatch> watch_;
  std::map<std::string, Growing> growing_;
  std::deque<Ready> ready_;
  std::set<std::string> ready_names_;  // of ready_
  std::deque<ClaimedFrame> left_over_;
  std::deque<Unmoved> unmoved_;
  std::size_t in_work_ = 0;
  MonotonicNs next_rescan_ns_ = 0;
  bool listing_failed_ = false;
  LoneImages lone_images_;
  MonotonicNs next_look_ns_ = 0;
  LinkRecord record_;  // of the watched folder
  std::optional<MonotonicNs> delivered_ns_;
  std::string unclaimable_;  // why the last delivery stays where it is; empty: it was claimed
  std::vector<std::string> warnings_;
};

}  // namespace datum

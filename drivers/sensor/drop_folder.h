// Folders of a file drop, and the renames between them.
//
//   FOLDER/            producers deliver here: NAME.ptr, NAME.csv, or images and last their sidecar NAME.json;
//                      of a sensor with a FrameReader the images named by the sidecar
//   FOLDER/work/N/     one delivery in progress (N counts up), and .claim: its recipe and unit
//   FOLDER/done/NAME/  measured; a second delivery of the same name goes to NAME~2, NAME~3, ...
//   FOLDER/discard/NAME/  measured, not kept: retention removes it
//   FOLDER/failed/NAME/  unreadable; the reason is beside the file, in FILE.reason.txt
//
// Folders that somebody removed while datumd runs are made anew; a link in the place of one is not followed.
//
// Every step is one rename of a trigger or of a whole delivery, so a crash leaves it in one folder or the
// other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drivers/frame/frame_reader.h"
#include "drivers/sensor/claimed_frame.h"

namespace datum {

class DropFolder {
 public:
  explicit DropFolder(std::filesystem::path folder, std::shared_ptr<const FrameReader> reader = nullptr)
      : folder_(std::move(folder)), reader_(std::move(reader)) {}
  /// Creates missing folders. Throws RefusedError where one can't be created, read or written, or work/,
  /// done/ or failed/ is on another file system (a rename would not be atomic).
  void prepare() const;

  /// .json, .ptr or .csv, neither hidden nor *.part.
  static bool is_trigger(const std::string& name);
  /// Names of the regular trigger files in FOLDER, sorted; at most `most`. Throws LostError where it can't be
  /// listed.
  std::vector<std::string> triggers(std::size_t most) const;

  /// Names of the regular files in FOLDER that are images of heights by their extension, sorted; at most `most`. Throws
  /// LostError.
  std::vector<std::string> images(std::size_t most) const;
  /// Whether a sidecar in FOLDER names it, one of the same stem or another one.
  bool is_announced(const std::string& image) const;

  /// Whether all images named by a sidecar are present; true for a sidecar that names none or is unreadable.
  bool has_images(const std::string& trigger) const;
  /// Moves a trigger, then the images that it names (of an unreadable sidecar: images of its stem), to a new
  /// folder of work/. `record` is written there first. None: another process was faster. Throws LostError
  /// where the file system refuses, or work/ is a link.
  std::optional<ClaimedFrame> claim(const std::string& name, const std::optional<ClaimRecord>& record = {});
  /// Deliveries in work/ from an earlier run, with their records, oldest first. Removes empty folders. Throws
  /// LostError.
  std::vector<ClaimedFrame> left_over();

  enum class End { done, failed, discarded };
  /// Moves the delivery out of work/, with `text` (if not empty) as FILE.reason.txt or FILE.note.txt beside
  /// the file. Throws LostError where the file system refuses; the delivery then stays in work/ until the
  /// next start.
  void finish(const ClaimedFrame& claim, End end, const std::string& text) const;

 private:
  void pull_images(const std::filesystem::path& sidecar) const;
  std::optional<std::vector<std::string>> images_named_in(const std::filesystem::path& sidecar) const;

  std::filesystem::path folder_;
  std::shared_ptr<const FrameReader> reader_;
  std::uint64_t last_token_ = 0;
};

}  // namespace datum

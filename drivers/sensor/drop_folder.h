// The folders of a file drop and the renames between them.
//
//   FOLDER/            producers deliver here: NAME.ptr, NAME.csv, or images and last their sidecar NAME.json;
//                      of a sensor with a FrameReader the images that this one names
//   FOLDER/work/N/     one delivery that is being measured (N counts up), and .claim: for which recipe and unit (claim_record.h)
//   FOLDER/done/NAME/  measured; a second delivery of the same name goes to NAME~2, NAME~3, ...
//   FOLDER/discard/NAME/  measured and not to be kept: retention removes it
//   FOLDER/failed/NAME/  could not be read; the reason is beside the file, in FILE.reason.txt
//
// Every step is one rename of a trigger or of a whole delivery, so that a crash leaves it on one side or the
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
  /// Makes the folders that are missing. Throws RefusedError: can't be made, read or written, or work/, done/
  /// or failed/ is on another file system (a rename would not be atomic).
  void prepare() const;

  /// .json, .ptr or .csv, neither hidden nor *.part.
  static bool is_trigger(const std::string& name);
  /// Names of the regular files in FOLDER that are triggers, sorted; at most `most` of them. Throws LostError
  /// where it can't be listed.
  std::vector<std::string> triggers(std::size_t most) const;

  /// Whether all images that a sidecar names are there; true for what names none, or can't be read.
  bool has_images(const std::string& trigger) const;
  /// Moves a trigger, then the images that it names, to a new folder of work/. (Of a sidecar that can't be
  /// read: images of its stem.) None: another reader was faster. Throws LostError where the file system
  /// refuses.
  /// `record` lies beside it before it is moved.
  std::optional<ClaimedFrame> claim(const std::string& name, const std::optional<ClaimRecord>& record = {});
  /// Deliveries in work/ from an earlier run, with their records, oldest first. Empty folders are removed. Throws LostError.
  std::vector<ClaimedFrame> left_over();

  enum class End { done, failed, discarded };
  /// Moves the delivery out of work/, with `text` (where not empty) as FILE.reason.txt or FILE.note.txt
  /// beside the file. Throws LostError where the file system refuses; the delivery then stays in work/ and is
  /// found again at the next start.
  void finish(const ClaimedFrame& claim, End end, const std::string& text) const;

 private:
  void pull_images(const std::filesystem::path& sidecar) const;
  std::optional<std::vector<std::string>> images_named_in(const std::filesystem::path& sidecar) const;

  std::filesystem::path folder_;
  std::shared_ptr<const FrameReader> reader_;
  std::uint64_t last_token_ = 0;
};

}  // namespace datum

// A delivery that the cell has taken: a file in work/, or a frame that a sensor sent over the network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "drivers/frame/height_frame.h"
#include "drivers/frame/probe_point.h"
#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/claim_record.h"

namespace datum {

/// A frame as it came from a sensor, before anything was made of its bytes.
class ReceivedFrame {
 public:
  virtual ~ReceivedFrame() = default;
  /// Accepted as read_frame's frames are. Once, on any thread. Throws FrameError.
  virtual HeightFrame read(const SensorProfile& profile) = 0;
};

/// When a file took its name, by the clock of its file system: links and renames set it, and nobody else can.
struct FileStamp {
  std::uint64_t device = 0;
  std::int64_t changed_ns = 0;
};
/// None: no regular file has this name.
std::optional<FileStamp> stamp_of(const std::filesystem::path& file);
/// Both on one file system, and a is surely the later one.
bool is_later(const FileStamp& a, const FileStamp& b);

/// Ours alone until its source is told how it ended.
struct ClaimedFrame {
  std::uint64_t token = 0;      // the N of work/N, or counted by the source
  std::filesystem::path entry;  // what read_frame takes: the sidecar, or the .ptr or .csv file
  MonotonicNs first_seen_ns = 0;
  bool again = false;                                 // its sensor's count says that it came before
  bool left_over = false;                             // found in work/ at start: an earlier run died over it
  std::optional<FileStamp> delivered = std::nullopt;  // of a file's delivery
  std::optional<ClaimRecord> record = std::nullopt;   // of a left-over one: what it was claimed for

  std::shared_ptr<ReceivedFrame> received = nullptr;  // from the network; `entry` is a name then
  // Where the source knows it: not before its own newest trigger, which holds where no earlier one is outstanding.
  std::optional<HostSpan> exposed = std::nullopt;
  std::optional<HostSpan> exposed_by_clock = std::nullopt;  // by the sensor's clock alone
  std::optional<ClockOffset> clock = std::nullopt;          // of the sensor, by which it knows it
  std::string doubt = {};  // why it may not be measured although it may well be read; empty: it may

  std::string name() const { return entry.filename().string(); }
  std::string stem() const { return entry.stem().string(); }
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

/// While it lives, that a process ends is put down to this delivery: it must not end the next ones for ever. Of a delivery
/// from the network there is nothing to count.
class DeliveryTry {
 public:
  /// `doing` is "read" or "measured". Throws FrameError where the process ended twice meanwhile.
  DeliveryTry(const ClaimedFrame& claim, const char* doing);
  ~DeliveryTry();
  DeliveryTry(const DeliveryTry&) = delete;
  DeliveryTry& operator=(const DeliveryTry&) = delete;

 private:
  std::filesystem::path file_;  // empty: nothing is counted
};

/// Reads a claimed delivery, doubtful or not; for a worker thread. Throws FrameError (see read_frame).
DroppedFrame read_claim(const ClaimedFrame& claim, const SensorProfile& profile);
/// The same of a delivery that may be used: throws FrameError with its doubt too.
DroppedFrame load_frame(const ClaimedFrame& claim, const SensorProfile& profile);

}  // namespace datum

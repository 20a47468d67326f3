// A delivery that the cell has claimed: a file in work/, or a frame that a sensor sent over the network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "drivers/frame/height_frame.h"
#include "drivers/frame/probe_point.h"
#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/claim_record.h"
#include "drivers/sensor/stated_sum.h"

namespace datum {

/// A received frame whose bytes have not been parsed.
class ReceivedFrame {
 public:
  virtual ~ReceivedFrame() = default;
  /// Parsed and accepted as by read_frame. Call once, on any thread. Throws FrameError.
  virtual HeightFrame read(const SensorProfile& profile) = 0;
  /// After reading, before a result: waits for what is done beside the measurement. Why the frame must not be
  /// measured after all; empty: it may be. On any thread.
  virtual std::string late_fault() { return {}; }
};

/// Time at which a file got its name, by its file system's clock. Links and renames set it; it can't be
/// forged.
struct FileStamp {
  std::uint64_t device = 0;
  std::int64_t changed_ns = 0;
};
/// None: no regular file has this name.
std::optional<FileStamp> stamp_of(const std::filesystem::path& file);
/// Both are on one file system, and a is surely later.
bool is_later(const FileStamp& a, const FileStamp& b);

/// A delivery owned by this process until its source receives the result.
struct ClaimedFrame {
  std::uint64_t token = 0;      // the N of work/N, or counted by the source
  std::filesystem::path entry;  // argument of read_frame: the sidecar, or the .ptr or .csv file
  MonotonicNs first_seen_ns = 0;
  bool again = false;  // repeated, by its sensor's count
  /// Found in work/ at start: an earlier run ended during it.
  bool left_over = false;
  std::optional<FileStamp> delivered = std::nullopt;  // of a file's delivery
  std::optional<ClaimRecord> record = std::nullopt;   // of a left-over one: its claim

  std::shared_ptr<ReceivedFrame> received = nullptr;  // from the network; `entry` is then a name
  // If known by the source: not before its own newest trigger, provided that no earlier one is outstanding.
  std::optional<HostSpan> exposed = std::nullopt;
  std::optional<HostSpan> exposed_by_clock = std::nullopt;  // by the sensor's clock alone
  /// The sensor's, from which exposed_by_clock was computed.
  std::optional<ClockOffset> clock = std::nullopt;
  /// It came before its source had sent the newest trigger, whatever its time stamp says.
  bool before_trigger = false;
  std::string doubt = {};  // why it must not be measured although it is readable; empty: it may be

  std::string name() const { return entry.filename().string(); }
  std::string stem() const { return entry.stem().string(); }
};

/// Equal for repeated deliveries of one frame, under any name.
struct FrameIdentity {
  std::string sensor_serial, frame_id, content_sha256;
  /// By HashScheme::sha256, where it is known: an older version stored it. Not compared.
  std::string plain_sha256 = {};

  auto compared() const { return std::tie(sensor_serial, frame_id, content_sha256); }
  bool operator==(const FrameIdentity& o) const { return compared() == o.compared(); }
  auto operator<=>(const FrameIdentity& o) const { return compared() <=> o.compared(); }
};

struct DroppedFrame {
  HeightFrame frame;
  FrameIdentity identity;
  /// To be checked before the frame has a result (UncheckedFrame); null: nothing is left to be checked.
  std::shared_ptr<StatedSum> sum = nullptr;
};

/// Charges the end of the process to this delivery while the object lives, so that it can't end processes
/// repeatedly. A delivery from the network is not counted.
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

/// Reads a claimed delivery, with or without a fault; for a worker thread. Throws FrameError (see
/// read_frame). The late fault of a received frame is left to the caller.
DroppedFrame read_claim(const ClaimedFrame& claim, const SensorProfile& profile);
/// The same, with the sum left to the caller.
DroppedFrame read_claim_beside(const ClaimedFrame& claim, const SensorProfile& profile);
/// The same for a delivery without a fault: throws FrameError for a fault too.
DroppedFrame load_frame(const ClaimedFrame& claim, const SensorProfile& profile);

}  // namespace datum

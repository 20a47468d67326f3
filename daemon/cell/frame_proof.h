// Whose board a frame shows. Pure: all times are given.
//
// A frame is another board's unless one of these proves that it is not:
//   clock  its exposure ends after the trigger and begins after the board before had ended, by a clock that was
//          compared with the host's. It may begin before the trigger by no more than exposure and clock are
//          uncertain, some ms: a board stands in its place for so long when it is triggered
//   unit   its sidecar names the unit's serial number that the trigger had
//   order  it came after the trigger, and no earlier trigger's frame is outstanding: one trigger makes one
//          exposure, and a sensor delivers in the order of its exposures
// Where a sensor's frames start the measurement, "trigger" is the arming, and order is arrival after it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "drivers/frame/height_frame.h"
#include "drivers/frame/probe_point.h"

namespace datum {

/// What a frame says of itself.
struct FrameEvidence {
  std::optional<HostSpan> exposed;  // where a clock tells
  std::string unit_id;              // empty: it names none
};

/// What is known of the trigger that waits for a frame.
struct TriggerEvidence {
  MonotonicNs at_ns = 0;
  MonotonicNs before_ns = 0;      // the board before had ended
  std::string unit_id;            // empty: none was told
  bool unit_is_exposure = false;  // one exposure of a unit suffices, wherever the machine stands
  std::size_t outstanding = 0;    // exposures of earlier triggers whose frames may still come
};

enum class Proof : std::uint8_t {
  none,   // it may be this board's or an earlier one's
  order,  // see above
  clock,
  unit,
  another,  // it surely is another board's
};
Proof proof_of(const FrameEvidence& frame, const TriggerEvidence& trigger);

/// The exposures that were asked for and have not been delivered.
class OutstandingExposures {
 public:
  /// `late_ns`: so long after its trigger a frame may still come.
  explicit OutstandingExposures(MonotonicNs late_ns) : late_ns_(late_ns) {}

  /// A trigger at `now`. What can't come any more is forgotten: older than late_ns, or asked for before
  /// `link_since`, when the sensor's connection was made anew.
  void triggered(MonotonicNs now, std::optional<MonotonicNs> link_since);
  /// The sensor may expose for the trigger.
  void asked(MonotonicNs triggered_ns) { current_ = triggered_ns; }
  /// The trigger's own frame came.
  void answered() { current_.reset(); }
  /// The trigger's board ends; without its frame the exposure stays outstanding.
  void ended();
  /// So many frames of earlier exposures came, the oldest first.
  void came(std::size_t frames);
  /// An exposure of an earlier process, at the latest at `now`.
  void add(MonotonicNs now) { earlier_.push_back(now); }

  /// Of earlier triggers.
  std::size_t count() const { return earlier_.size(); }
  std::optional<MonotonicNs> oldest_ns() const;
  /// None is awaited either.
  bool none() const { return earlier_.empty() && !current_; }

 private:
  MonotonicNs late_ns_;
  std::deque<MonotonicNs> earlier_;  // their triggers
  std::optional<MonotonicNs> current_;
};

/// The last frames that were read, so that a picture that comes again is known, whatever it is called now.
class SeenPictures {
 public:
  /// The id under which these pixels came before; empty: they did not.
  std::string id_of(const std::string& sensor_serial, const std::string& content_sha256) const;
  void add(const std::string& sensor_serial, const std::string& content_sha256, const std::string& frame_id);
  /// Takes the newest such entry back.
  void remove(const std::string& sensor_serial, const std::string& content_sha256,
              const std::string& frame_id);

 private:
  struct Seen {
    std::string serial, sha256, id;
    bool operator==(const Seen&) const = default;
  };
  std::deque<Seen> seen_;
};

}  // namespace datum

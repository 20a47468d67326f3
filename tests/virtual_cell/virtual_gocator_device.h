// The virtual Gocator without its sockets: state, answers, frames, faults.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "drivers/frame/height_frame.h"
#include "tests/virtual_cell/virtual_gocator_bytes.h"

namespace datum {

/// Fault of the next frame. The sender cuts bytes and closes connections.
enum class GocatorFault : std::uint8_t {
  none,
  skip,     // made, counted, never sent
  stall,    // half of it is sent, then nothing
  reset,    // half of it is sent, then every connection is closed
  corrupt,  // its attributes state a wrong size
  twice,    // sent twice
  back,     // its index decreases by two
  units,    // its steps are stated in um instead of nm
  mirror,   // its columns are reversed
  old,      // exposed a minute ago
  late,     // sent together with the next one, or on command
};
/// The fault of this name; none for an unknown name.
std::optional<GocatorFault> gocator_fault_named(const std::string& word);

struct GocatorPayload {
  GocatorBytes bytes;  // for the data channel
  GocatorFault fault = GocatorFault::none;
  std::uint64_t index = 0;
};

class VirtualGocatorDevice {
 public:
  VirtualGocatorDevice(std::uint32_t serial, std::string job) : serial_(serial), job_(std::move(job)) {}

  /// Answer to one whole request. Empty: silent.
  GocatorBytes answer(gocator::ByteView request, std::uint64_t now_us);
  /// Whether a Trigger command arrived since the last call.
  bool take_trigger() { return std::exchange(triggered_, false); }
  bool running() const { return running_; }

  /// The frame's data set. Throws std::invalid_argument where its scales are not whole nm and um.
  GocatorPayload expose(const HeightFrame& frame, std::uint64_t now_us);
  GocatorBytes health() const;

  void fault(GocatorFault f) { fault_ = f; }
  void load_job(const std::string& name) {
    job_ = name;
    modified_ = false;
  }
  void modify(bool on) { modified_ = on; }
  void silence() { silent_ = true; }
  void stop() { running_ = false; }
  void drop(std::uint32_t counter, std::int64_t count) { drops_[counter] += count; }
  /// Power cycle: frames and drops are counted anew, it is stopped, and the job is the saved one.
  void restart();

 private:
  GocatorBytes loaded_job() const;
  GocatorBytes states(std::uint64_t now_us) const;

  std::uint32_t serial_;
  std::string job_;
  bool modified_ = false, running_ = false, silent_ = false, triggered_ = false;
  std::uint64_t frames_ = 0;
  GocatorFault fault_ = GocatorFault::none;
  std::map<std::uint32_t, std::int64_t> drops_;
};

}  // namespace datum

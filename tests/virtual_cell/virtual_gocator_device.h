// The virtual Gocator without its sockets: state, answers, frames, faults.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "drivers/frame/height_frame.h"
#include "tests/virtual_cell/virtual_gocator_bytes.h"

namespace datum {

/// What is wrong with the next frame. Bytes are cut and connections closed by whoever sends.
enum class GocatorFault : std::uint8_t {
  none,
  skip,     // made, counted, never sent
  stall,    // half of it is sent, then nothing
  reset,    // half of it is sent, then every connection is closed
  corrupt,  // its attributes claim a size that they have not
  twice,    // sent twice
  back,     // its index goes back by two
  units,    // its steps are stated in um in place of nm
  mirror,   // its columns run the other way
  old,      // it was exposed a minute ago
  late,     // it is sent together with the next one, or when it is ordered
};
/// By its word; none: there is no such word.
std::optional<GocatorFault> gocator_fault_named(const std::string& word);

struct GocatorPayload {
  GocatorBytes bytes;  // for the data channel
  GocatorFault fault = GocatorFault::none;
  std::uint64_t index = 0;
};

class VirtualGocatorDevice {
 public:
  VirtualGocatorDevice(std::uint32_t serial, std::string job) : serial_(serial), job_(std::move(job)) {}

  /// To one whole request. Empty: silent.
  GocatorBytes answer(gocator::ByteView request, std::uint64_t now_us);
  /// A Trigger command came since the last call.
  bool take_trigger() { return std::exchange(triggered_, false); }
  bool running() const { return running_; }

  /// The frame's data set. Throws std::invalid_argument where it does not count in whole nm and um.
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
  /// Switched off and on: frames and drops are counted anew, it does not run, the job is as it was saved.
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

// Lossless delivery of results to one host over a line that drops, repeats and damages bytes. A window of lines waits for
// acknowledgement; it is filled from the store and sent again until the host acknowledges.
//
// Only the host keeps the last sequence number it received; after a break it sends RESUME (host_line.h). It drops
// duplicates, so each result counts once. A GAP line names results that retention removed; it is acknowledged like a
// result. Where the store got another id, the first line is a GAP of the new id up to the host's position: results
// received under the former id do not come again. No clock, no descriptor; only the window is held in memory.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/delivery/host_line.h"
#include "daemon/instrument/instrument.h"
#include "drivers/port/pollable.h"

namespace datum {

struct DeliverySettings {
  std::size_t window = 8;  // lines that may wait for an acknowledgement
  // Time without acknowledgement; doubled each time up to longest_resend_ns.
  MonotonicNs resend_ns = 2'000'000'000;
  MonotonicNs longest_resend_ns = 16'000'000'000;
  MonotonicNs heartbeat_ns = 1'000'000'000;  // period of the heartbeat on an idle link
};

class ResultDelivery {
 public:
  explicit ResultDelivery(Instrument& instrument, const DeliverySettings& settings = {})
      : instrument_(instrument), settings_(settings) {}

  bool active() const { return active_; }
  /// Handles a host's line. Throws std::runtime_error for an acknowledgement of a line that was never sent: the host then
  /// refers to another store.
  void take(const HostLine& said, MonotonicNs now);
  /// Ends the delivery after a broken link; the host must send RESUME again.
  void stop();

  /// Lines that are due, without their ends. To be called when a result was stored, a host's line was handled or the
  /// deadline has come, and only while the link has no unsent bytes. Throws StoreError and then changes nothing.
  std::vector<std::string> due(MonotonicNs now);
  /// The link has sent all lines of due(): the wait for acknowledgement begins.
  void sent(MonotonicNs now);
  std::optional<MonotonicNs> deadline() const;

  /// Highest acknowledged sequence number.
  std::uint64_t acknowledged() const { return has_; }
  /// A position of the host that is ahead of the store although it named the store's id; returned once.
  std::optional<std::uint64_t> take_ahead() { return std::exchange(ahead_, std::nullopt); }
  /// Number of lines that were sent more than once.
  std::uint64_t repeated() const { return repeated_; }
  /// Results that were sent for the first time, and results that the host acknowledged.
  std::uint64_t announced_results() const { return announced_; }
  std::uint64_t acknowledged_results() const { return acknowledged_; }

 private:
  struct Item {
    std::uint64_t last = 0;  // sequence number; of a GAP the last missing one
    std::string line;
    bool result = false;  // not a GAP
    bool again = false;
  };

  void resume(const HostLine& said);
  void acknowledge(std::uint64_t sequence, MonotonicNs now);
  void reject(std::uint64_t sequence, MonotonicNs now);
  void begin(const StoreExtent& have, std::uint64_t has, bool under_another_id);
  void fill(const StoreExtent& have);

  Instrument& instrument_;
  DeliverySettings settings_;
  bool active_ = false, announce_ = false;
  LineCheck check_ = LineCheck::crc16;
  std::string store_id_;           // id that was sent to the host
  std::uint64_t has_ = 0;          // acknowledged up to this sequence number
  std::uint64_t taken_up_to_ = 0;  // acknowledged or in the window up to this sequence number
  std::optional<std::uint64_t> ahead_;
  std::deque<Item> window_;
  std::size_t unsent_from_ = 0;  // index of the first item of the window that is to be sent
  MonotonicNs pause_ns_ = 0;
  std::optional<MonotonicNs> resend_at_, beat_at_;
  std::uint64_t rejected_ = 0;               // sequence number of the last NAK that was obeyed
  std::optional<MonotonicNs> reject_after_;  // until then the same NAK is ignored
  std::uint64_t repeated_ = 0, announced_ = 0, acknowledged_ = 0;
};

}  // namespace datum

// Results to one host without loss, over a line that drops, repeats and damages bytes: a window of lines that wait for
// their acknowledgement, read from the store when there is room, sent again until the host has them.
//
// The host keeps the sequence it has seen last, nobody else; after a break it says RESUME (host_line.h). It drops what
// it has seen, so that each result counts once. Retention that has taken results away is told by a GAP line, which is
// acknowledged as a result is. Where the store goes on under another id, a GAP of that id up to what the host has stands
// first: what it has taken under the former id does not come again. No clock, no descriptor; nothing is held but the window, whoever does not listen.
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
  std::size_t window = 8;                          // lines that wait for an acknowledgement
  MonotonicNs resend_ns = 2'000'000'000;           // without one; doubled each time up to the longest
  MonotonicNs longest_resend_ns = 16'000'000'000;  //
  MonotonicNs heartbeat_ns = 1'000'000'000;        // after which an idle link is told that it lives
};

class ResultDelivery {
 public:
  explicit ResultDelivery(Instrument& instrument, const DeliverySettings& settings = {})
      : instrument_(instrument), settings_(settings) {}

  bool active() const { return active_; }
  /// Takes a host's line. Throws std::runtime_error where it can't follow from what was sent (an acknowledgement of
  /// what never went out): the host then talks of another store.
  void take(const HostLine& said, MonotonicNs now);
  /// The link broke: the host must say RESUME again.
  void stop();

  /// Lines that are due, without their ends. Call it when a result was stored, a host's line was taken or the deadline
  /// has come, and only while the link has nothing unsent. Throws StoreError and leaves all as it was.
  std::vector<std::string> due(MonotonicNs now);
  /// The link has sent all that due() gave: waiting for an acknowledgement begins.
  void sent(MonotonicNs now);
  std::optional<MonotonicNs> deadline() const;

  /// All up to this one have arrived.
  std::uint64_t acknowledged() const { return has_; }
  /// What the host said last is ahead of the store, though it named the store's id; told once.
  std::optional<std::uint64_t> take_ahead() { return std::exchange(ahead_, std::nullopt); }
  /// Lines that were sent more than once.
  std::uint64_t repeated() const { return repeated_; }
  /// Results that went out for the first time, and that the host has said to have.
  std::uint64_t announced_results() const { return announced_; }
  std::uint64_t acknowledged_results() const { return acknowledged_; }

 private:
  struct Item {
    std::uint64_t last = 0;  // sequence, of a GAP the last one that is missing
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
  std::string store_id_;           // that the host was told
  std::uint64_t has_ = 0;          // it has all up to this one
  std::uint64_t taken_up_to_ = 0;  // all up to this one are acknowledged or in the window
  std::optional<std::uint64_t> ahead_;
  std::deque<Item> window_;
  std::size_t unsent_from_ = 0;  // items of the window from here on are to be sent
  MonotonicNs pause_ns_ = 0;
  std::optional<MonotonicNs> resend_at_, beat_at_;
  std::uint64_t rejected_ = 0;               // sequence of the last NAK that was followed
  std::optional<MonotonicNs> reject_after_;  // the same NAK is not followed before
  std::uint64_t repeated_ = 0, announced_ = 0, acknowledged_ = 0;
};

}  // namespace datum

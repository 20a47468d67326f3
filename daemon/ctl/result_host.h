// The host's side of lossless delivery (daemon/delivery/host_line.h): keeps the last sequence number, acknowledges,
// requests missing results, and passes each result on once. Lines in, events and lines out; no clock, no descriptor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/delivery/result_line.h"
#include "drivers/frame/probe_point.h"

namespace datum {

struct DeliveryEvent {
  enum class Kind : std::uint8_t {
    store,   // from and to: range of the store; also where another store replaced it
    result,  // the next result
    gap,     // from and to are no longer stored
  };
  Kind kind = Kind::result;
  std::string store_id;
  ResultLine result;
  std::uint64_t from = 0, to = 0;
};

class ResultHost {
 public:
  /// Requests all results after `after` of the answering store; none: its `last` newest ones and those that follow.
  explicit ResultHost(std::optional<std::uint64_t> after, std::uint64_t last = 0)
      : after_(after), last_(last) {}

  /// A connection is open; to_daemon() has the first lines.
  void connected(MonotonicNs now);
  /// Handles a line without its end. False: not a line of the delivery. A damaged line counts as not received.
  bool take(std::string_view line, MonotonicNs now);
  /// Sends RESUME again after a timeout.
  void on_deadline(MonotonicNs now);
  MonotonicNs deadline() const { return heard_ns_ + silence_ns; }

  /// Events since the last call, in order.
  std::vector<DeliveryEvent> events();
  /// Lines with their ends, to be sent.
  std::string to_daemon();

 private:
  static constexpr MonotonicNs silence_ns = 3'000'000'000;  // ns, three heartbeats
  static constexpr MonotonicNs timeout_ns = 500'000'000;    // before the same line is requested again

  void say(const std::string& text);
  void resume();
  void take_store(const std::vector<std::string_view>& fields);
  void take_result(std::string_view line, MonotonicNs now);
  void take_gap(const std::vector<std::string_view>& fields, MonotonicNs now);
  bool is_next(std::uint64_t from, std::uint64_t to, MonotonicNs now);

  std::optional<std::uint64_t> after_;
  std::uint64_t last_;
  std::string store_id_ = "-";
  std::uint64_t seen_ = 0;
  MonotonicNs heard_ns_ = 0;
  std::optional<MonotonicNs> asked_again_ns_;
  std::vector<DeliveryEvent> events_;
  std::string unsent_;
};

}  // namespace datum

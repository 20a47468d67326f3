// A host that takes results without loss: keeps the sequence that it has seen last, acknowledges, asks again for what
// is missing, and lets each result through once (daemon/delivery/host_line.h). Lines in, events and lines out; no clock,
// no descriptor.
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
    store,   // from and to: what it holds; also when another store has taken its place
    result,  // the next one
    gap,     // from and to are no longer stored: they will never come
  };
  Kind kind = Kind::result;
  std::string store_id;
  ResultLine result;
  std::uint64_t from = 0, to = 0;
};

class ResultHost {
 public:
  /// All that follow `after` in the store that answers; none: what is newer than its newest.
  explicit ResultHost(std::optional<std::uint64_t> after) : after_(after) {}

  /// A connection is there: what to say is in to_daemon().
  void connected(MonotonicNs now);
  /// A line without its end. False: none of the delivery's, an answer perhaps. A damaged one counts as not heard.
  bool take(std::string_view line, MonotonicNs now);
  /// Says RESUME again where nothing came in time.
  void on_deadline(MonotonicNs now);
  MonotonicNs deadline() const { return heard_ns_ + silence_ns; }

  /// What happened since the last call, in order.
  std::vector<DeliveryEvent> events();
  /// Lines with their ends, to be sent.
  std::string to_daemon();

 private:
  static constexpr MonotonicNs silence_ns = 3'000'000'000;  // three heartbeats
  static constexpr MonotonicNs timeout_ns = 500'000'000;    // before the same line is asked for again

  void say(const std::string& text);
  void resume();
  void take_store(const std::vector<std::string_view>& fields);
  void take_result(std::string_view line, MonotonicNs now);
  void take_gap(const std::vector<std::string_view>& fields, MonotonicNs now);
  bool is_next(std::uint64_t from, std::uint64_t to, MonotonicNs now);

  std::optional<std::uint64_t> after_;
  std::string store_id_ = "-";
  std::uint64_t seen_ = 0;
  MonotonicNs heard_ns_ = 0;
  std::optional<MonotonicNs> asked_again_ns_;
  std::vector<DeliveryEvent> events_;
  std::string unsent_;
};

}  // namespace datum

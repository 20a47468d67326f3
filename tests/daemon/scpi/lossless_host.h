// A lossless host by the rules of the manual: the counterpart in the tests of ResultDelivery.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/delivery/result_line.h"
#include "drivers/port/pollable.h"

namespace datum::testing {

class LosslessHost {
 public:
  static constexpr MonotonicNs second = 1'000'000'000;

  explicit LosslessHost(LineCheck check) : check_(check) {}

  /// Handles bytes of the daemon.
  void receive(std::string_view bytes, MonotonicNs now) {
    for (const char c : bytes) {
      if (c != '\n') {
        line_ += c;
        continue;
      }
      take(line_, now);
      line_.clear();
    }
  }
  /// Sends RESUME until it is answered, and again after three seconds without a valid line.
  void tick(MonotonicNs now) {
    if (now < deadline()) return;
    resumed_ = false;
    heard_at_ = now;
    say(fmt::format("RESUME,{},{}", store_id_, seen_));
  }
  MonotonicNs deadline() const { return heard_at_ + (resumed_ ? 3 : 1) * second; }
  void link_lost(MonotonicNs now) {
    line_.clear();
    to_daemon.clear();
    heard_at_ = now - 3 * second;
  }

  std::string to_daemon;
  std::vector<ResultLine> results;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps;
  std::uint64_t damaged = 0, repeated = 0, heartbeats = 0;

 private:
  void say(const std::string& text) { to_daemon += with_crc(text, check_) + '\n'; }

  void take(const std::string& line, MonotonicNs now) {
    try {
      const auto [fields, check] = checked_line(line);
      if (check != check_) throw std::runtime_error("another checksum");
      heard_at_ = now;
      take(fields, line, now);
    } catch (const std::runtime_error&) {
      ++damaged;
      if (resumed_) miss(now);
    }
  }

  void take(const std::vector<std::string_view>& fields, const std::string& line, MonotonicNs now) {
    if (fields[0] == "STORE") {
      if (store_id_ != fields[1] && store_id_ != "-") seen_ = 0;
      store_id_ = std::string(fields[1]);
      resumed_ = true;
    } else if (fields[0] == "R") {
      const ResultLine result = parse_result_line(line);
      if (result.sequence == seen_ + 1) {
        results.push_back(result);
        seen_ = result.sequence;
      } else if (result.sequence > seen_ + 1) {
        return miss(now);
      } else {
        ++repeated;
      }
      say(fmt::format("ACK,{}", seen_));
    } else if (fields[0] == "GAP") {
      const auto from = number_in_line(fields[2], "from"), to = number_in_line(fields[3], "to");
      if (from > seen_ + 1) return miss(now);
      if (to > seen_) {
        gaps.emplace_back(from, to);
        seen_ = to;
      }
      say(fmt::format("ACK,{}", seen_));
    } else if (fields[0] == "HB") {
      ++heartbeats;
      if (number_in_line(fields[2], "last") > seen_) miss(now);
    }
  }

  /// Requests missing results, at most ten times a second.
  void miss(MonotonicNs now) {
    if (asked_for_ == seen_ + 1 && now < asked_at_ + second / 10) return;
    asked_for_ = seen_ + 1;
    asked_at_ = now;
    say(fmt::format("NAK,{}", seen_ + 1));
  }

  LineCheck check_;
  std::string line_, store_id_ = "-";
  std::uint64_t seen_ = 0, asked_for_ = 0;
  bool resumed_ = false;
  MonotonicNs heard_at_ = -3 * second, asked_at_ = -second;
};

}  // namespace datum::testing

#include "daemon/ctl/result_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace datum {
namespace {

bool is_delivery(std::string_view line) {
  constexpr std::array<std::string_view, 4> words{"R,", "GAP,", "STORE,", "HB,"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return line.substr(0, word.size()) == word; });
}

}  // namespace

void ResultHost::say(const std::string& text) { unsent_ += with_crc(text, LineCheck::crc32) + '\n'; }

void ResultHost::resume() { say(fmt::format("RESUME,{},{}", store_id_, seen_)); }

void ResultHost::connected(MonotonicNs now) {
  heard_ns_ = now;
  asked_again_ns_.reset();
  unsent_.clear();
  resume();
}

void ResultHost::on_deadline(MonotonicNs now) {
  heard_ns_ = now;
  resume();
}

bool ResultHost::take(std::string_view line, MonotonicNs now) {
  if (!is_delivery(line)) return false;
  try {
    const auto fields = checked_line(line).fields;
    if (fields[0] == "STORE") {
      take_store(fields);
    } else if (fields.size() > 1 &&
               fields[1] == store_id_) {  // before the STORE line, a line belongs to another store
      if (fields[0] == "R") take_result(line, now);
      if (fields[0] == "GAP") take_gap(fields, now);
    }
    heard_ns_ = now;
  } catch (const std::runtime_error&) {  // damaged: the daemon sends it again
  }
  return true;
}

void ResultHost::take_store(const std::vector<std::string_view>& fields) {
  if (fields.size() != 4) throw std::runtime_error("STORE: three fields are wanted");
  DeliveryEvent told;
  told.kind = DeliveryEvent::Kind::store;
  told.store_id = std::string(fields[1]);
  told.from = number_in_line(fields[2], "first");
  told.to = number_in_line(fields[3], "last");
  if (told.store_id == store_id_) return;  // the same store continues after a break
  const bool first_time = std::exchange(store_id_, told.store_id) == "-";
  // Another store's numbers begin anew, and all of its results are new. A number beyond the newest belongs to another
  // store, or to a time before this one was set back.
  const std::uint64_t stored = told.to >= told.from && told.from > 0 ? told.to - told.from + 1 : 0;
  const std::uint64_t before_last = told.to - std::min(last_, stored);
  seen_ = first_time ? std::min(after_.value_or(before_last), told.to) : 0;
  events_.push_back(told);
  if (seen_ > 0) resume();
}

/// True: the results follow the last one. Acknowledges, or asks for missing results.
bool ResultHost::is_next(std::uint64_t from, std::uint64_t to, MonotonicNs now) {
  if (from > seen_ + 1) {
    if (!asked_again_ns_ || now - *asked_again_ns_ >= timeout_ns) {
      asked_again_ns_ = now;
      say(fmt::format("NAK,{}", seen_ + 1));
    }
    return false;
  }
  const bool is_new = to > seen_;
  if (is_new) {
    seen_ = to;
    asked_again_ns_.reset();
  }
  if (seen_ > 0) say(fmt::format("ACK,{}", seen_));
  return is_new;
}

void ResultHost::take_result(std::string_view line, MonotonicNs now) {
  DeliveryEvent told;
  told.result = parse_result_line(line);
  told.store_id = told.result.store_id;
  if (is_next(told.result.sequence, told.result.sequence, now)) events_.push_back(std::move(told));
}

void ResultHost::take_gap(const std::vector<std::string_view>& fields, MonotonicNs now) {
  if (fields.size() != 4) throw std::runtime_error("GAP: three fields are wanted");
  DeliveryEvent told;
  told.kind = DeliveryEvent::Kind::gap;
  told.store_id = std::string(fields[1]);
  told.from = std::max(number_in_line(fields[2], "from"), seen_ + 1);
  told.to = number_in_line(fields[3], "to");
  if (is_next(number_in_line(fields[2], "from"), told.to, now)) events_.push_back(std::move(told));
}

std::vector<DeliveryEvent> ResultHost::events() { return std::exchange(events_, {}); }
std::string ResultHost::to_daemon() { return std::exchange(unsent_, {}); }

}  // namespace datum

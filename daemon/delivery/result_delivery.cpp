#include "daemon/delivery/result_delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace datum {

void ResultDelivery::take(const HostLine& said, MonotonicNs now) {
  if (said.kind == HostLine::Kind::stop) return stop();
  if (said.kind == HostLine::Kind::resume) return resume(said);
  if (!active_) throw std::runtime_error("ACK or NAK before RESUME");
  const std::uint64_t arrived = said.sequence - (said.kind == HostLine::Kind::reject);
  if (said.sequence == 0 || arrived > taken_up_to_)
    throw std::runtime_error(fmt::format("{} {}: nothing beyond {} was sent",
                                         said.kind == HostLine::Kind::reject ? "NAK" : "ACK", said.sequence,
                                         taken_up_to_));
  acknowledge(arrived, now);
  if (said.kind == HostLine::Kind::reject) reject(said.sequence, now);
}

void ResultDelivery::stop() {
  active_ = announce_ = false;
  window_.clear();
  unsent_from_ = 0;
  resend_at_.reset();
  beat_at_.reset();
  reject_after_.reset();
}

void ResultDelivery::resume(const HostLine& said) {
  const StoreExtent have = instrument_.results();
  const bool knows = said.store_id == have.store_id;
  if (knows && said.sequence > have.highest()) ahead_ = said.sequence;
  check_ = said.check;
  // A sequence number under an id that this store never had says nothing about this store.
  const std::uint64_t has = have.position_of(said.store_id, said.sequence).value_or(0);
  begin(have, std::min(has, have.highest()), !knows);
}

void ResultDelivery::begin(const StoreExtent& have, std::uint64_t has, bool under_another_id) {
  stop();
  active_ = announce_ = true;
  pause_ns_ = settings_.resend_ns;
  store_id_ = have.store_id;
  taken_up_to_ = has_ = has;
  if (under_another_id && has > 0) window_.push_back({has, gap_line(have.store_id, 1, has, check_)});
}

void ResultDelivery::acknowledge(std::uint64_t sequence, MonotonicNs now) {
  if (window_.empty() || sequence < window_.front().last) return;
  while (!window_.empty() && window_.front().last <= sequence) {
    acknowledged_ += window_.front().result;
    has_ = window_.front().last;
    window_.pop_front();
    unsent_from_ -= unsent_from_ > 0;
  }
  pause_ns_ = settings_.resend_ns;
  reject_after_.reset();
  if (window_.empty()) {
    resend_at_.reset();
  } else {
    resend_at_ = now + pause_ns_;
  }
}

/// A host sends NAK for each line after a missing one; obeying each of them would resend the window as often.
void ResultDelivery::reject(std::uint64_t sequence, MonotonicNs now) {
  if (reject_after_ && sequence == rejected_ && now < *reject_after_) return;
  rejected_ = sequence;
  reject_after_ = now + settings_.resend_ns / 4;
  unsent_from_ = 0;
  resend_at_.reset();
}

void ResultDelivery::fill(const StoreExtent& have) {
  while (window_.size() < settings_.window && taken_up_to_ < have.last) {
    const std::uint64_t next = taken_up_to_ + 1;
    if (const std::uint64_t end = have.hole(next)) {
      window_.push_back({end, gap_line(have.store_id, next, end, check_)});
    } else if (next < have.first) {
      window_.push_back({have.first - 1, gap_line(have.store_id, next, have.first - 1, check_)});
    } else if (const auto stored = instrument_.result(next)) {
      BoardVerdict verdict = stored->verdict();
      // The host knows one store id, whatever the id was when the result was stored.
      verdict.store_id = have.store_id;
      window_.push_back({next, result_line(verdict, check_), true});
    } else {  // retention removed it after the extent was read
      window_.push_back({next, gap_line(have.store_id, next, next, check_)});
    }
    taken_up_to_ = window_.back().last;
  }
}

std::vector<std::string> ResultDelivery::due(MonotonicNs now) {
  if (!active_) return {};
  const StoreExtent have = instrument_.results();
  if (have.store_id != store_id_) begin(have, have.position_of(store_id_, has_).value_or(0), true);
  fill(have);
  if (resend_at_ && now >= *resend_at_) {
    unsent_from_ = 0;
    pause_ns_ = std::min(2 * pause_ns_, settings_.longest_resend_ns);
    resend_at_.reset();
  }
  std::vector<std::string> lines;
  if (announce_) {
    lines.push_back(with_crc(fmt::format("STORE,{},{},{}", have.store_id, have.first, have.last), check_));
    announce_ = false;
  }
  for (; unsent_from_ < window_.size(); ++unsent_from_) {
    Item& item = window_[unsent_from_];
    repeated_ += item.again;
    announced_ += item.result && !item.again;
    item.again = true;
    lines.push_back(item.line);
  }
  if (lines.empty() && beat_at_ && now >= *beat_at_)
    lines.push_back(with_crc(fmt::format("HB,{},{}", have.store_id, have.last), check_));
  if (!lines.empty() || !beat_at_) beat_at_ = now + settings_.heartbeat_ns;
  return lines;
}

void ResultDelivery::sent(MonotonicNs now) {
  if (!active_) return;
  if (!window_.empty() && !resend_at_) resend_at_ = now + pause_ns_;
  beat_at_ = now + settings_.heartbeat_ns;
}

std::optional<MonotonicNs> ResultDelivery::deadline() const {
  if (!active_) return std::nullopt;
  if (!resend_at_ || !beat_at_) return resend_at_ ? resend_at_ : beat_at_;
  return std::min(*resend_at_, *beat_at_);
}

}  // namespace datum

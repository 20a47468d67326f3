#include "drivers/ipp/ipp_channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace datum {

void IppChannel::reset() {
  normal_.clear();
  fast_.clear();
  running_.clear();
  daemons_.clear();
  abandoned_.clear();
  unacknowledged_.clear();
}

void IppChannel::ask(const std::string& command, int purpose, bool event, bool daemon) {
  (event ? fast_ : normal_).push_back({command, purpose, daemon});
}

// Tags are used cyclically: a late answer then meets no transaction with its tag.
std::string IppChannel::free_tag(bool event) {
  int& last = event ? last_event_ : last_tag_;
  const int most = event ? 9999 : 99999;
  std::string tag;
  do {
    last = last % most + 1;
    tag = event ? fmt::format("E{:04}", last) : fmt::format("{:05}", last);
  } while (running_.count(tag) > 0 || daemons_.count(tag) > 0 || abandoned_.count(tag) > 0);
  return tag;
}

std::optional<std::string> IppChannel::next_line(MonotonicNs now) {
  auto& queue = fast_.empty() ? normal_ : fast_;
  const bool aborting = std::any_of(running_.begin(), running_.end(),
                                    [](const auto& entry) { return entry.second.command == "AbortE()"; });
  if (queue.empty() || !unacknowledged_.empty() || aborting) return std::nullopt;
  IppTransaction t;
  t.event = &queue == &fast_;
  t.tag = free_tag(t.event);
  t.command = queue.front().command;
  t.purpose = queue.front().purpose;
  t.daemon = queue.front().daemon;
  t.sent_ns = now;
  queue.pop_front();
  unacknowledged_ = t.tag;
  running_.emplace(t.tag, t);
  return t.tag + " " + t.command + "\r\n";
}

IppChannel::Delivery IppChannel::receive(const IppLine& line) {
  using Is = Delivery::Is;
  Delivery d;
  if (line.unsolicited()) {
    d.is = Is::unsolicited;
    return d;
  }
  const auto found = running_.find(line.tag);
  if (found == running_.end() && abandoned_.count(line.tag) > 0) {
    d.is = Is::abandoned;
    if (line.mark == IppMark::complete) abandoned_.erase(line.tag);
    return d;
  }
  if (found == running_.end()) {
    const auto daemon = daemons_.find(line.tag);
    if (daemon == daemons_.end()) return d;
    d.transaction = daemon->second;
    d.is = line.mark == IppMark::data ? Is::report : line.mark == IppMark::error ? Is::error : Is::stray;
    return d;
  }
  IppTransaction& t = found->second;
  if (line.mark == IppMark::acknowledge) {
    if (t.acknowledged) t.spoiled = true;
    t.acknowledged = true;
    if (unacknowledged_ == t.tag) unacknowledged_.clear();
    d.is = Is::acknowledged;
  } else if (!t.acknowledged) {
    t.spoiled = true;
  }
  d.transaction = t;
  if (line.mark == IppMark::data) d.is = t.daemon ? Is::report : Is::data;
  if (line.mark == IppMark::error) d.is = Is::error;
  if (line.mark != IppMark::complete) return d;
  d.is = Is::complete;
  if (unacknowledged_ == t.tag) unacknowledged_.clear();
  if (t.daemon && !t.spoiled) daemons_.emplace(t.tag, t);
  running_.erase(found);
  return d;
}

std::optional<IppTransaction> IppChannel::drop_unacknowledged() {
  const auto found = running_.find(std::exchange(unacknowledged_, ""));
  if (found == running_.end()) return std::nullopt;
  IppTransaction t = found->second;
  running_.erase(found);
  return t;
}

void IppChannel::abandon() {
  normal_.clear();
  for (auto it = running_.begin(); it != running_.end();) {
    if (it->second.event) {
      ++it;
      continue;
    }
    if (unacknowledged_ == it->first) unacknowledged_.clear();
    abandoned_.insert(it->first);
    it = running_.erase(it);
  }
}

bool IppChannel::busy(int purpose) const {
  const auto queued = [purpose](const Queued& q) { return q.purpose == purpose; };
  return std::any_of(normal_.begin(), normal_.end(), queued) ||
         std::any_of(fast_.begin(), fast_.end(), queued) ||
         std::any_of(running_.begin(), running_.end(),
                     [purpose](const auto& entry) { return entry.second.purpose == purpose; });
}

std::optional<MonotonicNs> IppChannel::oldest_sent_ns(int but) const {
  std::optional<MonotonicNs> oldest;
  for (const auto& [tag, t] : running_)
    if (t.purpose != but && (!oldest || t.sent_ns < *oldest)) oldest = t.sent_ns;
  return oldest;
}

}  // namespace datum

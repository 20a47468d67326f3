#include "drivers/ipp/ipp_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "drivers/ipp/ipp_stop.h"

namespace datum {
namespace {

constexpr int farewell_ms = 1000;  // for stopping a moving machine over a link without session

}  // namespace

IppReader::IppReader(const CmmSettings& settings, std::unique_ptr<Port> port)
    : settings_(settings),
      client_(settings),
      link_(
          std::move(port), {}, [this](MonotonicNs now) { opened(now); },
          [this](const std::string& why, MonotonicNs now) { link_down(why, now); }) {}

IppReader::~IppReader() {
  if (settings_.ipp.motion) ipp_last_text(-1);
  if (client_.under_way() && link_.fd() >= 0) ipp_stop(link_.fd(), farewell_ms);
}

void IppReader::start(MonotonicNs now) {
  if (!closing_) link_.start(now);
}

void IppReader::close(MonotonicNs now) {
  if (closing_) return;
  closing_ = true;
  if (link_.is_open()) client_.close(now);
  if (link_.is_open()) return link_.run(now, [&] { attend(now); });
  if (left_moving_) ipp_stop_first(settings_, farewell_ms);
  stay_closed(now);
}

void IppReader::stay_closed(MonotonicNs now) {
  if (settings_.ipp.motion) ipp_last_text(-1);
  link_.shut(now);
}

void IppReader::opened(MonotonicNs now) {
  left_moving_ = false;  // its first command is AbortE
  client_.opened(now);
  attend(now);
}

void IppReader::link_down(const std::string& why, MonotonicNs now) {
  left_moving_ = left_moving_ || client_.under_way();
  if (settings_.ipp.motion) ipp_last_text(-1);
  if (latest_.state == ProbeState::link_down && latest_.detail == why) return;  // already reported
  latest_ = ProbePoint{};
  latest_.state = ProbeState::link_down;
  latest_.detail = why;
  latest_.first_byte_ns = latest_.last_byte_ns = now;
  if (handler_) handler_(latest_, now);
  client_.farewell(why);
  deliver(now);
}

void IppReader::move(const ProbeWay& way, MonotonicNs now) {
  if (closing_) throw RefusedError("probe motion: datumd ends");
  if (!link_.is_open()) throw RefusedError("probe motion: no link: " + link_.describe());
  client_.move(way, now);
  link_.run(now, [&] { attend(now); });
}

void IppReader::stop(const std::string& why, MonotonicNs now) {
  client_.abort_move(why, now);
  link_.run(now, [&] { attend(now); });
}

void IppReader::on_ready(MonotonicNs now) {
  link_.run(now, [&] {
    receive(now);  // reports a failed connect
    attend(now);
  });
}

void IppReader::receive(MonotonicNs now) {
  std::array<std::uint8_t, 4096> bytes;
  // One read per wake-up: a continuous sender must not starve the loop.
  const std::size_t got = link_.read(bytes.data(), bytes.size(), now);
  if (got > 0) client_.receive(bytes.data(), got, now);
}

void IppReader::attend(MonotonicNs now) {
  if (!link_.is_open()) return;
  const std::string bytes = client_.take_output(now);
  if (settings_.ipp.motion) ipp_last_text(client_.under_way() ? link_.fd() : -1);
  link_.send(bytes);
  deliver(now);
  if (closing_ && client_.closed()) return stay_closed(now);
  if (!link_.is_open() || client_.lost().empty()) return;
  left_moving_ = left_moving_ || client_.under_way();
  link_.send(client_.farewell(client_.lost()));  // the controller may still receive it
  deliver(now);
  throw LostError(link_.port().describe() + ": " + client_.lost());
}

void IppReader::deliver(MonotonicNs now) {
  while (auto sample = client_.next()) {
    ++samples_;
    sampled_ns_ = now;
    if (sample->state == ProbeState::ok)
      link_.good();
    else
      ++faults_;
    latest_ = std::move(*sample);
    if (handler_) handler_(latest_, now);
  }
  while (auto touch = client_.next_touch())
    if (touch_handler_) touch_handler_(*touch, now);
  while (const auto why = client_.take_moved())
    if (moved_) moved_(*why, now);
}

void IppReader::poll_soon(MonotonicNs now) {
  if (!link_.is_open()) return;
  client_.poll_soon(now);
  link_.run(now, [&] { link_.send(client_.take_output(now)); });
}

std::optional<MonotonicNs> IppReader::deadline() const {
  if (closing_ && !link_.is_open()) return std::nullopt;
  const auto of_link = link_.deadline(), of_client = client_.deadline();
  if (!link_.is_open() || !of_client) return of_link;
  return of_link ? std::min(*of_link, *of_client) : of_client;
}

void IppReader::on_deadline(MonotonicNs now) {
  if (closing_ && !link_.is_open()) return;
  if (link_.on_deadline(now) || !link_.is_open()) return;
  const auto due = client_.deadline();
  if (!due || now < *due) return;
  link_.run(now, [&] {
    client_.on_deadline(now);
    attend(now);
  });
}

ProbePoint IppReader::latest(MonotonicNs now) const {
  ProbePoint point = latest_;
  const MonotonicNs age = now - point.last_byte_ns;
  if (point.state != ProbeState::ok || age <= settings_.max_age_ms * ns_per_ms) return point;
  point.state = ProbeState::stale;
  point.detail = fmt::format("last heard {} ms ago; allowed: {} ms", age / ns_per_ms, settings_.max_age_ms);
  return point;
}

std::optional<LinkReport> IppReader::report(MonotonicNs now) const {
  LinkReport report = report_of(link_, "cmm", settings_.preset);
  if (samples_ > 0) report.delivered_ns = sampled_ns_;
  const ProbePoint point = latest(now);
  if (link_.is_open() && point.state != ProbeState::ok)
    report.trouble = fmt::format("{} {}", name_of(point.state), point.detail);
  return report;
}

std::string IppReader::describe() const {
  std::string text =
      fmt::format("cmm {} on {}: {}", settings_.preset, link_.port().describe(), link_.describe());
  if (!link_.port().is_open()) return text;
  text += fmt::format("; {} samples, {} faults, opened {} times", samples_, faults_, link_.record().opened);
  if (link_.is_open()) text += "; " + client_.describe();
  if (latest_.state != ProbeState::ok) text += fmt::format("; {} {}", name_of(latest_.state), latest_.detail);
  return text;
}

}  // namespace datum

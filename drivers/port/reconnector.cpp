#include "drivers/port/reconnector.h"

#include <fmt/format.h>

#include <algorithm>

namespace datum {
namespace {}  // namespace

const char* name_of(LinkState state) {
  switch (state) {
    case LinkState::closed:
      return "closed, to be reopened";
    case LinkState::connecting:
      return "connecting";
    case LinkState::open:
      return "open";
    case LinkState::refused:
      return "refused";
  }
  return "?";
}

Reconnector::Reconnector(std::unique_ptr<Port> port, const LinkLimits& limits, OnOpen on_open, OnLoss on_loss)
    : port_(std::move(port)),
      limits_(limits),
      on_open_(std::move(on_open)),
      on_loss_(std::move(on_loss)),
      state_(port_->is_open() ? LinkState::open : LinkState::closed),
      back_off_ns_(limits.first_back_off_ms * ns_per_ms) {
  record_.opened = is_open() ? 1 : 0;
}

void Reconnector::enter(LinkState state, MonotonicNs now) {
  if (state_ != state) record_.since_ns = now;
  state_ = state;
}

void Reconnector::start(MonotonicNs now) {
  if (port_->is_open()) return;
  good();
  open(now);
}

void Reconnector::open(MonotonicNs now) {
  due_.reset();
  ++record_.attempts;
  guarded(now, [&] {
    port_->open();
    enter(LinkState::connecting, now);
    due_ = now + limits_.connect_ms * ns_per_ms;
    settle(now);
  });
}

void Reconnector::settle(MonotonicNs now) {
  if (state_ != LinkState::connecting || !port_->connected()) return;
  enter(LinkState::open, now);
  due_.reset();
  ++record_.opened;
  record_.heard_ns = now;
  on_open_(now);
}

std::size_t Reconnector::read(std::uint8_t* to, std::size_t room, MonotonicNs now) {
  if (!port_->is_open()) return 0;
  const std::size_t got = port_->read(to, room);
  if (got > 0) record_.heard_ns = now;
  return got;
}

void Reconnector::send(std::string_view bytes) {
  unsent_ += bytes;
  flush();
  if (unsent_.size() > most_unsent)
    throw LostError(fmt::format("{}: the peer does not read", port_->describe()));
}

void Reconnector::flush() {
  if (!is_open() || unsent_.empty()) return;
  unsent_.erase(0, port_->write(reinterpret_cast<const std::uint8_t*>(unsent_.data()), unsent_.size()));
}

void Reconnector::good() {
  back_off_ns_ = limits_.first_back_off_ms * ns_per_ms;
  record_.attempts = 0;
}

void Reconnector::close(LinkState state, const std::string& why, MonotonicNs now) {
  port_->close();
  unsent_.clear();
  if (is_open()) ++record_.lost;
  enter(state, now);
  record_.last_error = why;
  record_.last_error_ns = now;
  on_loss_(why, now);
}

void Reconnector::refuse(const std::string& why, MonotonicNs now) {
  due_.reset();
  close(LinkState::refused, why, now);
}

void Reconnector::lose(const std::string& why, MonotonicNs now) {
  due_.reset();
  if (limits_.reopens) {
    due_ = now + back_off_ns_;
    back_off_ns_ = std::min(2 * back_off_ns_, limits_.last_back_off_ms * ns_per_ms);
  }
  close(LinkState::closed, why, now);
}

void Reconnector::shut(MonotonicNs now) {
  port_->close();
  unsent_.clear();
  due_.reset();
  enter(LinkState::closed, now);
}

std::optional<MonotonicNs> Reconnector::deadline() const {
  if (is_open() && limits_.silence_ms && record_.heard_ns)
    return *record_.heard_ns + *limits_.silence_ms * ns_per_ms;
  return due_;
}

bool Reconnector::on_deadline(MonotonicNs now) {
  const auto due = deadline();
  if (!due || now < *due) return false;
  switch (state_) {
    case LinkState::closed:
      open(now);
      return true;
    case LinkState::connecting:
      lose(port_->describe() + ": can't connect: no answer", now);
      return true;
    case LinkState::open:
      lose(fmt::format("{}: nothing was heard for {} ms", port_->describe(), *limits_.silence_ms), now);
      return true;
    case LinkState::refused:
      return false;
  }
  return false;
}

std::string Reconnector::describe() const {
  const std::string text = name_of(state_);
  const bool down = state_ == LinkState::closed || state_ == LinkState::refused;
  return !down || record_.last_error.empty() ? text : text + ": " + record_.last_error;
}

}  // namespace datum

// A frame source on real sockets to the virtual device, in one thread, with an injected clock.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <utility>

#include "drivers/sensor/gocator_source.h"
#include "tests/virtual_cell/virtual_gocator_channel.h"
#include "tests/virtual_cell/virtual_gocator_device.h"

namespace datum::testing {

constexpr MonotonicNs ms = 1'000'000;

inline HeightFrame small_frame() {
  HeightFrame f;
  f.rows = 4;
  f.cols = 6;
  f.x = {0.035, -15};
  f.y = {0.036, -10};
  f.z = {0.001, 0.25};
  std::vector<std::int16_t> counts(f.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<std::int16_t>(i * i);
  counts[5] = -32768;
  f.counts = counts;
  return f;
}

inline SensorProfile gocator_profile() {
  SensorProfile p;
  p.serial = "67890";
  p.handedness = Handedness::left;
  p.noise = {{0.0}, {3.0}};
  p.z_min_mm = -5;
  p.z_max_mm = 5;
  return p;
}

inline gocator::Settings gocator_settings() {
  gocator::Settings s;
  s.address = "127.0.0.1";
  s.job = "board.job";
  s.step_nm = {35000, 36000, 1000};
  return s;
}

/// The reply to 0x1100 as LMI's SDK reads it: u32 length, u32 0, u64 id, s64 status, u64 major, u64 minor.
inline GocatorBytes older_version(std::uint64_t major, std::uint64_t minor) {
  GocatorBytes reply;
  for (const std::uint32_t v : {40u, 0u}) gocator::append(reply, v);
  for (const std::uint64_t v : {std::uint64_t{0x1100}, std::uint64_t{1}, major, minor})
    gocator::append(reply, v);
  return reply;
}

class GocatorRig {
 public:
  explicit GocatorRig(gocator::Settings settings = gocator_settings())
      : control_(0, [this](const GocatorBytes& request) { return answer(request); }),
        health_(0),
        data_(0),
        source(
            at_ports(std::move(settings)), profile,
            [this](const FrameIdentity& f) { return f.frame_id == stored; }, now) {}

  std::uint64_t device_us() const { return static_cast<std::uint64_t>((now - switched_on) / 1000); }

  /// Runs both ends until `so`; only a hung test reaches the deadline.
  template <class Predicate>
  bool until(Predicate so) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!so()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      work();
    }
    return true;
  }
  bool connect() {
    return until([&] { return source.refusal().empty() && device.running() && asked_clock(); });
  }
  void pass(int milliseconds) {
    now += milliseconds * ms;
    source.pollables()[0]->on_deadline(now);
  }
  /// Time until `so`, by the source's own deadlines; -1: never.
  int ms_until(const std::function<bool()>& so, int most_ms) {
    for (int t = 0; t <= most_ms; t += 50) {
      for (int i = 0; i < 20 && !so(); ++i) work(1);
      if (so()) return t;
      pass(50);
    }
    return -1;
  }

  /// Completes transfers in progress, or not.
  void settle() {
    for (int i = 0; i < 5; ++i) work(1);
  }

  void expose() { send(device.expose(small_frame(), device_us())); }
  void send(GocatorPayload payload) {
    using Fault = GocatorFault;
    if (payload.fault == Fault::stall || payload.fault == Fault::reset)
      payload.bytes.resize(payload.bytes.size() / 2);
    const int times = payload.fault == Fault::skip ? 0 : payload.fault == Fault::twice ? 2 : 1;
    for (int i = 0; i < times; ++i) data_.send(payload.bytes);
    if (payload.fault == Fault::reset) hang_up();
  }
  void send_health() { health_.send(device.health()); }
  void hang_up() {
    for (auto* channel : {&control_, &health_, &data_}) channel->close_all();
  }
  std::optional<ClaimedFrame> claim() {
    std::optional<ClaimedFrame> claim;
    until([&] { return (claim = source.next()).has_value(); });
    return claim;
  }
  std::string warnings() {
    std::string all;
    for (const std::string& w : source.take_warnings()) all += w + "\n";
    return all;
  }

  MonotonicNs now = 10'000'000 * ms, switched_on = 1'000'000 * ms;
  VirtualGocatorDevice device{67890, "board.job"};
  std::string stored;           // frame id known to the store
  bool older_firmware = false;  // protocol 4.2, for the older request only

 private:
  GocatorBytes answer(const GocatorBytes& request) {
    const auto command = static_cast<gocator::Command>(gocator::at<std::uint16_t>(request, 4));
    if (older_firmware && command == gocator::Command::get_version)
      return reply_message(command, gocator::status_invalid_command);
    if (older_firmware && command == gocator::Command::protocol_version) return older_version(4, 2);
    return device.answer(request, device_us());
  }
  bool asked_clock() const { return source.describe().find("job board.job") != std::string::npos; }
  gocator::Settings at_ports(gocator::Settings s) const {
    s.control_port = control_.port();
    s.health_port = health_.port();
    s.data_port = data_.port();
    return s;
  }
  void work(int wait_ms = 50) {
    std::vector<pollfd> watched;
    for (Pollable* p : source.pollables())
      watched.push_back({p->fd(), static_cast<short>(p->wants_write() ? POLLIN | POLLOUT : POLLIN), 0});
    const std::size_t own = watched.size();
    for (auto* channel : {&control_, &health_, &data_}) channel->watch(watched);
    ::poll(watched.data(), watched.size(), wait_ms);
    for (auto* channel : {&control_, &health_, &data_}) channel->serve();
    for (std::size_t i = 0; i < own; ++i)
      if (watched[i].revents != 0) source.pollables()[i]->on_ready(now);
  }

  VirtualGocatorChannel control_, health_, data_;

 public:
  const SensorProfile profile = gocator_profile();
  GocatorSource source;
};

}  // namespace datum::testing

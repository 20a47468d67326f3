// One of the reader's three connections, as an event loop object.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "drivers/port/pollable.h"
#include "drivers/port/reconnector.h"

namespace datum::gocator {

class Link final : public Pollable {
 public:
  using Ready = std::function<void(MonotonicNs now)>;
  Link(std::unique_ptr<Port> port, const LinkLimits& limits, Ready on_ready, Reconnector::OnOpen on_open,
       Reconnector::OnLoss on_loss)
      : keeper_(std::move(port), limits, std::move(on_open), std::move(on_loss)),
        on_ready_(std::move(on_ready)) {}

  bool up() const { return keeper_.is_open(); }
  /// Throws LostError.
  void send(std::span<const std::uint8_t> bytes) {
    keeper_.send({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  Reconnector& keeper() { return keeper_; }
  const Reconnector& keeper() const { return keeper_; }

  // Pollable; the reader has the deadlines
  int fd() const override { return keeper_.fd(); }
  bool wants_write() const override { return keeper_.wants_write(); }
  void on_ready(MonotonicNs now) override { on_ready_(now); }
  std::optional<MonotonicNs> deadline() const override { return std::nullopt; }
  void on_deadline(MonotonicNs) override {}
  std::string describe() const override { return keeper_.port().describe(); }

 private:
  Reconnector keeper_;
  Ready on_ready_;
};

}  // namespace datum::gocator

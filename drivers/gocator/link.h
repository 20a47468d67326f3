// One of the reader's three connections, as the loop sees it.
#pragma once

#include <functional>
#include <memory>

#include "drivers/port/pollable.h"
#include "drivers/port/port.h"

namespace datum::gocator {

class Link final : public Pollable {
 public:
  using Ready = std::function<void(MonotonicNs now)>;
  Link(std::unique_ptr<Port> port, Ready on_ready) : port_(std::move(port)), on_ready_(std::move(on_ready)) {}

  /// Throws as Port::open does.
  void open() {
    port_->open();
    connecting_ = true;
    unsent_.clear();
  }
  void close() noexcept {
    port_->close();
    connecting_ = false;
  }
  /// Once after open(): the connection has been made.
  bool take_connected() {
    if (!connecting_ || !port_->connected()) return false;
    connecting_ = false;
    return true;
  }
  bool up() const { return port_->is_open() && !connecting_; }

  /// Throws LostError.
  void send(const std::vector<std::uint8_t>& bytes) {
    unsent_.insert(unsent_.end(), bytes.begin(), bytes.end());
    flush();
  }
  void flush() {
    if (unsent_.empty() || connecting_) return;
    const auto put = static_cast<std::ptrdiff_t>(port_->write(unsent_.data(), unsent_.size()));
    unsent_.erase(unsent_.begin(), unsent_.begin() + put);
  }
  Port& port() { return *port_; }
  const Port& port() const { return *port_; }

  // Pollable
  int fd() const override { return port_->fd(); }
  bool wants_write() const override { return connecting_ || !unsent_.empty(); }
  void on_ready(MonotonicNs now) override { on_ready_(now); }
  std::optional<MonotonicNs> deadline() const override { return std::nullopt; }
  void on_deadline(MonotonicNs) override {}
  std::string describe() const override { return port_->describe(); }

 private:
  std::unique_ptr<Port> port_;
  Ready on_ready_;
  bool connecting_ = false;
  std::vector<std::uint8_t> unsent_;
};

}  // namespace datum::gocator

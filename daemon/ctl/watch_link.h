// The connection of `datumctl watch`: results without loss, and what the cell is doing, asked in between. It comes back
// by itself. All times are given, none is read.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/ctl/result_host.h"
#include "drivers/port/port.h"

namespace datum {

/// What the cell said of itself last.
struct WatchedCell {
  std::string state, detail, recipe, unit, calibration,
      refusal;  // refusal: why the calibration must not be used
  std::vector<std::string> links;
  bool operator==(const WatchedCell&) const = default;
};

/// What is told to whoever shows it, in order.
class WatchView {
 public:
  virtual ~WatchView() = default;
  virtual void connected() = 0;
  virtual void lost(const std::string& why, MonotonicNs retry_in_ns) = 0;
  virtual void cell(const WatchedCell& cell) = 0;  // when it has changed
  virtual void delivered(const DeliveryEvent& event) = 0;
};

class WatchLink {
 public:
  using Open = std::function<std::unique_ptr<Port>()>;

  WatchLink(Open open, std::optional<std::uint64_t> after, MonotonicNs period_ns, WatchView& view)
      : open_(std::move(open)), results_(after), period_ns_(period_ns), view_(view) {}

  /// -1 while there is no connection.
  int fd() const { return port_ ? port_->fd() : -1; }
  /// The connection is being made, or bytes wait for room.
  bool wants_write() const { return port_ && (port_->wants_write() || !unsent_.empty()); }
  MonotonicNs deadline() const;
  /// Something can be read or written, or the deadline has come. Throws RefusedError, which no waiting mends.
  void work(MonotonicNs now);

 private:
  void connect(MonotonicNs now);
  void go_on_connecting(MonotonicNs now);
  void up(MonotonicNs now);
  void lose(const std::string& why, MonotonicNs now);
  void receive(MonotonicNs now);
  void take(const std::string& line, MonotonicNs now);
  void take_answer(const std::string& line);
  void ask(MonotonicNs now);
  void send();

  Open open_;
  ResultHost results_;
  MonotonicNs period_ns_;
  WatchView& view_;
  std::unique_ptr<Port> port_;
  bool up_ = false;
  MonotonicNs open_at_ = 0, back_off_ns_ = 0, ask_at_ = 0, heard_ns_ = 0;
  std::string received_, unsent_;
  std::optional<WatchedCell> cell_;
};

}  // namespace datum

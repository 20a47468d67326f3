// The connection of `datumctl watch`: lossless results, and queries of the cell's state in between. It reconnects by
// itself. All times are parameters.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/ctl/result_host.h"
#include "drivers/port/port.h"

namespace datum {

/// The last reported state of the cell.
struct WatchedCell {
  std::string state, detail, recipe, unit, calibration,
      refusal;  // refusal: why the calibration must not be used
  std::vector<std::string> links;
  bool operator==(const WatchedCell&) const = default;
};

/// What a result's line does not say.
struct WatchedBoard {
  std::uint64_t sequence = 0;
  std::string unit, why;  // why: plain_reason(); empty for PASS
};

/// Receives the events in their order.
class WatchView {
 public:
  virtual ~WatchView() = default;
  virtual void connected() = 0;
  virtual void lost(const std::string& why, MonotonicNs retry_in_ns) = 0;
  virtual void cell(const WatchedCell& cell) = 0;  // on a change
  virtual void delivered(const DeliveryEvent& event) = 0;
  /// Of a result that was delivered before.
  virtual void explained(const WatchedBoard& board) = 0;
};

class WatchLink {
 public:
  using Open = std::function<std::unique_ptr<Port>()>;

  /// `after` and `last`: as of ResultHost.
  WatchLink(Open open, std::optional<std::uint64_t> after, MonotonicNs period_ns, WatchView& view,
            std::uint64_t last = 0)
      : open_(std::move(open)), results_(after, last), period_ns_(period_ns), view_(view) {}

  /// -1: not connected.
  int fd() const { return port_ ? port_->fd() : -1; }
  /// True: connecting, or unsent bytes wait for space.
  bool wants_write() const { return port_ && (port_->wants_write() || !unsent_.empty()); }
  MonotonicNs deadline() const;
  /// False: a delivered result is not explained yet.
  bool has_explained() const { return !asked_ && unexplained_.empty(); }
  /// Call on readiness of the descriptor or at the deadline. Throws RefusedError where reconnection is futile.
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
  void explain(const ResultLine& result);
  void ask_for_board(MonotonicNs now);
  void take_board(const std::vector<std::string>& parts);
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
  std::deque<ResultLine> unexplained_;  // delivered; the newest alone where there are many
  std::optional<std::uint64_t> asked_;  // the one in question
  MonotonicNs give_up_at_ = 0;
};

}  // namespace datum

// IppReader: maintains the link to an I++ DME server and provides its latest position. All times are
// arguments; no clock is read.
#pragma once

#include <memory>

#include "drivers/cmm/probe_mover.h"
#include "drivers/cmm/source.h"
#include "drivers/ipp/ipp_client.h"
#include "drivers/port/reconnector.h"

namespace datum {

class IppReader final : public CmmSource, public ProbeMover {
 public:
  /// Throws RefusedError as check(settings) does. The link is opened by start().
  IppReader(const CmmSettings& settings, std::unique_ptr<Port> port);
  explicit IppReader(const CmmSettings& settings) : IppReader(settings, open_link(settings)) {}
  /// Stops motion: the process may end by an exception.
  ~IppReader() override;

  void on_sample(OnSample handler) override { handler_ = std::move(handler); }
  /// Unsolicited PtMeas: manual measurement with the joystick.
  void on_touch(OnSample handler) override { touch_handler_ = std::move(handler); }
  void start(MonotonicNs now) override;
  void poll_soon(MonotonicNs now) override;
  /// Polls continue, because touches have their own messages.
  void listen(bool on, MonotonicNs) override { wants_touches_ = on; }
  bool listening() const override { return wants_touches_ && link_.is_open() && client_.ready(); }
  /// An operator confirms the coordinate system's transformation, and that a fault is repaired. Homing, tool
  /// and coordinate system are reported by the machine.
  void confirm_referenced() override { client_.confirm(); }
  ProbePoint latest(MonotonicNs now) const override;
  bool refused() const override { return link_.refused(); }
  std::vector<std::string> take_notes() override { return client_.take_notes(); }
  ProbeMover* mover() override { return settings_.ipp.motion ? this : nullptr; }
  void close(MonotonicNs now) override;
  bool closed() const override { return closing_ && !link_.is_open(); }

  // ProbeMover
  void move(const ProbeWay& way, MonotonicNs now) override;
  void stop(const std::string& why, MonotonicNs now) override;
  bool moving() const override { return client_.moving(); }
  void on_moved(std::function<void(const std::string& why, MonotonicNs now)> handler) override {
    moved_ = std::move(handler);
  }

  int fd() const override { return link_.fd(); }
  bool wants_write() const override { return link_.wants_write(); }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;
  std::optional<LinkReport> report(MonotonicNs now) const override;

 private:
  void opened(MonotonicNs now);
  void link_down(const std::string& why, MonotonicNs now);
  void receive(MonotonicNs now);
  /// Sends the client's output, delivers its input, closes a link that it gave up.
  void attend(MonotonicNs now);
  void deliver(MonotonicNs now);
  void stay_closed(MonotonicNs now);

  CmmSettings settings_;
  IppClient client_;
  OnSample handler_, touch_handler_;
  std::function<void(const std::string& why, MonotonicNs now)> moved_;
  bool wants_touches_ = false, closing_ = false;
  bool left_moving_ = false;  // the link was lost during a move and has not been reopened
  std::uint64_t samples_ = 0, faults_ = 0;
  MonotonicNs sampled_ns_ = 0;
  ProbePoint latest_;
  Reconnector link_;  // last: its handlers use the members above
};

}  // namespace datum

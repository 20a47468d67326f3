// ScannerLink: a scanner of serial numbers on a serial line, opened again after a loss. It sends nothing. On the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "drivers/port/link_report.h"
#include "drivers/port/pollable.h"
#include "drivers/scanner/scan_framer.h"
#include "drivers/scanner/settings.h"

namespace datum {

class ScannerLink final : public Pollable, public LinkStatusProvider {
 public:
  /// Gets each scan: its number with its bytes in hex, or why it has none. A line that is lost is such a fault as well: whether a
  /// board was scanned meanwhile is not known.
  using OnScan = std::function<void(const ScannedSerial& scan, const std::string& read_hex, MonotonicNs now)>;
  /// The link is open, or why it is not, once a change. `lost`: it was open.
  using OnState = std::function<void(bool open, bool refused, const std::string& why)>;

  /// Opens at the first on_deadline().
  ScannerLink(std::unique_ptr<Port> port, ScannerSettings settings, OnScan on_scan, OnState on_state);

  int fd() const override { return link_.fd(); }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;
  std::optional<LinkReport> report(MonotonicNs) const override {
    return report_of(link_, "scanner", "scanner");
  }

 private:
  void pass_on(const Scan& scan, MonotonicNs now);
  void lost(const std::string& why, MonotonicNs now);

  ScannerSettings settings_;
  OnScan on_scan_;
  OnState on_state_;
  ScanFramer framer_;
  bool was_open_ = false;
  std::uint64_t scans_ = 0, refused_ = 0;
  Reconnector link_;  // last member: its destructor notifies this object
};

}  // namespace datum

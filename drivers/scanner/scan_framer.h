// ScanFramer: bytes of a scanner's line -> scans. A scan ends with the suffix. What is not one is said, never passed on in part:
// bytes without a suffix for `silence`, more than most_bytes without one, a scan without the prefix. Line ends before a scan,
// and scans without any byte, are passed over.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/frame/probe_point.h"

namespace datum {

struct Scan {
  std::string bytes;  // between prefix and suffix
  std::string fault;  // why it is no scan; empty: it is one
};

class ScanFramer {
 public:
  static constexpr std::size_t most_bytes = 512;

  ScanFramer(std::string prefix, std::string suffix, MonotonicNs silence)
      : prefix_(std::move(prefix)), suffix_(std::move(suffix)), silence_(silence) {}

  std::vector<Scan> receive(std::string_view bytes, MonotonicNs now);
  /// When the bytes at hand are no scan any more.
  std::optional<MonotonicNs> deadline() const;
  std::optional<Scan> on_deadline(MonotonicNs now);
  /// The line was lost. The scan that it cut, where there is one.
  std::optional<Scan> cut();

 private:
  std::string prefix_, suffix_, bytes_;
  MonotonicNs silence_, heard_ns_ = 0;
  bool passes_over_ = false;  // too long: up to the next suffix or silence
};

}  // namespace datum

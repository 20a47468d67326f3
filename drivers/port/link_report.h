// Health report of a link, for status, registers and PLCs.
#pragma once

#include <optional>
#include <string>

#include "drivers/frame/height_frame.h"
#include "drivers/port/reconnector.h"

namespace datum {

struct LinkReport {
  std::string name;  // its name in the configuration: "sensor", "cmm", "host.tcp"
  std::string kind;  // "gocator", "file_drop", "grbl_1_1"
  std::string peer;  // "tcp 192.168.1.10:3190", "serial /dev/serial/by-id/... 115200 8N1"
  LinkState state = LinkState::closed;
  std::string trouble;  // why it is unusable at this moment; empty: it is usable
  LinkRecord record;
  std::optional<MonotonicNs> delivered_ns;  // arrival of the last frame or position, good or not
  std::optional<ClockOffset> clock;         // of a sensor with its own clock
};

/// The part of the report that a Reconnector knows.
LinkReport report_of(const Reconnector& link, const std::string& name, const std::string& kind);

/// An object with a link.
class LinkStatusProvider {
 public:
  virtual ~LinkStatusProvider() = default;
  /// None: no link of its own.
  virtual std::optional<LinkReport> report(MonotonicNs) const { return std::nullopt; }
};

}  // namespace datum

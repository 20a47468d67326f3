// How a link fares, for whoever asks: status, registers, PLCs.
#pragma once

#include <optional>
#include <string>

#include "drivers/frame/height_frame.h"
#include "drivers/port/reconnector.h"

namespace datum {

struct LinkReport {
  std::string name;  // what it is to the cell: "sensor", "cmm", "host.tcp", as the configuration names it
  std::string kind;  // "gocator", "file_drop", "grbl_1_1"
  std::string peer;  // "tcp 192.168.1.10:3190", "serial /dev/serial/by-id/... 115200 8N1"
  LinkState state = LinkState::closed;
  std::string trouble;  // why it is of no use at this moment; empty: it is
  LinkRecord record;
  std::optional<MonotonicNs> delivered_ns;  // when the last frame or position came, good or not
  std::optional<ClockOffset> clock;         // of a sensor with a clock of its own
};

/// What a keeper knows of its link.
LinkReport report_of(const Reconnector& link, const std::string& name, const std::string& kind);

/// Whoever has a link.
class LinkStatusProvider {
 public:
  virtual ~LinkStatusProvider() = default;
  /// None: it has no link of its own.
  virtual std::optional<LinkReport> report(MonotonicNs) const { return std::nullopt; }
};

}  // namespace datum

// DIAGnostic:LINKs:TABLe? as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "daemon/ctl/scpi_client.h"

namespace datum {

struct LinkRow {
  std::string name, kind, peer;
  std::string state;    // CLOSED, CONNECTING, OPEN, REFUSED
  std::string trouble;  // present fault; empty: none
  std::optional<double> since_s;
  std::uint64_t opened = 0, lost = 0, attempts = 0;
  std::optional<double> heard_s, delivered_s;  // ago
  std::optional<double> clock_offset_s;        // clock of the host less clock of the sensor
  std::optional<double> clock_uncertainty_us;
  std::string last_error;
  std::optional<double> last_error_s;  // ago
};

/// Throws RefusedCommand, std::runtime_error for another form of the answer, and as ScpiClient::send does.
std::vector<LinkRow> links_of(ScpiClient& host);
/// "OPEN since 12.0 s, last frame or position 0.4 s ago, ..."; one line.
std::string link_text(const LinkRow& link);
nlohmann::ordered_json link_json(const LinkRow& link);

}  // namespace datum

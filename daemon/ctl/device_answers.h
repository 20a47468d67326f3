// Answers about devices and the daemon's state, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "daemon/ctl/scpi_client.h"

namespace datum {

/// Fields of DIAGnostic:POSition?: state, x, y, z in mm, detail.
std::string position_text(const std::vector<std::string>& answer);
nlohmann::ordered_json position_json(const std::vector<std::string>& answer);

struct SelfTest {
  std::vector<std::string> failures;
};
/// Executes *TST? and takes its failures from the error queue. Throws RefusedCommand, and as ScpiClient::send does.
SelfTest self_test_of(ScpiClient& host);
/// "passed", or one line per failure.
std::string self_test_text(const SelfTest& test);
nlohmann::ordered_json self_test_json(const SelfTest& test);

}  // namespace datum

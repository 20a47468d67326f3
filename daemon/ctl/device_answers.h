// What the daemon says of its devices and of itself, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "daemon/ctl/scpi_client.h"

namespace datum {

/// Fields of DIAGnostic:POSition?: state, x, y, z in mm, words.
std::string position_text(const std::vector<std::string>& answer);
nlohmann::ordered_json position_json(const std::vector<std::string>& answer);

struct SelfTest {
  std::vector<std::string> failures;
};
/// *TST?, its failures taken out of the error queue. Throws RefusedCommand, and as ScpiClient::send does.
SelfTest self_test_of(ScpiClient& host);
/// "passed", or a line per failure.
std::string self_test_text(const SelfTest& test);
nlohmann::ordered_json self_test_json(const SelfTest& test);

}  // namespace datum

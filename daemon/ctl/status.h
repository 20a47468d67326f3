// The daemon's state, as datumctl status shows it.
#pragma once

#include <string>

#include "daemon/ctl/scpi_client.h"

namespace datum {

struct StatusForm {
  bool json = false, colour = false;
};
/// A table, or JSON with units in its keys. Throws RefusedCommand, and as ScpiClient::send does.
std::string status_report(ScpiClient& host, const StatusForm& form);

}  // namespace datum

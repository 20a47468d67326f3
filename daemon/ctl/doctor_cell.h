// The doctor's checks of one cell: its configuration, its store, and the faults of its computer.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/doctor.h"

namespace datum::doctor {

/// `service`: checks for the account of the systemd unit instead of the caller's. Throws nothing for faults of the cell.
std::vector<Finding> examine_cell(const std::string& config, bool service);

/// Checks that the store is readable and its pages are consistent; reads the whole file and changes nothing.
std::vector<Finding> examine_store(const std::filesystem::path& store);

/// Checks certificates, key and revocation list of [host.tcp.tls] with the caller's permissions; empty without that
/// table.
std::vector<Finding> examine_tls(const DaemonConfig& config, std::int64_t now_utc_s);

/// Images of a drop folder that lie there for a minute without a sidecar; empty: none do.
std::vector<Finding> examine_drop(const std::filesystem::path& folder, std::int64_t now_utc_s);

/// Checks the state of the systemd unit; empty without systemd. `properties`: output of systemctl show, "NAME=VALUE"
/// lines.
std::vector<Finding> examine_unit(const std::string& unit, const std::string& properties);

}  // namespace datum::doctor

// The doctor's look at one cell: its configuration, its store, and what its computer lacks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/doctor.h"

namespace datum::doctor {

/// `service`: for the systemd unit in place of whoever calls. Throws nothing for what is wrong with the cell.
std::vector<Finding> examine_cell(const std::string& config, bool service);

/// Whether the store can be read and its pages hold together; reads all of it, which changes nothing.
std::vector<Finding> examine_store(const std::filesystem::path& store);

/// Certificates, key and list of revoked ones of [host.tcp.tls], read by whoever calls; nothing where there is no such table.
std::vector<Finding> examine_tls(const DaemonConfig& config, std::int64_t now_utc_s);

/// As the service manager sees datumd; nothing where there is none. `properties`: of systemctl show, "NAME=VALUE" a line.
std::vector<Finding> examine_unit(const std::string& unit, const std::string& properties);

}  // namespace datum::doctor

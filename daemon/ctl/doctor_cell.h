// The doctor's look at one cell: its configuration, its store, and what its computer lacks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/ctl/doctor.h"

namespace datum::doctor {

/// `service`: for the systemd unit in place of whoever calls. Throws nothing for what is wrong with the cell.
std::vector<Finding> examine_cell(const std::string& config, bool service);

/// Whether the store can be read and its pages hold together; reads all of it, which changes nothing.
std::vector<Finding> examine_store(const std::filesystem::path& store);

/// As the service manager sees datumd; nothing where there is none. `properties`: of systemctl show, "NAME=VALUE" a line.
std::vector<Finding> examine_unit(const std::string& unit, const std::string& properties);

}  // namespace datum::doctor

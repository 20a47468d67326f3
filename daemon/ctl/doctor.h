// datumctl doctor: faults of the computer that hinder a cell, and their remedies. Pure functions of a view of the system;
// nothing is changed.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/ctl/doctor_system.h"

namespace datum::doctor {

enum class State : std::uint8_t {
  good,
  doubtful,  // may work; check it
  bad,
};
const char* name_of(State state);  // "good", "doubtful", "BAD"

struct Finding {
  std::string check;  // "serial port", "socket buffer" ...
  std::string found;
  State state = State::good;
  std::string run;  // command that repairs it; empty: none
};

/// Demands of a cell on its computer, from its configuration.
struct Needs {
  struct Listener {
    std::string key, address;
    int port = 0;
  };
  struct SerialLine {
    std::string key, path;
  };
  std::optional<std::string> sensor_address;  // numeric address of a network sensor
  bool camera = false;                        // the sensor sends GigE Vision packets
  int packet_size = 0;                        // bytes; 0: largest size that passes
  std::int64_t socket_buffer_bytes = 0;
  std::vector<SerialLine> serial_lines;
  std::vector<Listener> listeners;
  std::vector<std::string> written_folders;  // of the store: it must exist
  std::vector<std::string> made_folders;     // of pictures and frames: datumd makes them
  bool demands_gpu = false, takes_gpu = true;
};

/// All checks in the order of their presentation.
std::vector<Finding> examine(const Needs& needs, const System& system);

/// The checks by subject.
void examine_network(const Needs& needs, const System& system, std::vector<Finding>& findings);
void examine_serial_lines(const Needs& needs, const System& system, std::vector<Finding>& findings);
void examine_listeners(const Needs& needs, const System& system, std::vector<Finding>& findings);
void examine_gpu(const Needs& needs, const System& system, std::vector<Finding>& findings);
void examine_folders(const Needs& needs, const System& system, std::vector<Finding>& findings);
void examine_clock(const System& system, std::vector<Finding>& findings);

/// Checks and findings; the remedy is a line of its own.
std::string shown(const std::vector<Finding>& findings);
nlohmann::ordered_json as_json(const std::vector<Finding>& findings);
bool any_bad(const std::vector<Finding>& findings);

}  // namespace datum::doctor

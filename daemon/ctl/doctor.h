// datumctl doctor: what of the computer stands in the way of a cell, and what mends it. Pure functions over a view of the
// system; nothing is changed.
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
  doubtful,  // it may work; worth a look
  bad,
};
const char* name_of(State state);  // "good", "doubtful", "BAD"

struct Finding {
  std::string check;  // "serial port", "socket buffer" ...
  std::string found;
  State state = State::good;
  std::string run;  // the command that mends it; empty: nothing is to be run
};

/// What a cell needs of its computer, as its configuration says.
struct Needs {
  struct Listener {
    std::string key, address;
    int port = 0;
  };
  struct SerialLine {
    std::string key, path;
  };
  std::optional<std::string> sensor_address;  // numeric; of a sensor on the network
  bool camera = false;                        // which sends GigE Vision packets
  int packet_size = 0;                        // bytes; 0: as large as gets through
  std::int64_t socket_buffer_bytes = 0;
  std::vector<SerialLine> serial_lines;
  std::vector<Listener> listeners;
  std::vector<std::string> written_folders;  // of the store, of pictures ...
  bool demands_gpu = false, takes_gpu = true;
};

/// All checks, in the order in which they are shown.
std::vector<Finding> examine(const Needs& needs, const System& system);

/// Its parts.
void examine_network(const Needs& needs, const System& system, std::vector<Finding>& findings);
void examine_serial_lines(const Needs& needs, const System& system, std::vector<Finding>& findings);
void examine_listeners(const Needs& needs, const System& system, std::vector<Finding>& findings);
void examine_gpu(const Needs& needs, const System& system, std::vector<Finding>& findings);
void examine_folders(const Needs& needs, const System& system, std::vector<Finding>& findings);
void examine_clock(const System& system, std::vector<Finding>& findings);

/// A check, what was found, and on a line of its own what to run.
std::string shown(const std::vector<Finding>& findings);
nlohmann::ordered_json as_json(const std::vector<Finding>& findings);
bool any_bad(const std::vector<Finding>& findings);

}  // namespace datum::doctor

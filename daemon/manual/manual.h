// Manual pages of protocols: written text (systemd/datumd-*.7.in) whose tables come from the product's own.
//
// A marker is NAME in capitals between two @. datumd-protocol.7.in has COMMANDS and ERRORS of the command protocol,
// datumd-reasons.7.in REASONS, datumd-frames.7.in SIDECAR_KEYS and HEIGHT_FORMATS, datumd-modbus.7.in the registers; limits stand as numbers in the text.
#pragma once

#include <string>

namespace datum::manual {

/// The page (roff, macros of man(7)) with each marker replaced. Throws std::runtime_error that names a marker without a value.
std::string filled(const std::string& page, const std::string& version);

/// Items of roff, one for each command, error, reason, key of a sidecar, format of a height file.
std::string commands();
std::string errors();
std::string reasons();
std::string sidecar_keys();
std::string formats_of_heights();

}  // namespace datum::manual

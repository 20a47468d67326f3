// Presets: what each family of devices speaks. The link's path or host is left empty for the configuration to
// fill.
#pragma once

#include <string>
#include <vector>

#include "drivers/cmm/settings.h"

namespace datum {

/// Heidenhain ND 221B/231B/281B/287: Ctrl-B is answered by sign, 10-character number, blank, unit, sort
/// status, series letter, CR LF; 9600 7E2. One line per axis, in the order of `axes`.
CmmSettings heidenhain_nd28x();
/// Mitutoyo MUX-10: "01A+0000.123" CR, channels 1 to 3 are X to Z; 9600 8N1, sends when its data buttons or
/// foot switch are used. Three decimals are mm: other resolutions need number.decimals.
CmmSettings mitutoyo_mux10();
/// Acu-Rite VRO: "?A1" CR is answered by "X= -123.4567 mm" CR; 9600 8N1. Axes are asked one by one.
CmmSettings acurite_vro();
/// GRBL 1.1: '?' is answered by a status report; 115200 8N1. The unit is read from $13.
CmmSettings grbl_1_1();
/// I++ DME (VDMA 8722): a session over TCP, port 1294 by default; X, Y, Z in mm, touches by PtMeas.
CmmSettings ipp_dme();

/// Throws RefusedError that lists the presets.
CmmSettings preset_by_name(const std::string& name);
std::vector<std::string> preset_names();
/// Those that CmmReader reads: all but the sessions of I++ DME.
std::vector<std::string> line_preset_names();

}  // namespace datum

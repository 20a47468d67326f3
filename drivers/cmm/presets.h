// Presets: settings of each family of devices. Path or host of the link remain empty.
#pragma once

#include <string>
#include <vector>

#include "drivers/cmm/settings.h"

namespace datum {

/// Heidenhain ND 221B/231B/281B/287: Ctrl-B is answered by sign, 10-character number, blank, unit, sort
/// status, series letter, CR LF; 9600 7E2. One line per axis, in the order of `axes`.
CmmSettings heidenhain_nd28x();
/// The same family polled by ESC A0200 CR: STX, sign, nine digits without point, CR LF.
/// number.implied_decimals must be stated as set in the display.
CmmSettings heidenhain_nd28x_remote();
/// Heidenhain ND 720/760: Ctrl-B is answered by one line per axis after one STX, as in heidenhain_nd28x_remote;
/// 9600 7E2.
CmmSettings heidenhain_nd700();
/// Heidenhain ND 522/523: Ctrl-B is answered by "X=+41.29 R" CR LF for each axis; a serial line over USB.
/// Diameters and distances to go are refused.
CmmSettings heidenhain_nd52x();
/// Mitutoyo MUX-10: "01A+0000.123" CR, channels 1 to 3 are X to Z; 9600 8N1, sends when its data buttons or
/// foot switch are used. Three decimals are mm: other resolutions need number.decimals.
CmmSettings mitutoyo_mux10();
/// Acu-Rite VRO: "?A1" CR is answered by "X= -123.4567 mm" CR; 9600 8N1. Axes are polled one by one.
CmmSettings acurite_vro();
/// Magnescale LT10A, LT20, MG80: "00NMG-09.9999" CR LF: channel, mode, M mm or I inch, judgement, number;
/// channels 00 to 02 are X to Z; 9600 8N1. A held minimum or maximum is refused.
CmmSettings magnescale();
/// CDI dial indicator on Z: sign, eight digits, blank, comma, unit, CR LF; 9600 8N1. number.implied_decimals
/// and the positions of X and Y must be stated.
CmmSettings cdi_indicator();
/// ProScale: "5.637 IN 3" CR LF: value, unit, channel; channels 1 to 3 are X to Z; 9600 8N1. Nothing precedes
/// the number, so a stray digit changes its value: state the axes' limits.
CmmSettings proscale();
/// MUX2/4: "1 MW+003.4665 inch" CR LF; channels 1 to 3 are X to Z; 9600 8N1.
CmmSettings mux4();
/// Marlin: M400 waits for the end of motion, M114 is answered by "X:10.00 Y:20.00 Z:30.00 E:0.00 Count ...";
/// 115200 8N1. It does not report homing: watch.max_speed_mm_per_s detects a lost position.
CmmSettings marlin();
/// GRBL 1.1: '?' is answered by a status report; 115200 8N1. The unit is read from $13.
CmmSettings grbl_1_1();
/// I++ DME (VDMA 8722): a session over TCP, port 1294 by default; X, Y, Z in mm, touches by PtMeas.
CmmSettings ipp_dme();

/// Throws RefusedError that lists the presets.
CmmSettings preset_by_name(const std::string& name);
std::vector<std::string> preset_names();
/// Presets that CmmReader reads: all except I++ DME sessions.
std::vector<std::string> line_preset_names();

}  // namespace datum

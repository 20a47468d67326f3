// CmmSettings: all settings of a line-based CMM, DRO or gantry. Plain values; presets fill them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "drivers/frame/probe_point.h"
#include "drivers/port/port.h"

namespace datum {

/// A machine's own axes, in the order of its coordinates; A, B, C are angles of the head that carries the sensor.
inline constexpr const char* machine_axes = "XYZABC";

/// Framing of bytes into lines: by terminator, or, where that is empty, by fixed_length or gap_ms.
struct LineFraming {
  std::string terminator = "\r\n";  // one or two bytes
  std::optional<char> start;        // bytes before it are discarded; stripped (STX, '<')
  bool optional_stx = false;        // a leading STX (0x02) is stripped if present
  std::size_t max_length = 128;     // without terminator; a longer line is dropped up to the next terminator
  bool mask_bit7 = false;           // 7-bit line read as 8 bits: bit 7 is parity
  std::optional<char> end{};        // ends the text (ETX); check digits behind it cover it too
  std::size_t fixed_length = 0;     // bytes of each line after `start`; 0: a terminator ends it
  int gap_ms = 0;                   // a pause of this length ends a line; 0: a terminator does
};

/// Check digits at the end of the line, over the text between `start` and them.
enum class Integrity : std::uint8_t {
  none,
  xor_hex,           // two hexadecimal digits: exclusive or
  sum8_hex,          // sum modulo 256 (ASTM E1381)
  lrc_hex,           // its two's complement (Modbus ASCII)
  crc16_modbus_hex,  // four digits, high byte first: polynomial 0xA001 reflected, from 0xFFFF
  crc16_ccitt_hex,   // polynomial 0x1021, from 0xFFFF
  nmea,              // exclusive or of the text between '$' and '*'
  xor_byte,          // one byte, of any value, after the terminator and over it: STX text ETX BCC
};

/// One column of a fixed-column line.
struct Column {
  enum class Is : std::uint8_t {
    literal,
    label,
    sign,
    number,
    blank,
    unit,
    unit_letter,  // M mm, I inch
    sort_status,
    series,
    one_of,  // a letter that must be one of `text`; others mark a fault of the device
  };
  Is is = Is::blank;
  std::size_t width = 1;
  std::string text{};  // of a literal, of one_of
};

enum class Layout : std::uint8_t {
  columns,     // fixed columns: "+   123.4567   A"
  labelled,    // "X= -123.4567 mm", one or several per line
  positional,  // "12.000, -3.500, 0.250": the order of `axes`
  expression,  // a regular expression with named groups, for other layouts
  grbl,        // "<Idle|MPos:1.000,2.000,3.000|WCO:0.000,0.000,0.000>" and push messages
  ipp_dme,     // a session of I++ DME instead of lines, see drivers/ipp
};

enum class Grouping : std::uint8_t {
  single_line,  // a line carries every axis
  by_order,     // one line per axis, in the order of `axes`
  by_label,     // one line per axis, identified by its label
};

enum class LengthUnit : std::uint8_t { mm, inch };
/// The unit on the line. It is compared with `unit` and never converts.
enum class UnitToken : std::uint8_t { none, blank_is_mm, required };

struct NumberFormat {
  std::optional<int> decimals;          // exact number of digits after the point; a mismatch is a unit fault
  std::optional<int> implied_decimals;  // decimals of a number without point
  char point = '.';
  std::optional<char> group{};  // "1 234.567": separator of groups of three digits, where they are grouped
  bool exponent = false;        // "1.25E+01"
  bool pointless = false;       // the device sends no point: implied_decimals must be stated, without default
};

/// A text that marks a line as no position.
struct StatusToken {
  std::string text;
  bool prefix = false;  // at the start of the line; otherwise anywhere
  ProbeState state = ProbeState::device_error;
  bool whole = false;   // the line consists of this text
  bool ignore = false;  // the line has no meaning and is no fault: "ok"
};

/// Machine axis of an axis on the line that the cell does not use: a turntable, an extruder.
constexpr int no_machine_axis = -1;

/// Machine axis of a head's first angle, A.
constexpr int first_head_axis = 3;

/// One axis as named by the device. Machine position in mm = sign * scale * (value in mm) + offset_mm; of A, B, C all in degrees.
struct AxisSettings {
  std::string label;     // "X"; case-insensitive
  int machine_axis = 0;  // 0 X, 1 Y, 2 Z, 3 A, 4 B, 5 C, or no_machine_axis
  bool reversed = false;
  double scale = 1;
  double offset_mm = 0;
  double min_mm = -1e6, max_mm = 1e6;  // limits of the machine position; beyond them out_of_range
  /// Limits of the displayed value in its own unit: a turntable that must be at 0.
  std::optional<double> min_shown{}, max_shown{};

  bool moves_stage() const { return machine_axis >= 0 && machine_axis < first_head_axis; }
  bool turns_head() const { return machine_axis >= first_head_axis; }
};

/// Plausibility of positions beyond their limits. 0: not checked.
struct WatchSettings {
  /// Largest plausible speed since the previous position; beyond it the display was zeroed, preset or
  /// misread. No position is used from then on until an operator confirms the reference.
  double max_speed_mm_per_s = 0;
  int frozen_samples = 0;  // this number of exactly equal positions is stale; for scales whose readings show
                           // noise
  int first_samples = 0;   // this number of first positions after opening the link is not used
};

/// Empty `strings`: the device sends unsolicited. Otherwise the strings are sent one after the other, each
/// after the answer to the one before; the axes of one round form one position.
struct PollSettings {
  std::vector<std::string> strings;
  int period_ms = 200;
  int timeout_ms = 500;  // for one round
  /// Bytes by which the device accepts (0x06) or rejects (0x15) a string, outside of any line. With
  /// `accepted` the next string waits for it, or for an answer.
  std::optional<char> accepted{}, rejected{};
};

struct TcpSettings {
  std::string host;
  std::uint16_t port = 0;
};

/// Indication of a touch by the device.
enum class TouchRule : std::uint8_t {
  stand_still,  // none: the operator reports it, and positions must be at rest
  latched,      // the position of that instant, unsolicited: [PRB:...] of GRBL, the ND 28x's output by
                // contact or print key, the MUX-10's by data button or foot switch
};

/// Stop-and-stare: limits of the two positions around a frame.
struct PairSettings {
  /// Largest distance between the positions before and after. Two readings at rest differ by a count per
  /// axis: 1.7 um over three axes of 1 um, 4.4 um of 0.0001 in. 5 um covers both.
  double tolerance_um = 5;
  /// The same of a head's angles, each: two counts of 0.001 degrees.
  double head_tolerance_deg = 0.002;
  int window_ms = 5000;            // from either position to the farthest possible instant of the exposure
  int position_timeout_ms = 1500;  // for a requested position
  int frame_timeout_ms = 5000;     // from the position before to the frame's arrival
  int latency_ms = 0;              // free-running device: largest age of the position at its first byte
};

/// Limits of commanded motion. Machine coordinates; nobody is within the machine's reach.
struct ProbeMotionSettings {
  double speed_mm_s = 0;                     // along a free path
  double probing_speed_mm_s = 0;             // until contact
  std::array<double, 3> min_mm{}, max_mm{};  // box that the probe's tip never leaves
  double most_mm = 100;                      // of one move
  double arrival_um = 100;                   // largest distance from the target, by the read position
  int timeout_ms = 60'000;                   // for one move; then the machine is stopped
};

/// I++ DME: active state of the controller in which its X, Y, Z are this cell's machine coordinates. They
/// include the active tool's offset and refer to the active coordinate system.
struct IppSettings {
  std::string coordinate_system = "MachineCsy";  // or MoveableMachineCsy, MultipleArmCsy, PartCsy
  std::string tool;                              // its name
  /// X0, Y0, Z0 in mm, theta, psi, phi in degrees, as in GetCsyTransformation. None: an operator confirms the
  /// reported one after each start of the daemon and each change. MachineCsy has none.
  std::optional<std::array<double, 6>> transformation;
  int watchdog_ms = 2000;               // period of the error status request; two without answer: link lost
  std::optional<double> move_report_s;  // OnMoveReportE's period; none: only polls
  double move_report_mm = 5;            // and its distance
  std::optional<ProbeMotionSettings> motion{};  // none: nothing is ever moved
};

struct CmmSettings {
  std::string preset;  // its name, for status and log
  std::variant<SerialSettings, TcpSettings> link;
  LineFraming framing;
  Integrity integrity = Integrity::none;
  Layout layout = Layout::positional;
  std::vector<Column> columns;       // Layout::columns
  std::string delimiters = ", \t;";  // Layout::positional
  /// Layout::expression: PCRE2, of the whole line. A group named as an axis is its value, or `label` and
  /// `value` form one axis; `unit` is compared with the configured one.
  std::string expression{};
  Grouping grouping = Grouping::single_line;
  /// Largest time between the axes of one position; shorter than a free stream's period.
  int group_window_ms = 100;
  NumberFormat number;
  LengthUnit unit = LengthUnit::mm;
  UnitToken unit_token = UnitToken::none;
  bool device_tells_unit = false;  // GRBL: no position is used before $13 was read and agrees with `unit`
  std::string setup;  // sent with each poll until the device has reported the missing settings ("$$\n$I\n")
  std::vector<StatusToken> status_tokens;
  std::vector<AxisSettings> axes;  // on the line, in its order; 1 to 6
  /// Positions of machine axes that the device does not measure.
  std::array<std::optional<double>, 3> fixed_mm;
  PollSettings poll;
  int max_age_ms = 1000;  // an older position is stale
  WatchSettings watch;
  TouchRule touch = TouchRule::stand_still;
  PairSettings pairing;
  IppSettings ipp;                                   // Layout::ipp_dme
  std::optional<ProbeMotionSettings> grbl_motion{};  // Layout::grbl; none: nothing is ever moved
};

/// The device states angles of the head.
bool has_head(const CmmSettings& settings);

/// Throws RefusedError that states the setting, its value and the allowed range.
void check(const CmmSettings& settings);

/// "serial /dev/ttyUSB0 9600 7E2" as the port's description.
std::unique_ptr<Port> open_link(const CmmSettings& settings);

}  // namespace datum

namespace datum::config {

class TomlTable;

/// A preset with the table's changes, or all settings with preset = "custom". Throws ConfigError, also where
/// check(CmmSettings) refuses.
CmmSettings read_cmm(TomlTable table);

}  // namespace datum::config

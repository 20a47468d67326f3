// Results as a Gocator sensor writes them in its ASCII protocol, for hosts that read those.
//
//   M<type>,<id>,V<value>,D<decision>, one after the other for every measurement, ended by the terminator
//
// <id> 0 is the board: its value counts the results of this store (modulo 10^9), so that a host which reads it sees a line
// that was lost. From 1 on the checks of the recipe in its order, the rows of FETCh:COMPonents?; an id stays what it is as
// long as the recipe's file does. <type>, two hex digits: 00 the board, else 1 + Characteristic.
// <value>: a whole number of um, of mdeg for a tilt, of permille for a presence, of 0.001 % for bow and twist: the
// thousandth of mm, degree, 1 and percent that a Gocator host expects. <decision>: 1 pass; 0 fail, also INCONCLUSIVE; 2 invalid, with the invalid text as its value. That is
// the bit mask of the manuals of the 2300 and 3000 families: sensors of the 2000 family wrote 0 for pass.
//
// There is no checksum and no acknowledgement here: what a line loses or damages is not found out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

struct GocatorSettings {
  bool asynchronous = true;         // results go out unasked; false: a host asks by Result
  std::string delimiter = ",";      // one character
  std::string terminator = "\r\n";  // one or two
  std::string invalid = "INVALID";
  std::string format;  // of unasked results and of Result without ids; empty: the line above
};

struct GocatorMeasurement {
  int type = 0, id = 0;
  std::optional<std::int64_t> value;  // none: invalid
  int decision = 2;
};

/// The board's and all checks', by id.
std::vector<GocatorMeasurement> gocator_measurements(const BoardVerdict& verdict);

/// Values, decisions or both of these, without terminator.
enum class GocatorParts : std::uint8_t { values, decisions, both };
std::string gocator_line(const std::vector<GocatorMeasurement>& measurements, const GocatorSettings& settings,
                         GocatorParts parts = GocatorParts::both);

/// Replaces %time (us since 1970 UTC), %frame (sequence), %encoder (0), %value[id], %decision[id] and %% in `format`. An id
/// that the result does not have is invalid.
std::string gocator_custom(const BoardVerdict& verdict, const std::string& format,
                           const GocatorSettings& settings);

/// What goes out for a result: `format`, or the line above where it is empty; without terminator.
std::string gocator_result(const BoardVerdict& verdict, const GocatorSettings& settings);

}  // namespace datum

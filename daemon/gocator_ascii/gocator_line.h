// Results in the ASCII protocol of Gocator sensors.
//
//   M<type>,<id>,V<value>,D<decision>, one after the other for every measurement, ended by the terminator
//
// <id> 0 is the board; its value counts the results of this store (modulo 10^9), so that a host detects a lost line. Ids
// from 1 on are the checks of the recipe in its order, the rows of FETCh:COMPonents?. An id stays the same as long as the
// recipe's file does. <type>, two hex digits: 00 the board, else 1 + Characteristic. <value>: a whole number of um, mdeg
// for a tilt, permille for a presence, 0.001 % for bow and twist: the thousandth of mm, degree, 1 and percent that a
// Gocator host expects. <decision>: 1 pass; 0 fail, also INCONCLUSIVE; 2 invalid, with the invalid text as value. This is
// the bit mask in the user manuals of the Gocator 2300 and 3000 series; sensors of the 2000 series send 0 for pass.
//
// The protocol has no checksum and no acknowledgement: a lost or damaged line is not detected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

struct GocatorSettings {
  bool asynchronous = true;         // true: results are sent unasked; false: a host requests them by Result
  std::string delimiter = ",";      // one character
  std::string terminator = "\r\n";  // one or two
  std::string invalid = "INVALID";
  std::string format;  // format of unasked results and of Result without ids; empty: the line above
};

struct GocatorMeasurement {
  int type = 0, id = 0;
  std::optional<std::int64_t> value;  // none: invalid
  int decision = 2;
};

/// Measurements of the board and of all checks, by id.
std::vector<GocatorMeasurement> gocator_measurements(const BoardVerdict& verdict);

/// Fields in a line without terminator.
enum class GocatorParts : std::uint8_t { values, decisions, both };
std::string gocator_line(const std::vector<GocatorMeasurement>& measurements, const GocatorSettings& settings,
                         GocatorParts parts = GocatorParts::both);

/// Replaces %time (us since 1970 UTC), %frame (sequence), %encoder (0), %value[id], %decision[id] and %% in `format`. An
/// id that is not in the result is invalid.
std::string gocator_custom(const BoardVerdict& verdict, const std::string& format,
                           const GocatorSettings& settings);

/// The text of a result: `format`, or the line above where it is empty; without terminator.
std::string gocator_result(const BoardVerdict& verdict, const GocatorSettings& settings);

}  // namespace datum

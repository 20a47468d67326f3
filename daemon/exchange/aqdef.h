// Results in the Q-DAS ASCII transfer format (AQDEF), a DFQ file in the form of K keys: a part, its characteristics, then a set
// of values a board. Lines end with CR LF; the text is ASCII.
//
// Part: the recipe (K1001, K1002 its name, K1004 the first digits of its SHA-256). Characteristic: a component's requirement,
// "U7 median" (K2002, and K2001 where its 20 characters suffice, else a running number), nominal and limits (K2101, K2110,
// K2111), unit (K2142). Value: K0001 in the characteristic's unit, K0002 0; where INVALID, or absent because the board is, an
// empty K0001 with K0002 255, never a number. K0004 is UTC, which the format can't say; K0014 the board's serial number; K0009
// the verdict, its reason, the number of the result and its time with all digits.
//
// A byte that is not printable ASCII, and '%', is written as %XX: a serial number can't begin a line of its own. A text is
// never cut.
#pragma once

#include <string>

#include "daemon/exchange/characteristics.h"

namespace datum {

class AqdefFile {
 public:
  /// First pass, each result of the file. Throws std::invalid_argument where it is of another recipe text than the first.
  void describe(const BoardVerdict& verdict);
  /// K0100 and the keys of part and characteristics. Throws std::invalid_argument where nothing was measured, and where a
  /// name is longer than its key permits.
  std::string description() const;
  /// The set of values of a result that was described.
  std::string values(const BoardVerdict& verdict) const;

 private:
  CharacteristicTable table_{"a DFQ file"};
};

}  // namespace datum

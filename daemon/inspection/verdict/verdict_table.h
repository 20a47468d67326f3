// A board's verdict as a table for a terminal.
#pragma once

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/text/table.h"

namespace datum {

Ink ink_of(Decision decision);  // PASS green, INCONCLUSIVE yellow, FAIL red, INVALID magenta

/// Of a panel: a table of its boards with serial number, verdict, registration and mark, and a blank line; else empty.
std::string boards_text(const BoardVerdict& verdict, bool colour);

/// One row per component with a defect's word: the word and its detail. Then one row per check: reference, characteristic, value, U (k = 2), unit, lower, upper, verdict, reason and
/// detail.
Table component_table(const BoardVerdict& verdict);

}  // namespace datum

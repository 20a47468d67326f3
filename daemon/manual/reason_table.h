// What each reason of an INVALID result means, the key that governs it, its usual causes and what to do: datumd-reasons(7) is
// made of it.
#pragma once

#include <span>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

struct ReasonRow {
  Reason reason;
  const char* meaning;
  const char* keys;   // and the file that they stand in; "none"
  const char* cause;  // what makes it, the usual first
  const char* remedy;
};
/// Every reason but none, once.
std::span<const ReasonRow> reason_table();

}  // namespace datum

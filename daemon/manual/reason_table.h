// Meaning, governing key, usual causes and remedy of each reason of an INVALID result, for datumd-reasons(7).
#pragma once

#include <span>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

struct ReasonRow {
  Reason reason;
  const char* meaning;
  const char* keys;   // with the file of the keys; "none"
  const char* cause;  // the most usual cause first
  const char* remedy;
};
/// Every reason except none, once.
std::span<const ReasonRow> reason_table();

}  // namespace datum

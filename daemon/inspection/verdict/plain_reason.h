// Why a board did not pass, as an inspector says it.
#pragma once

#include <string>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// "C2 missing, U3 tilted 1.38 of 0.80 degrees, L1 149 um below its limit": of a FAIL its failed components, of an INVALID the
/// ones that were not measured and then the failed ones, of an INCONCLUSIVE those that were not decided; at most five, then the
/// number of others. From the checks' values and limits alone, so that a result of any age reads the same. A component is
/// missing where is_missing (fault_text.h) says so of a check. Empty for PASS.
std::string plain_reason(const BoardVerdict& verdict);

/// The same of one component, without its reference: "missing", "tilted 1.38 of 0.80 degrees and 12 um below its limit".
std::string plain_reason(const ComponentVerdict& component);

}  // namespace datum

// What datumctl prints of stored results.
#pragma once

#include <string>
#include <vector>

#include "daemon/store/result_store.h"

namespace datum {

/// A line per result: sequence, time, unit, recipe, decision, frame, reason.
std::string results_text(const std::vector<StoredResult>& results, bool colour);
/// The same as one JSON array of the stored verdicts.
std::string results_json(const std::vector<StoredResult>& results);

/// What an operator wants of a board that was just measured: decision and components.
std::string verdict_text(const BoardVerdict& verdict, bool colour);

/// The whole of one board: decision, components, evidence of the floors, pose, identities.
std::string board_text(const BoardVerdict& verdict, bool colour);

/// The text, or "-" for none.
inline std::string or_none(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace datum

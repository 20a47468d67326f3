// Text and JSON of stored results for datumctl.
#pragma once

#include <string>
#include <vector>

#include "daemon/metrics/board_times.h"
#include "daemon/store/result_store.h"

namespace datum {

/// One line per result: sequence number, time, unit, recipe, decision, frame, reason.
std::string results_text(const std::vector<StoredResult>& results, bool colour);
/// One JSON array of the stored verdicts.
std::string results_json(const std::vector<StoredResult>& results);

/// Decision and components of the last measured board.
std::string verdict_text(const BoardVerdict& verdict, bool colour);

/// One board in full: decision, components, evidence of the floors, pose, identities.
std::string board_text(const BoardVerdict& verdict, bool colour);

/// Each step on the board's way with its time in ms and its share.
std::string times_text(const std::vector<BoardStep>& steps, bool colour);

/// The text, or "-" for none.
inline std::string or_none(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace datum

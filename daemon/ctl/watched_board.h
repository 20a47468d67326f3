// What `datumctl watch` asks of each result: its unit, and why it did not pass. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/ctl/watch_link.h"

namespace datum {

/// The first answer of the line that answers board_question.
std::string board_mark(std::uint64_t sequence);
/// A line of queries: mark, FETCh:BOARd?, and FETCh:COMPonents? of a result that did not pass.
std::string board_question(const ResultLine& result);
/// From the answers, split; none: the result is not stored, or the answers are not those.
std::optional<WatchedBoard> watched_board(const std::vector<std::string>& answers);

}  // namespace datum

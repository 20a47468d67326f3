// A stored result as a page reads it: also one that a newer datumd made, as far as this program knows its words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/store/result_store.h"

namespace datum {

struct ReadResult {
  std::optional<BoardVerdict> verdict;  // none: the text can't be read
  std::string fault;                    // why not
  std::vector<std::string> left_out;    // what this program does not know, and does not show
};

/// Strictly where that is possible, else leniently (known_verdict). Throws nothing but std::bad_alloc.
ReadResult read_result(const StoredResult& result);

}  // namespace datum

// Evidence in the files beside a store for the completeness of its newest results, which the chain alone cannot show.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/store/chain_check.h"
#include "daemon/store/store_mark.h"

namespace datum {

struct StoreStanding {
  std::string vouched;  // evidence that no result is missing at the end; empty: none
  std::string fault;    // evidence that results are missing
  std::string unknown;  // unanswered questions and their cause
  bool enough = true;   // false: evidence that this schema should have is absent
};

/// `mark` must be read before the chain: a concurrent daemon is then ahead of it, never behind. Throws StoreError.
StoreStanding standing_of(const std::filesystem::path& store, const std::optional<Mark>& mark,
                          const ChainReport& report);

}  // namespace datum

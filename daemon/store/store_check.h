// What the files beside a store say about whether its newest results are there; its chain alone does not know.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/store/chain_check.h"
#include "daemon/store/store_mark.h"

namespace datum {

struct StoreStanding {
  std::string vouched;  // what says that no result is missing at the end; empty: nothing does
  std::string fault;    // what says that some are
  std::string unknown;  // what can't be told, and from what
  bool enough = true;   // false: a store of this schema has something beside it that could tell
};

/// `mark` was read before the chain: a daemon that stores meanwhile is ahead of it, never behind. Throws StoreError.
StoreStanding standing_of(const std::filesystem::path& store, const std::optional<Mark>& mark,
                          const ChainReport& report);

}  // namespace datum

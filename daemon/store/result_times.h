// Times of results, beside them: they are of no verdict and in no entry of the chain, so that equal frames keep equal verdicts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/store/sqlite.h"

namespace datum {

/// How long each step of a result took, as the cell's JSON.
struct ResultTimes {
  std::uint64_t sequence = 0;
  std::string json;
};

/// Adds them in one transaction, and removes those of removed results. Does not wait for the disk: a power cut may undo it.
/// Throws StoreError and then keeps none.
void keep_result_times(sqlite3* db, const std::filesystem::path& file, const std::vector<ResultTimes>& times);
/// None: not kept.
std::optional<std::string> result_times_of(sqlite3* db, const std::filesystem::path& file,
                                           std::uint64_t sequence);

}  // namespace datum

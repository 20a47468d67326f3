// Removal of the oldest results of a store, with a statement in its chain.
#pragma once

#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"

namespace datum {

/// As ResultStore::remove_oldest, in one transaction. Hashes are verified first, and the statement records alterations,
/// since nobody can find them afterwards.
/// The results enter the sums (store_sums.h) in the same transaction.
Removal remove_oldest(sqlite3* db, const std::filesystem::path& file, const std::string& store_id,
                      const std::vector<FormerId>& former, const RemovalOrder& order);

}  // namespace datum

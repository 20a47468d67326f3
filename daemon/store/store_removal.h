// Taking the oldest results out of a store, with the statement in its chain that they went.
#pragma once

#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"

namespace datum {

/// As ResultStore::remove_oldest, in one transaction. What goes is compared with its hashes first: the statement says what
/// was found altered, since nobody can find it afterwards.
Removal remove_oldest(sqlite3* db, const std::filesystem::path& file, const std::string& store_id,
                      const std::vector<FormerId>& former, const RemovalOrder& order);

}  // namespace datum

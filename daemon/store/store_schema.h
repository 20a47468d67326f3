// The result store's tables: made, recognised, and brought forward from every schema that ever was.
//
//   1  store, result
//   2  chain: a hash for each result and statement (result_chain.h)
//   3  former: ids that the store had before (store_renewal.h)
//
// A store whose heads are signed has one more, signed_head (signed_heads.h). A backup has one more, copy: when it was made, and how far the store had got (store_backup.h).
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>

#include "daemon/store/result_store.h"

namespace datum {

inline constexpr std::int64_t store_schema = 3;

/// Makes the tables where there are none and brings older ones forward, each in one transaction: whatever dies in between,
/// the file holds the old or the new. Throws StoreError: not a store, made by a newer datumd, damaged.
void prepare_schema(sqlite3* db, const std::filesystem::path& file, const StoreOpening& opening);

/// 16 hex digits that no other store has.
std::string random_id();

/// For a reader, which changes nothing and reads all schemas up to this one: the schema. Throws StoreError.
std::int64_t readable_schema(sqlite3* db, const std::filesystem::path& file);

}  // namespace datum

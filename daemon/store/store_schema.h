// The tables of the result store: creation, recognition, and migration from every earlier schema.
//
//   1  store, result
//   2  chain: a hash for each result and statement (result_chain.h)
//   3  former: former ids of the store (store_renewal.h)
//   4  sums_...: sums of removed results (store_sums.h)
//
// A store with signed heads has the table signed_head too (signed_heads.h). A backup has the table copy, with its time
// and the progress of the store (store_backup.h).
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>

#include "daemon/store/result_store.h"

namespace datum {

inline constexpr std::int64_t store_schema = 4;
/// In the file header of what datumd-batch merges: what-if results, which no reader of stores takes. "DTWI"
inline constexpr std::int64_t what_if_application_id = 0x44545749;

/// Creates missing tables and migrates older ones, each in one transaction: after any interruption the file has the
/// former or the new schema. Throws StoreError: not a store, made by a newer datumd, damaged.
void prepare_schema(sqlite3* db, const std::filesystem::path& file, const StoreOpening& opening);

/// 16 random hex digits.
std::string random_id();

/// The schema for a reader, which changes nothing and reads all schemas up to store_schema. Throws StoreError.
std::int64_t readable_schema(sqlite3* db, const std::filesystem::path& file);

}  // namespace datum

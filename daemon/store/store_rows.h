// Rows of the result store's tables, for the code that shares a transaction.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "daemon/store/result_chain.h"
#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"

namespace datum {

/// Columns of a whole result, for row_of; WHERE and ORDER BY follow.
inline constexpr const char* result_columns =
    "SELECT sequence, measured_at, unit_id, recipe, decision, reason, frame_id, frame_sha256, json FROM "
    "result ";
/// The stored row, for the chain.
StoredResult row_of(const sqlite::Statement& row, const std::string& store_id);
/// Throws StoreError (corrupt) for an unknown decision.
StoredResult known_row_of(const sqlite::Statement& row, const std::string& store_id);

/// SQLite's integers are signed; no stored number exceeds that.
std::int64_t sql_number(std::uint64_t n);
/// Whole results, to be stepped through.
std::unique_ptr<sqlite::Statement> rows_of(sqlite3* db, const std::filesystem::path& file,
                                           const ResultFilter& filter, std::uint64_t limit,
                                           ResultOrder order);

/// Throws StoreError where the row of the store is missing.
std::string store_id_of(sqlite3* db, const std::filesystem::path& file);

/// Highest sequence number given; after a gap, the number that the next one follows.
std::uint64_t last_given(sqlite3* db, const std::filesystem::path& file);
/// Former ids of a store of schema 3, oldest first.
std::vector<FormerId> former_ids_of(sqlite3* db, const std::filesystem::path& file);
/// Id that the entry of a result, or an entry by its number, was hashed with.
const std::string& id_at_sequence(const std::vector<FormerId>& former, std::uint64_t sequence,
                                  const std::string& present);
const std::string& id_at_link(const std::vector<FormerId>& former, std::uint64_t link,
                              const std::string& present);

inline constexpr const char* link_columns = "SELECT link, sequence, statement, sha256 FROM chain ";
inline constexpr const char* head_link =
    "SELECT link, sequence, statement, sha256 FROM chain ORDER BY link DESC LIMIT 1";
inline constexpr const char* insert_link = "INSERT INTO chain VALUES (?1, ?2, ?3, ?4)";
ChainEntry link_of(const sqlite::Statement& row);

/// Hash of the entry of a result in a store with a chain; empty: it has none.
std::string chain_sha256_of(sqlite3* db, const std::filesystem::path& file,
                            const std::vector<FormerId>& former, std::uint64_t sequence);

/// The newest entry; for an emptied chain table, the state before the first entry.
ChainEntry head_of(sqlite3* db, const std::filesystem::path& file);

/// Inserts the entry of `result` after `head` by the statement `insert`, and makes it the head.
void append_result(sqlite::Statement& insert, ChainEntry& head, const StoredResult& result);
/// Appends the entry of a statement.
void append_statement(sqlite3* db, const std::filesystem::path& file, const std::string& store_id,
                      const std::string& statement);

}  // namespace datum

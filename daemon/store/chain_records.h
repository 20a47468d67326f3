// Tables that keep what statements of the chain say, for reading: each row is that of its entry.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <vector>

namespace datum {

/// A table whose rows have the number of their entry (`link`) and its statement (`json`).
struct ChainRecords {
  std::string table;
  std::string statement_begin;  // of all its statements, and of no others
  std::string columns_agree;    // SQL: the row's other columns are those of its json
  std::string what;             // "the control charts", in messages
};

/// A line for each row that is not what its entry states, and for each entry that has no row. Empty: none. Throws StoreError.
std::vector<std::string> altered_records(sqlite3* db, const std::filesystem::path& file,
                                         const ChainRecords& records);

}  // namespace datum

// Export of stored results. CSV (RFC 4180: comma, doubled quotes, CR LF) in UTF-8 with decimal points, and JSON lines. A
// text that begins with = + - @, tab or CR gets an apostrophe in front, since spreadsheets evaluate such cells. Times are
// ISO 8601 UTC. The unit of a value is in the column before it. A value is rounded so that its U keeps two significant digits;
// JSON lines have all digits. export_columns.h explains the columns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "daemon/store/result_store.h"

namespace datum {

enum class ExportRows : std::uint8_t {
  components,  // CSV: one row per component and characteristic; one per board without components
  boards,      // CSV: one row per board
  json_lines,  // {"chain_sha256": ..., "verdict": the stored JSON}
};

/// The header line with its end; empty for JSON lines.
std::string export_header(ExportRows rows);
/// All rows of one result with their ends. Throws StoreError (corrupt) where its JSON is not a verdict.
std::string export_rows(ExportRows rows, const StoredResult& result, const std::string& chain_sha256);

struct Exported {
  std::uint64_t results = 0;
  std::uint64_t first = 0, last = 0;  // sequence numbers
};

/// Exports matching results, oldest first, in batches: memory does not grow with the store, and the writer can always
/// checkpoint its WAL. Throws StoreError and the exceptions of `write`.
Exported export_results(ResultStore& store, const ResultFilter& filter, ExportRows rows,
                        const std::function<void(const std::string&)>& write);

/// Decimals that leave an uncertainty two significant digits (GUM 7.2.6), 0 to 9; 9 for none at all.
int decimals_of(double uncertainty);

/// Matching results, oldest first, in batches as above, until `see` says no.
void for_each_result(ResultStore& store, const ResultFilter& filter,
                     const std::function<bool(const StoredResult&)>& see);

/// "2026-01-31" or "2026-01-31T10:00:00Z" as lower or upper bound of measured_at in a ResultFilter. Both bounds include
/// the day of a date. Throws std::invalid_argument with the allowed forms.
std::string from_bound(const std::string& time);
std::string before_bound(const std::string& time);

}  // namespace datum

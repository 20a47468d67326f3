// Stored results as text for other programs: CSV rows (RFC 4180: comma, quotes doubled, CR LF) in UTF-8 with decimal
// points, and JSON lines. A text that begins with = + - @, a tab or CR has an apostrophe in front, since spreadsheets
// compute such cells. Times are ISO 8601 UTC. A value's unit stands in the column before it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "daemon/store/result_store.h"

namespace datum {

enum class ExportRows : std::uint8_t {
  components,  // CSV: one for each component and characteristic; one for a board without any
  boards,      // CSV: one for each board
  json_lines,  // {"chain_sha256": ..., "verdict": the JSON as it is stored}
};

/// The first line, with its end; empty of JSON lines.
std::string export_header(ExportRows rows);
/// All rows of one result, with their ends. Throws StoreError (corrupt) where its JSON is no verdict.
std::string export_rows(ExportRows rows, const StoredResult& result, const std::string& chain_sha256);

struct Exported {
  std::uint64_t results = 0;
  std::uint64_t first = 0, last = 0;  // sequences
};

/// Results that match, oldest first, a few at a time: memory does not grow with the store, and its writer is never kept
/// from reusing its log. Throws StoreError, and what `write` throws.
Exported export_results(ResultStore& store, const ResultFilter& filter, ExportRows rows,
                        const std::function<void(const std::string&)>& write);

/// "2026-01-31" or "2026-01-31T10:00:00Z" as a bound of measured_at in a ResultFilter: from that moment, or before it; a
/// date's own day is within both. Throws std::invalid_argument with what is allowed.
std::string from_bound(const std::string& time);
std::string before_bound(const std::string& time);

}  // namespace datum

// Sums of removed results, kept for ever (schema 4): a removal adds its results to them in the transaction that deletes them.
//
//   sums_segment  what made the values of a segment (daemon/series/series.h)
//   sums_day      its results of each day
//   sums_series   recipe, component, package, characteristic
//   sums_value    of a segment, series and day: number, sum and sum of squares of the values (counts of 10^-6) and of the ranges between
//                 successive ones, least and largest value, decisions, reasons of INVALID ones
//   sums_last     of a segment and series: the newest value and limits, from which the next result goes on
//   sums_board    removed results of each day by decision and reason, also those that count in no series: repeats of a unit, results of
//                 studies and reference checks, unreadable ones
//   sums_unit     the first 64 bits of SHA-256 of recipe and unit: a unit that comes again is known
//
// A day is that of measured_at, UTC. The chain of results does not cover these tables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "daemon/series/series.h"
#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"

namespace datum {

extern const char* const sums_tables;

/// None: the result's text is no verdict.
using ReadVerdicts = std::map<std::uint64_t, std::optional<BoardVerdict>>;
std::optional<BoardVerdict> readable_verdict(const StoredResult& row);

/// Adds all results up to number `last`, within the transaction that deletes them. `read`: those that were read already. `studied`: results
/// of studies, which count in no series. Throws StoreError.
void add_to_sums(sqlite3* db, const std::filesystem::path& file, std::uint64_t last, const ReadVerdicts& read,
                 const std::set<std::uint64_t>& studied);

/// ResultStore::removed_series. Empty for a store of an earlier schema.
quality::SeriesBefore read_sums(sqlite3* db, const std::filesystem::path& file, const ResultFilter& filter);

/// Columns of sums_value from `n` to `largest_u`, and their reading and binding from an index on.
inline constexpr const char* sums_columns =
    "n, total, high, low, ranges, range_total, range_high, range_low, lead, lowest, highest, pass, "
    "inconclusive, fail, invalid, reasons, largest_u";
quality::SegmentSums sums_of_row(const sqlite::Statement& row, int column, const std::filesystem::path& file);
/// Columns previous, nominal, lower, upper.
void read_last(const sqlite::Statement& row, int column, quality::SegmentSums& sums);
/// None: no characteristic of this program.
std::optional<Characteristic> characteristic_named(const std::string& name);
/// The key of sums_unit.
std::int64_t unit_number(const std::string& recipe, const std::string& unit);

}  // namespace datum

// Records of reference checks (daemon/quality/README.md) in the result store: each step is a statement of the hash chain and a
// row of the table reference_check, in one transaction. Rows stay for ever; retention removes old statements of the chain.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace datum {

/// One certified value as it was measured; all in `unit`.
struct CheckedValue {
  std::string component, characteristic, unit;
  double certified = 0, expanded_certified = 0, maximum_permissible = 0;
  double mean = 0;      // of the readings
  double expanded = 0;  // U (k = 2) of a reading, the largest
  double worst = 0;     // reading less certified, the largest by magnitude
  double e_n = 0;       // |mean - certified| / sqrt(U^2 + U_certified^2); ISO 13528:2022, 9.7
  bool good = false;    // E_n <= 1 and |worst| <= MPE
};

enum class CheckStep : std::uint8_t { due, check, valid, failed, override_ };
const char* name_of(CheckStep s);  // "DUE", "CHECK", "VALID", "FAILED", "OVERRIDE"

struct CheckRecord {
  std::uint64_t id = 0;  // counted from 1 over all checks
  std::string name;
  CheckStep step = CheckStep::due;
  std::int64_t utc_s = 0;               // time of day that never went back
  std::string why, by;                  // text; the person where one is named
  std::string definition, calibration;  // SHA-256 of what it was made by; of VALID and FAILED
  std::optional<double> temperature_degc;
  std::int64_t until_utc_s = 0;         // of VALID and OVERRIDE; 0: without a limit in time
  std::uint64_t after = 0;              // the newest result then
  std::vector<std::uint64_t> readings;  // their results
  std::vector<CheckedValue> values;
};

/// The statement of the chain, and the row's JSON.
std::string to_statement(const CheckRecord& record);
/// Throws std::runtime_error where it can't be read.
CheckRecord check_record_from(const std::string& statement);
/// "check golden: VALID until 2026-11-23T14:00:00Z, record 12", for lists.
std::string words_of(const CheckRecord& record);

/// Commits records and their statements, all or none. Within no transaction. Throws StoreError: an id is given already.
void keep_check_records(sqlite3* db, const std::filesystem::path& file, const std::string& store_id,
                        const std::vector<CheckRecord>& records);

/// Steps that are looked for.
enum class CheckFilter : std::uint8_t { any, not_override, valid };
/// The newest record of a check; none: there is none, or no such table. Throws StoreError, std::runtime_error.
std::optional<CheckRecord> newest_check(const std::filesystem::path& store, const std::string& name,
                                        CheckFilter filter);
/// The records of a check, or of all where `name` is empty, newest first.
std::vector<CheckRecord> check_records(const std::filesystem::path& store, const std::string& name,
                                       std::uint64_t limit);
/// The highest id that was given.
std::uint64_t last_check_id(const std::filesystem::path& store);

/// A result since a check was good for the last time.
struct LookBackRow {
  std::uint64_t sequence = 0;
  std::string measured_at, recipe, unit_id, decision, json;
};
struct LookBack {
  std::optional<CheckRecord> good;  // the last good check; none: never, so every result is listed
  std::optional<CheckRecord> bad;   // the record asked for
  std::vector<LookBackRow> rows;    // oldest first
};
/// Results since the last good check before the record `id`, up to that record; without `id` since the newest good one, up to now.
LookBack look_back(const std::filesystem::path& store, const std::string& name,
                   std::optional<std::uint64_t> id);

/// Rows that differ from their statement, or lack it, and statements without a row: one line each.
std::vector<std::string> altered_checks(sqlite3* db, const std::filesystem::path& file);

}  // namespace datum

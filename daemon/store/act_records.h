// What persons did beside the running cell, by the files that they left: a gauge study is started and complete, heights of a recipe are
// confirmed. Each is a statement of the hash chain and a row of the table act_record, in one transaction, once for the same evidence. Rows
// stay for ever; retention removes old statements of the chain.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace datum {

enum class ActKind : std::uint8_t { study_start, study_end, recipe_confirmed };
const char* name_of(ActKind k);  // "STUDY_START", "STUDY_END", "RECIPE_CONFIRMED"

struct ActRecord {
  ActKind kind = ActKind::study_start;
  std::string name;    // of the study or recipe
  std::string by, at;  // person and time as the evidence says
  std::string detail;  // as text
  std::string sha256;  // of the evidence: the study's plan, its file, the confirmation's values
  std::string utc;     // when datumd found it, ISO 8601

  std::string key() const { return std::string(name_of(kind)) + " " + sha256; }
};

/// The statement of the chain, and the row's JSON. Texts are bounded (bounded_text.h).
std::string to_statement(const ActRecord& record);
/// None: a statement of another kind. Throws std::runtime_error where it can't be read.
std::optional<ActRecord> act_from(const std::string& statement);
/// "study grr-1 is started by A. Berger at 2026-11-29T08:00:00Z: ...".
std::string words_of(const ActRecord& record);

/// Appends a statement within a transaction; one of an act that is known already is left out. Throws StoreError.
void append_once(sqlite3* db, const std::filesystem::path& file, const std::string& store_id,
                 const std::string& statement);

/// key() of each act that the store has.
std::set<std::string> known_acts(const std::filesystem::path& store);

/// Rows that differ from their statement, or lack it, and statements without a row: one line each.
std::vector<std::string> altered_acts(sqlite3* db, const std::filesystem::path& file);

}  // namespace datum

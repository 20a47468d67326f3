#include "daemon/store/store_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace datum {

StoredResult row_of(const sqlite::Statement& s, const std::string& id) {
  StoredResult r;
  r.store_id = id;
  r.sequence = static_cast<std::uint64_t>(s.integer(0));
  r.measured_at = s.text(1);
  r.unit_id = s.text(2);
  r.recipe = s.text(3);
  r.decision = static_cast<Decision>(s.integer(4));
  r.reason = s.text(5);
  r.frame_id = s.text(6);
  r.frame_sha256 = s.text(7);
  r.json = s.text(8);
  return r;
}

StoredResult row_of(const BoardVerdict& v, std::string json) {
  StoredResult r;
  r.sequence = v.sequence;
  r.store_id = v.store_id;
  r.measured_at = v.measured_at;
  r.unit_id = v.unit_id;
  r.recipe = v.recipe;
  r.frame_id = v.frame_id;
  r.frame_sha256 = v.frame_sha256;
  r.decision = v.decision;
  r.reason = name_of(v.reason);
  r.json = std::move(json);
  return r;
}

StoredResult known_row_of(const sqlite::Statement& s, const std::string& id) {
  const auto decision = s.integer(4);
  if (decision < 0 || decision > static_cast<std::int64_t>(Decision::invalid))
    throw StoreError(StoreError::Kind::corrupt,
                     fmt::format("result {}: decision {} is not known", s.integer(0), decision));
  return row_of(s, id);
}

std::int64_t sql_number(std::uint64_t n) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(n > most ? most : n);
}

std::unique_ptr<sqlite::Statement> rows_of(sqlite3* db, const std::filesystem::path& file,
                                           const ResultFilter& filter, std::uint64_t limit,
                                           ResultOrder order) {
  std::string sql = std::string(result_columns) + "WHERE sequence > ?1";
  if (filter.decision) sql += " AND decision = ?2";
  if (filter.recipe) sql += " AND recipe = ?3";
  if (filter.unit_id) sql += " AND unit_id = ?4";
  if (filter.up_to) sql += " AND sequence <= ?9";
  if (filter.board_serial) sql += " AND instr(json, ?8) > 0";
  if (filter.from) sql += " AND measured_at >= ?6";
  if (filter.before) sql += " AND measured_at < ?7";
  sql += order == ResultOrder::newest_first ? " ORDER BY sequence DESC" : " ORDER BY sequence";
  sql += " LIMIT ?5";
  auto made = std::make_unique<sqlite::Statement>(db, file, sql.c_str());
  sqlite::Statement& rows = *made;
  rows.bind(1, sql_number(filter.after.value_or(0))).bind(5, sql_number(limit));
  if (filter.decision) rows.bind(2, static_cast<std::int64_t>(*filter.decision));
  if (filter.recipe) rows.bind(3, *filter.recipe);
  if (filter.unit_id) rows.bind(4, *filter.unit_id);
  if (filter.up_to) rows.bind(9, sql_number(*filter.up_to));
  if (filter.board_serial) rows.bind(8, serial_in_json(*filter.board_serial));
  if (filter.from) rows.bind(6, *filter.from);
  if (filter.before) rows.bind(7, *filter.before);
  return made;
}

std::string store_id_of(sqlite3* db, const std::filesystem::path& file) {
  sqlite::Statement id(db, file, "SELECT id FROM store");
  if (!id.step())
    throw StoreError(StoreError::Kind::corrupt, file.string() + ": the store's own row is missing");
  return id.text(0);
}

std::uint64_t last_given(sqlite3* db, const std::filesystem::path& file) {
  return static_cast<std::uint64_t>(sqlite::query_integer(db, file, "SELECT last_sequence FROM store"));
}

std::vector<FormerId> former_ids_of(sqlite3* db, const std::filesystem::path& file) {
  sqlite::Statement rows(db, file, "SELECT link, id, last, given FROM former ORDER BY link");
  std::vector<FormerId> former;
  while (rows.step())
    former.push_back({static_cast<std::uint64_t>(rows.integer(0)), rows.text(1),
                      static_cast<std::uint64_t>(rows.integer(2)),
                      static_cast<std::uint64_t>(rows.integer(3))});
  return former;
}

const std::string& id_at_sequence(const std::vector<FormerId>& former, std::uint64_t sequence,
                                  const std::string& present) {
  for (const FormerId& f : former)
    if (sequence <= f.last) return f.id;
  return present;
}

const std::string& id_at_link(const std::vector<FormerId>& former, std::uint64_t link,
                              const std::string& present) {
  for (const FormerId& f : former)
    if (link <= f.link) return f.id;
  return present;
}

ChainEntry link_of(const sqlite::Statement& s) {
  return {static_cast<std::uint64_t>(s.integer(0)), static_cast<std::uint64_t>(s.integer(1)), s.text(2),
          s.text(3)};
}

std::string chain_sha256_of(sqlite3* db, const std::filesystem::path& file,
                            const std::vector<FormerId>& former, std::uint64_t sequence) {
  constexpr std::uint64_t most = INT64_MAX;  // SQLite's integers are signed
  // Entry numbers exceed sequence numbers only by statements, so the search from the oldest result needs few steps.
  sqlite::Statement row(
      db, file,
      "SELECT sha256 FROM chain WHERE sequence = ?1 AND link >= (SELECT link - sequence + ?1 - ?2 FROM "
      "chain WHERE sequence IS NOT NULL ORDER BY link LIMIT 1) ORDER BY link LIMIT 1");
  std::uint64_t no_results = 0;
  for (const FormerId& f : former)
    if (f.given < sequence) no_results += f.given - f.last;
  row.bind(1, static_cast<std::int64_t>(std::min(sequence, most)));
  row.bind(2, static_cast<std::int64_t>(std::min(no_results, most)));
  return row.step() ? row.text(0) : "";
}

ChainEntry head_of(sqlite3* db, const std::filesystem::path& file) {
  sqlite::Statement row(db, file, head_link);
  return row.step() ? link_of(row) : ChainEntry{0, 0, "", std::string(chain_begin)};
}

void append_result(sqlite::Statement& insert, ChainEntry& head, const StoredResult& result) {
  head = {head.link + 1, result.sequence, "", chain_hash(head.sha256, result)};
  sqlite::Run row(insert);
  row->bind(1, static_cast<std::int64_t>(head.link)).bind(2, static_cast<std::int64_t>(head.sequence));
  row->bind(4, head.sha256).step();  // statement stays NULL
}

void append_statement(sqlite3* db, const std::filesystem::path& file, const std::string& store_id,
                      const std::string& statement) {
  const ChainEntry head = head_of(db, file);
  sqlite::Statement row(db, file, insert_link);
  row.bind(1, static_cast<std::int64_t>(head.link + 1)).bind(3, statement);
  row.bind(4, chain_hash(head.sha256, store_id, statement)).step();
}

std::string serial_in_json(const std::string& serial) {
  return "\"unit_id\":" +
         nlohmann::json(serial).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace datum

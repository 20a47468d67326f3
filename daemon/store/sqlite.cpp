#include "daemon/store/sqlite.h"

#include <fmt/format.h>

#include "daemon/store/result_store.h"

namespace datum::sqlite {
namespace {

struct Meaning {
  StoreError::Kind kind;
  const char* remedy;
};

Meaning meaning_of(int code) {
  using Kind = StoreError::Kind;
  switch (code) {
    case SQLITE_FULL:
      return {Kind::full, "make room on that device; nothing is announced until a result can be stored"};
    case SQLITE_NOTADB:
      return {Kind::not_a_store, "this file is not a result store; name another path"};
    case SQLITE_CORRUPT:
      return {Kind::corrupt,
              "move the file away, keep it for recovery ('sqlite3 FILE .recover') and start again"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Kind::locked, "another process holds the file; end it or try again"};
    default:
      return {Kind::io, "check that the folder exists, is on a local disk and may be written by this user"};
  }
}

}  // namespace

void fail(sqlite3* db, const std::filesystem::path& file, const std::string& doing) {
  const int code = db ? sqlite3_extended_errcode(db) : SQLITE_NOMEM;
  const Meaning meaning = meaning_of(code & 0xff);
  const std::string why = db ? fmt::format("{} (SQLite {})", sqlite3_errmsg(db), code) : "out of memory";
  throw StoreError(meaning.kind,
                   fmt::format("{}: can't {}: {}; {}", file.string(), doing, why, meaning.remedy));
}

Connection open(const std::filesystem::path& file, int flags) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &raw, flags, nullptr);
  Connection db(raw);
  if (code != SQLITE_OK) fail(db.get(), file, "open the result store");
  sqlite3_extended_result_codes(db.get(), 0);
  return db;
}

Statement::Statement(sqlite3* db, const std::filesystem::path& file, const char* sql) : db_(db), file_(file) {
  if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) != SQLITE_OK)
    fail(db, file, "read the result store");
}

Statement& Statement::bind(int index, const std::string& text) {
  const int code =
      sqlite3_bind_text(statement_, index, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) fail(db_, file_, "bind a value");
  return *this;
}

Statement& Statement::bind(int index, std::int64_t number) {
  if (sqlite3_bind_int64(statement_, index, number) != SQLITE_OK) fail(db_, file_, "bind a value");
  return *this;
}

Statement& Statement::bind_real(int index, double number) {
  if (sqlite3_bind_double(statement_, index, number) != SQLITE_OK) fail(db_, file_, "bind a value");
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fail(db_, file_, "use the result store");
}

void Statement::reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))) : "";
}

void execute(sqlite3* db, const std::filesystem::path& file, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(db, file, "prepare the result store");
}

std::int64_t query_integer(sqlite3* db, const std::filesystem::path& file, const char* sql) {
  Statement statement(db, file, sql);
  return statement.step() ? statement.integer(0) : 0;
}

bool has_table(sqlite3* db, const std::filesystem::path& file, const std::string& name) {
  Statement table(db, file, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1");
  return table.bind(1, name).step();
}

}  // namespace datum::sqlite

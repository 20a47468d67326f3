// SQLite with RAII: a connection, a prepared statement, and errors as text.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace datum::sqlite {

struct CloseConnection {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

/// Opens `file`; throws StoreError. `flags` as of sqlite3_open_v2.
Connection open(const std::filesystem::path& file, int flags);
/// Throws the StoreError for a failed call on this connection; `doing` completes "can't ...".
[[noreturn]] void fail(sqlite3* db, const std::filesystem::path& file, const std::string& doing);

/// A prepared statement for repeated use.
class Statement {
 public:
  Statement(sqlite3* db, const std::filesystem::path& file, const char* sql);
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int index, const std::string& text);
  Statement& bind(int index, std::int64_t number);
  Statement& bind_real(int index, double number);
  /// True: a row is available.
  bool step();
  void reset();
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const;
  bool has(int column) const { return sqlite3_column_type(statement_, column) != SQLITE_NULL; }

 private:
  sqlite3* db_;
  std::filesystem::path file_;
  sqlite3_stmt* statement_ = nullptr;
};

/// Resets a statement at the end of a scope, so that no open read holds the WAL back.
class Run {
 public:
  explicit Run(Statement& statement) : statement_(statement) {}
  ~Run() { statement_.reset(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  Statement* operator->() { return &statement_; }

 private:
  Statement& statement_;
};

/// Runs statements without result rows. Throws StoreError.
void execute(sqlite3* db, const std::filesystem::path& file, const char* sql);

/// Commits within its life are ordered but not synchronised, since waiting for the disk would delay a board. The
/// synchronised commit of the next result makes them durable.
class InOrder {
 public:
  InOrder(sqlite3* db, const std::filesystem::path& file) : db_(db) {
    execute(db, file, "PRAGMA synchronous = NORMAL");
  }
  ~InOrder() { sqlite3_exec(db_, "PRAGMA synchronous = FULL", nullptr, nullptr, nullptr); }
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;

 private:
  sqlite3* db_;
};
/// First column of the first row.
std::int64_t query_integer(sqlite3* db, const std::filesystem::path& file, const char* sql);
bool has_table(sqlite3* db, const std::filesystem::path& file, const std::string& name);

}  // namespace datum::sqlite

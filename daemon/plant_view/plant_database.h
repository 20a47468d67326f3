// The plant's database (daemon/collect) for one page at a time: a consistent snapshot that can change nothing, and an end after a limit of
// time, whatever the server, its host or the network does.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/collect/database_settings.h"

namespace datum {

/// The database can't be reached, or does not answer.
struct PlantAway : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// It is not one that these pages may read: no tables, another version, an account that may write.
struct PlantUnfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A query takes longer than a page may.
struct PlantTimeout : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// It refuses a parameter: no date, no UTF-8.
struct PlantRefusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Rows of one answer.
class PlantRows {
 public:
  explicit PlantRows(PGresult* result) : result_(result, &PQclear) {}

  int size() const { return PQntuples(result_.get()); }
  bool is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) == 1; }
  std::string text(int row, int column) const;  // null: empty
  std::optional<double> number(int row, int column) const;
  std::int64_t integer(int row, int column) const;  // null: 0

 private:
  std::unique_ptr<PGresult, decltype(&PQclear)> result_;
};

class PlantDatabase {
 public:
  using Clock = std::chrono::steady_clock;
  /// Connects when it is first read.
  PlantDatabase(DatabaseSettings settings, std::chrono::milliseconds page_limit,
                std::function<Clock::time_point()> now = &Clock::now);

  /// Calls `work`, whose ask() sees one state of the database. Throws the errors above, within the limit; only the
  /// resolver of names may take longer. For retry_s behind a database that is away it throws the same words at once.
  void read(const std::function<void(PlantDatabase&)>& work);
  /// Within read(). Parameters as PostgreSQL's text; each answer of it is bounded by a LIMIT of its query.
  PlantRows ask(const std::string& sql, const std::vector<std::string>& parameters = {});

  std::chrono::milliseconds page_limit() const { return page_limit_; }

  static constexpr std::chrono::seconds retry_s{2};

 private:
  void connect();
  void wait(short events);
  [[noreturn]] void give_up(const std::string& why);

  const DatabaseSettings settings_;
  const std::chrono::milliseconds page_limit_;
  const std::function<Clock::time_point()> now_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_{nullptr, &PQfinish};
  Clock::time_point deadline_{};  // of this page
  std::string away_;              // why it is away; empty: it is not
  Clock::time_point away_until_{};
};

}  // namespace datum

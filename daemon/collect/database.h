// The connection to PostgreSQL: its schema, its lock against a second writer, and what its errors mean to a batch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <pqxx/pqxx>
#include <set>
#include <stdexcept>
#include <string>

#include "daemon/collect/catalogue.h"

namespace datum {

/// The database can't be reached, or can't do it now: try again later.
struct DatabaseAway : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// It refuses these rows, whenever they come.
struct DatabaseRefusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// It is not one of this program; a person has to see to it.
struct DatabaseUnfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Database {
 public:
  /// Connects, makes the tables where there are none, and locks them against another collector. Throws DatabaseAway, also where another
  /// collector has the lock, and DatabaseUnfit.
  explicit Database(const std::string& connection_string);

  pqxx::connection& connection() { return *connection_; }

 private:
  void prepare();

  std::unique_ptr<pqxx::connection> connection_;
};

/// Calls `work`, and turns what libpqxx throws into the errors above.
void with_database_errors(const std::function<void()>& work);

/// All that the catalogue holds. `refused`: hashes of entries that were set aside.
Catalogue read_catalogue(pqxx::transaction_base& work, std::set<std::string>& refused);
/// What is new or changed in it.
void write_catalogue(pqxx::transaction_base& work, Catalogue& catalogue);

}  // namespace datum

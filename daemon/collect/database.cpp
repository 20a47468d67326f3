#include "daemon/collect/database.h"

#include <fmt/format.h>

#include "daemon/collect/sql_rows.h"

namespace datum {
namespace {

const char* const tables_sql =
#include "schema.inc"
    ;
const char* const views_sql =
#include "views.inc"
    ;
const char* const indexes_sql =
#include "indexes.inc"
    ;
constexpr int schema_version = 1;
constexpr int oldest_server = 150000;
constexpr long long lock_number = 0x646174756d;  // "datum": of all collectors of one database

/// Classes of SQLSTATE (PostgreSQL, appendix A): data and integrity; all others are of the moment, or of the server.
bool is_of_data(const std::string& state) { return state.starts_with("22") || state.starts_with("23"); }

}  // namespace

void with_database_errors(const std::function<void()>& work) {
  try {
    work();
  } catch (const pqxx::broken_connection& error) {
    throw DatabaseAway(error.what());
  } catch (const pqxx::sql_error& error) {
    const std::string text = fmt::format("{} ({})", error.what(), error.sqlstate());
    if (is_of_data(error.sqlstate())) throw DatabaseRefusal(text);
    throw DatabaseAway(text);
  } catch (const pqxx::failure&
               error) {  // in doubt whether it is committed, too: then it comes again, and changes nothing
    throw DatabaseAway(error.what());
  }
}

Database::Database(const std::string& connection_string) {
  with_database_errors([&] {
    connection_ = std::make_unique<pqxx::connection>(connection_string);
    if (connection_->server_version() < oldest_server)
      throw DatabaseUnfit(fmt::format("PostgreSQL {} is too old: 15 or newer is needed",
                                      connection_->server_version() / 10000));
    prepare();
  });
}

void Database::prepare() {
  pqxx::work work(*connection_);
  if (!run(work, "SELECT pg_try_advisory_lock($1::bigint)", std::to_string(lock_number))[0][0].as<bool>())
    throw DatabaseAway("another collector writes to this database; this one waits for its end");
  if (work.exec("SELECT to_regclass('datum.version') IS NULL")[0][0].as<bool>()) {
    work.exec(tables_sql);
    work.exec(views_sql);
  }
  const int version = work.exec("SELECT version FROM datum.version")[0][0].as<int>();
  if (version != schema_version)
    throw DatabaseUnfit(
        fmt::format("its schema datum has version {}; this program knows {}", version, schema_version));
  work.exec("SET search_path = datum");
  work.exec(indexes_sql);
  work.commit();
}

}  // namespace datum

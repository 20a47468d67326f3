#include "daemon/plant_view/plant_database.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstdlib>

namespace datum {
namespace {

using namespace std::chrono_literals;

constexpr int known_version = 1;
constexpr const char* remedy =
    "; the account is made by /usr/share/doc/datumd-plant-view/reader.sql (datumd-plant-view(8))";

/// Roles that the account is, or may become, and what they may write; PostgreSQL's superusers and makers of roles may everything.
constexpr const char* writes_sql = R"sql(
SELECT o.rolname, CASE WHEN o.rolsuper THEN 'is a superuser' WHEN o.rolcreaterole THEN 'may make roles'
    WHEN has_schema_privilege(o.oid, 'datum', 'CREATE') THEN 'may create in the schema datum'
    ELSE 'may write ' || (SELECT min(c.relname) FROM pg_class c WHERE c.relnamespace = 'datum'::regnamespace AND c.relkind IN ('r', 'p', 'v')
      AND (has_table_privilege(o.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(o.oid, c.oid, 'INSERT, UPDATE'))) END AS what
FROM pg_roles o WHERE pg_has_role(current_user, o.oid, 'MEMBER') ORDER BY what NULLS LAST LIMIT 1)sql";

std::string told_by(const char* text) {
  std::string words = text;
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words;
}

std::string code_of(const PGresult* result) {
  const char* code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return code ? code : "";
}

constexpr const char* canceled = "57014";  // query_canceled: by statement_timeout
constexpr const char* no_schema = "3F000";
constexpr const char* no_table = "42P01";
constexpr const char* no_privilege = "42501";

}  // namespace

std::string PlantRows::text(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::optional<double> PlantRows::number(int row, int column) const {
  if (is_null(row, column)) return std::nullopt;
  return std::strtod(PQgetvalue(result_.get(), row, column), nullptr);
}

std::int64_t PlantRows::integer(int row, int column) const {
  return std::strtoll(PQgetvalue(result_.get(), row, column), nullptr, 10);
}

PlantDatabase::PlantDatabase(DatabaseSettings settings, std::chrono::milliseconds page_limit,
                             std::function<Clock::time_point()> now)
    : settings_(std::move(settings)), page_limit_(page_limit), now_(std::move(now)) {}

void PlantDatabase::give_up(const std::string& why) {
  connection_.reset();
  away_ = why;
  away_until_ = now_() + retry_s;
  throw PlantAway(why);
}

void PlantDatabase::wait(short events) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
  pollfd socket{PQsocket(connection_.get()), events, 0};
  // A signal only makes the caller look again.
  if (left <= 0ms || ::poll(&socket, 1, static_cast<int>(left.count())) == 0)
    give_up(fmt::format("it does not answer within {} ms", page_limit_.count()));
}

void PlantDatabase::connect() {
  connection_.reset(PQconnectStart(connection_string(settings_, "datumd-plant-view").c_str()));
  if (!connection_) throw std::bad_alloc();
  for (auto next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK; next = PQconnectPoll(connection_.get())) {
    if (next == PGRES_POLLING_FAILED || PQstatus(connection_.get()) == CONNECTION_BAD)
      give_up(told_by(PQerrorMessage(connection_.get())));
    wait(next == PGRES_POLLING_READING ? POLLIN : POLLOUT);
  }
  PQsetnonblocking(connection_.get(), 1);
  try {
    // The server ends a query by itself; the connection stays usable then.
    ask("SELECT set_config('statement_timeout', $1, false), set_config('default_transaction_read_only', "
        "'on', false), set_config('search_path', 'datum', false), set_config('timezone', 'UTC', false)",
        {std::to_string(std::max<std::int64_t>(1, page_limit_.count() * 4 / 5))});
    const PlantRows version = ask("SELECT version FROM datum.version");
    if (version.size() != 1 || version.integer(0, 0) != known_version)
      throw PlantUnfit(fmt::format("its schema datum has version {}; this program knows {}",
                                   version.size() == 1 ? version.text(0, 0) : "none", known_version));
    const PlantRows writes = ask(writes_sql);
    if (!writes.is_null(0, 1))
      throw PlantUnfit(fmt::format(
          "the account {} {}{}: pages must not be able to change results{}", settings_.user,
          writes.text(0, 1), writes.text(0, 0) == settings_.user ? "" : " as " + writes.text(0, 0), remedy));
  } catch (...) {  // the next page asks again
    connection_.reset();
    throw;
  }
}

void PlantDatabase::read(const std::function<void(PlantDatabase&)>& work) {
  if (now_() < away_until_) throw PlantAway(away_);
  deadline_ = Clock::now() + page_limit_;
  const bool was_open = connection_ != nullptr;
  const auto begin = [&] {
    if (!connection_) connect();
    ask("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  };
  try {
    begin();
  } catch (const PlantAway&) {
    if (!was_open || Clock::now() >= deadline_) throw;
    away_until_ = {};  // the server has ended a connection that was idle: it may have been restarted
    begin();
  }
  try {
    work(*this);
    ask("COMMIT");
  } catch (...) {
    // The next page gets a connection without a transaction in an unknown state.
    connection_.reset();
    throw;
  }
  away_until_ = {};
}

PlantRows PlantDatabase::ask(const std::string& sql, const std::vector<std::string>& parameters) {
  PGconn* c = connection_.get();
  std::vector<const char*> values;
  for (const std::string& p : parameters) values.push_back(p.c_str());
  if (PQsendQueryParams(c, sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(), nullptr,
                        nullptr, 0) != 1)
    give_up(told_by(PQerrorMessage(c)));
  for (int left = 1; (left = PQflush(c)) != 0;) {
    if (left < 0) give_up(told_by(PQerrorMessage(c)));
    wait(POLLIN | POLLOUT);
    if (PQconsumeInput(c) != 1) give_up(told_by(PQerrorMessage(c)));
  }
  std::unique_ptr<PGresult, decltype(&PQclear)> first{nullptr, &PQclear};
  for (;;) {
    while (PQisBusy(c) == 1) {
      wait(POLLIN);
      if (PQconsumeInput(c) != 1) give_up(told_by(PQerrorMessage(c)));
    }
    std::unique_ptr<PGresult, decltype(&PQclear)> next{PQgetResult(c), &PQclear};
    if (!next) break;
    if (!first) first = std::move(next);
  }
  const ExecStatusType status = PQresultStatus(first.get());
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return PlantRows(first.release());
  const std::string code = code_of(first.get()), words = told_by(PQresultErrorMessage(first.get()));
  if (PQstatus(c) == CONNECTION_BAD) give_up(words);
  if (code == canceled) throw PlantTimeout(words);
  if (code == no_schema || code == no_table || code == no_privilege)
    throw PlantUnfit(
        words + (code == no_privilege ? remedy : "; datumd-collect makes its tables at its first start"));
  if (code.starts_with("22")) throw PlantRefusal(words);  // data exception
  throw std::runtime_error(words + " (" + code + ")");
}

}  // namespace datum

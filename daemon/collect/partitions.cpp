#include "daemon/collect/partitions.h"

#include <fmt/format.h>

#include <chrono>

#include "daemon/collect/sql_rows.h"

namespace datum {
namespace {

constexpr std::int64_t days_ahead = 2;  // a clock that is not quite right

std::chrono::year_month_day date_of(std::int64_t day) {
  return std::chrono::sys_days(std::chrono::days(day));
}

std::int64_t day_of(std::chrono::year_month_day date) {
  return std::chrono::sys_days(date).time_since_epoch().count();
}

/// Tables of partitions and the time before which a whole one is old: a name of eight digits and its last day.
struct Old {
  const char* table;
  int days;
};

}  // namespace

std::string day_name(std::int64_t day) {
  const auto date = date_of(day);
  return fmt::format("{:04}{:02}{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::pair<std::int64_t, std::int64_t> month_of(std::int64_t day) {
  const auto date = date_of(day);
  const std::chrono::year_month_day first{date.year(), date.month(), std::chrono::day(1)};
  return {day_of(first), day_of(first + std::chrono::months(1))};
}

void Partitions::read(pqxx::transaction_base& work) {
  names_.clear();
  by_default_.clear();
  for (const auto& row : work.exec(
           "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent IN "
           "('datum.board'::regclass, 'datum.measurement'::regclass)"))
    names_.insert(row[0].c_str());
}

void Partitions::make(pqxx::transaction_base& work, const std::string& table, std::int64_t from_day,
                      std::int64_t to_day) {
  const std::string name = fmt::format("{}_{}", table, day_name(from_day));
  if (names_.contains(name) || by_default_.contains(name)) return;
  const std::string from = sql_time(from_day * us_per_day), to = sql_time(to_day * us_per_day);
  if (run(work,
          fmt::format("SELECT EXISTS (SELECT 1 FROM {}_default WHERE measured >= $1::timestamptz AND "
                      "measured < $2::timestamptz)",
                      table),
          from, to)[0][0]
          .as<bool>()) {
    by_default_.insert(name);
    return;
  }
  work.exec(
      fmt::format("CREATE TABLE {} PARTITION OF {} FOR VALUES FROM ('{}') TO ('{}')", name, table, from, to));
  names_.insert(name);
}

void Partitions::make_for(pqxx::transaction_base& work, const BatchRows& rows) {
  const std::int64_t today = now_us_() / us_per_day;
  std::set<std::int64_t> days, months;
  for (const auto& row : rows.measurements) days.insert(row.measured_us / us_per_day);
  for (const auto& row : rows.boards) months.insert(month_of(row.measured_us / us_per_day).first);
  for (const std::int64_t day : days)
    if (day >= today - measurement_days_ && day <= today + days_ahead)
      make(work, "measurement", day, day + 1);
  constexpr std::int64_t longest = 36'500;
  const std::int64_t kept = board_days_ == 0 ? longest : board_days_;
  for (const std::int64_t month : months)
    if (month >= today - kept - 31 && month <= today + days_ahead)
      make(work, "board", month, month_of(month).second);
}

void Partitions::remove_old(pqxx::connection& connection) {
  for (const Old& old : {Old{"measurement", measurement_days_}, Old{"board", board_days_}}) {
    if (old.days == 0) continue;
    pqxx::work work(connection);
    work.exec("SET LOCAL lock_timeout = '5s'");
    const auto limit_us = run(work, "SELECT least((extract(epoch FROM now()) * 1000000)::bigint, $1::bigint)",
                              std::to_string(now_us_()))[0][0]
                              .as<std::int64_t>() -
                          old.days * us_per_day;
    const std::string limit = sql_time(limit_us);
    run(work, fmt::format("DELETE FROM {}_default WHERE measured < $1::timestamptz", old.table), limit);
    const std::string stem = std::string(old.table) + '_';
    std::set<std::string> removed;
    for (const std::string& name : names_) {
      if (!name.starts_with(stem) || name == stem + "default") continue;
      // The end of a partition, as the server says it.
      const auto is_old = run(
          work,
          "SELECT (regexp_match(pg_get_expr(relpartbound, oid), 'TO \\(''([^'']*)''\\)'))[1]::timestamptz <= "
          "$2::timestamptz FROM pg_class WHERE oid = ('datum.' || $1)::regclass",
          name, limit);
      if (!is_old[0][0].as<bool>()) continue;
      work.exec("DROP TABLE " + name);
      removed.insert(name);
    }
    work.commit();
    for (const std::string& name : removed) names_.erase(name);
  }
}

}  // namespace datum

#include "daemon/collect/plant_report.h"

#include <fmt/format.h>

#include "daemon/collect/database.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

std::string shown_field(const pqxx::row& row, int column) {
  return row[column].is_null() ? "-" : row[column].c_str();
}

std::string table_of(const pqxx::result& rows, const std::vector<Table::Column>& columns) {
  Table table(columns);
  for (const auto& row : rows) {
    std::vector<Cell> cells;
    for (int i = 0; i < static_cast<int>(columns.size()); ++i) cells.push_back({shown_field(row, i)});
    table.add(cells);
  }
  return table.text(false);
}

}  // namespace

PlantReport plant_report(const std::string& connection_string) {
  using Align = Table::Align;
  PlantReport report;
  with_database_errors([&] {
    pqxx::connection connection(connection_string);
    pqxx::work work(connection);
    if (work.exec("SELECT to_regclass('datum.version') IS NULL")[0][0].as<bool>())
      throw DatabaseUnfit("it has no tables of datumd-collect");
    work.exec("SET LOCAL search_path = datum");
    report.text = table_of(
        work.exec("SELECT handle, newest_entry, behind, missing, to_char(measured AT TIME ZONE 'UTC', "
                  "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), "
                  "round(delay_s::numeric, 1), round(silent_s::numeric), decision FROM lag ORDER BY handle"),
        {{"cell"},
         {"newest entry", Align::right},
         {"behind", Align::right},
         {"missing", Align::right},
         {"newest result"},
         {"delay s", Align::right},
         {"silent s", Align::right},
         {"verdict"}});
    const auto gaps = work.exec(
        "SELECT handle, store_id, first, last, entries, CASE WHEN removed_by_retention THEN 'removed by "
        "retention' ELSE "
        "'on that cell: datumd-plant --resend-from ' || first || ', and restart it' END, "
        "removed_by_retention FROM gaps ORDER BY "
        "handle, first LIMIT 100");
    if (!gaps.empty())
      report.text += "\nmissing entries\n" + table_of(gaps, {{"cell"},
                                                             {"store"},
                                                             {"from", Align::right},
                                                             {"to", Align::right},
                                                             {"entries", Align::right},
                                                             {"what to do"}});
    const auto alarms = work.exec(
        "SELECT alarm, kind, coalesce(cell, '-'), coalesce(link::text, '-'), times, detail FROM alarm ORDER "
        "BY last_seen DESC LIMIT 20");
    if (!alarms.empty())
      report.text += "\nalarms, the newest first\n" + table_of(alarms, {{"alarm", Align::right},
                                                                        {"kind"},
                                                                        {"cell"},
                                                                        {"entry", Align::right},
                                                                        {"times", Align::right},
                                                                        {"what"}});
    for (const auto& gap : gaps) report.is_whole = report.is_whole && gap[6].as<bool>();
    report.is_whole = report.is_whole && alarms.empty();
  });
  return report;
}

}  // namespace datum

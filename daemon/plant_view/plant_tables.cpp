#include "daemon/plant_view/plant_tables.h"

#include <fmt/format.h>

#include "config/utc_time.h"
#include "daemon/report/page_text.h"

namespace datum {
namespace {

constexpr std::int64_t s_per_day = 86'400;

bool is_day(const std::string& text) {
  return text.size() == 10 && utc_from_iso8601(text + "T00:00:00Z").has_value();
}

}  // namespace

std::string day_text(std::int64_t utc_s) { return iso8601_from_utc(utc_s).substr(0, 10); }

Decision decision_of(const PlantRows& rows, int row, int column) {
  return static_cast<Decision>(rows.integer(row, column) & 3);
}

std::optional<double> percent(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::nullopt;
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void add_yield(NumberTable& table, const PlantRows& rows, int row, int at) {
  const std::int64_t boards = rows.integer(row, at), pass = rows.integer(row, at + 1);
  for (int i = 0; i < 5; ++i) table.count(rows.integer(row, at + i));
  table.number(percent(pass, boards), 5).number(percent(pass + rows.integer(row, at + 2), boards), 5);
}

std::string components_link(const std::string& recipe) { return "/component?recipe=" + url_part(recipe); }

DayRange asked_days(const PageRequest& request, std::int64_t utc_s, int usual) {
  DayRange days{asked(request, "from"), asked(request, "to")};
  if (days.to.empty()) days.to = day_text(utc_s);
  for (const auto& [name, day] : {std::pair{"from", &days.from}, std::pair{"to", &days.to}})
    if (!day->empty() && !is_day(*day))
      throw BadRequest(fmt::format("{}: '{}' is no day; a day such as 2026-01-31 is needed", name, *day));
  if (days.from.empty()) {
    const std::int64_t last = *utc_from_iso8601(days.to + "T00:00:00Z");
    days.from = day_text(last - (usual - 1) * s_per_day);
  }
  return days;
}

std::vector<std::string> recipe_names(PlantDatabase& plant) {
  const PlantRows rows =
      plant.ask(fmt::format("SELECT name FROM product ORDER BY name LIMIT {}", most_names));
  std::vector<std::string> names;
  for (int i = 0; i < rows.size(); ++i) names.push_back(rows.text(i, 0));
  return names;
}

}  // namespace datum

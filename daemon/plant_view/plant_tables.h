// Bodies of the plant's pages. Each reads within PlantDatabase::read() of the database; each throws what its ask() throws, and BadRequest.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/plant_view/plant_database.h"
#include "daemon/plant_view/plant_view_settings.h"
#include "daemon/report/plot.h"
#include "daemon/view/page_answer.h"

namespace datum {

/// Days of a request (UTC), both included; without them the `usual` newest ones.
struct DayRange {
  std::string from, to;  // YYYY-MM-DD
};
DayRange asked_days(const PageRequest& request, std::int64_t utc_s, int usual);

/// Every cell: its chain, its newest result, its boards of a shift; missing entries and alarms.
std::string cells_body(PlantDatabase& plant, const Shift& shift, std::size_t back);
/// First pass yield by recipe, yield by recipe and cell, yield by day.
std::string yield_body(PlantDatabase& plant, const PageRequest& request, std::int64_t utc_s);
/// Boards by reason, components by characteristic.
std::string pareto_body(PlantDatabase& plant, const PageRequest& request, std::int64_t utc_s);
/// Newest boards that are not PASS, with their cell and what was wrong.
std::string fails_body(PlantDatabase& plant, const PageRequest& request, std::int64_t utc_s);
/// Every attempt of a unit, in all cells.
std::string unit_body(PlantDatabase& plant, const PageRequest& request);

/// A characteristic over cells and recipes (plant_chart.cpp).
std::string component_body(PlantDatabase& plant, const PageRequest& request, std::int64_t utc_s);

/// YYYY-MM-DD.
std::string day_text(std::int64_t utc_s);
Decision decision_of(const PlantRows& rows, int row, int column);
std::optional<double> percent(std::int64_t part, std::int64_t whole);
/// Boards, PASS, INCONCLUSIVE, FAIL and INVALID from column `at` on, and the yield in percent as an interval.
void add_yield(NumberTable& table, const PlantRows& rows, int row, int at);
std::string components_link(const std::string& recipe);

/// Names of recipes, at most most_names of them.
std::vector<std::string> recipe_names(PlantDatabase& plant);
constexpr std::size_t most_names = 2000;

}  // namespace datum

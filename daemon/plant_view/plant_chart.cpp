#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "daemon/plant_view/page_form.h"
#include "daemon/plant_view/plant_tables.h"
#include "daemon/quality/spc/charts.h"
#include "daemon/quality/spc/run_rules.h"
#include "daemon/report/page_text.h"
#include "daemon/report/plot.h"

namespace datum {
namespace {

constexpr std::size_t usual_chart_days = 60, most_chart_days = 366, most_charts = 12, days_told = 8;
constexpr int count_digits = 6;  // sums are of 10^-6 of the unit
constexpr const char* chart_rules = "1,2";

/// A characteristic of a recipe in all of its texts.
struct Chosen {
  std::string recipe, reference, name, unit;
  std::string ids;                     // of all texts, as PostgreSQL's array
  std::optional<double> lower, upper;  // of the newest text
};

struct CellMean {
  std::string handle;
  std::int64_t n = 0, invalid = 0;
  std::optional<double> mean, lowest, highest;
};

struct CellDay {
  std::string day;
  std::int64_t n = 0, invalid = 0, making = 0;
  quality::Point mean;  // counts; none: only INVALID
  std::optional<double> lowest, highest;
};

std::string component_link(const std::string& recipe, const std::string& reference, const std::string& name) {
  return "/component?recipe=" + url_part(recipe) + "&reference=" + url_part(reference) +
         "&characteristic=" + url_part(name);
}

double value_of(std::int64_t count) { return static_cast<double>(count) / 1e6; }

std::string short_hash(const std::string& hash) { return hash.substr(0, 12); }

std::optional<Chosen> chosen_of(PlantDatabase& plant, const PageRequest& request) {
  Chosen c{asked(request, "recipe"),
           asked(request, "reference"),
           asked(request, "characteristic"),
           "",
           "",
           {},
           {}};
  const PlantRows rows = plant.ask(
      "SELECT characteristic, k.unit, lower_limit, upper_limit FROM characteristic k JOIN recipe r USING "
      "(recipe) JOIN product p USING "
      "(product) WHERE p.name = $1 AND k.reference = $2 AND k.name = $3 ORDER BY characteristic DESC LIMIT "
      "500",
      {c.recipe, c.reference, c.name});
  if (rows.size() == 0) return std::nullopt;
  for (int i = 0; i < rows.size(); ++i) c.ids += (i == 0 ? "{" : ",") + rows.text(i, 0);
  c.ids += "}";
  c.unit = rows.text(0, 1);
  c.lower = rows.number(0, 2);
  c.upper = rows.number(0, 3);
  return c;
}

/// As the view spc_plant, of these characteristics alone; then those of other recipes with its name.
std::string plant_table(PlantDatabase& plant, const Chosen& c) {
  const PlantRows rows = plant.ask(R"sql(
SELECT p.name, r.sha256, x.cells, x.n, x.invalid, x.pass, x.inconclusive, x.fail, i.mean, i.s, i.s_within, x.lowest / 1e6::float8, x.highest / 1e6::float8,
  k.lower_limit, k.upper_limit, i.cp, i.cpk, i.pp, i.ppk
FROM (SELECT characteristic, count(DISTINCT cell) AS cells, sum(n)::bigint AS n, sum(total) AS total, sum(squares) AS squares,
    sum(within_squares) AS within_squares, sum(within_df)::bigint AS within_df, min(lowest) AS lowest, max(highest) AS highest, sum(pass) AS pass,
    sum(inconclusive) AS inconclusive, sum(fail) AS fail, sum(invalid)::bigint AS invalid
  FROM spc_sums WHERE characteristic = ANY (ARRAY(SELECT characteristic FROM characteristic WHERE reference = $1 AND name = $2 AND unit = $3))
  GROUP BY characteristic) x
  JOIN characteristic k USING (characteristic) JOIN recipe r USING (recipe) JOIN product p USING (product)
  CROSS JOIN LATERAL spc_indices(x.n, x.total, x.squares, x.within_squares, x.within_df, x.invalid, k.lower_limit, k.upper_limit) i
ORDER BY p.name = $4 DESC, p.name, k.recipe DESC LIMIT 200)sql",
                                   {c.reference, c.name, c.unit, c.recipe});
  NumberTable table(
      "spc_plant",
      fmt::format("Over all cells, calibrations and code, a row for each text of a recipe; unit {}. s: of "
                  "all values; s within: pooled over days "
                  "of one cell, calibration and code. Where over 5 % are INVALID no index is given.",
                  c.unit),
      {"recipe", "its text", "cells", "n", "INVALID", "PASS", "INCONCLUSIVE", "FAIL", "mean", "s", "s within",
       "least", "most", "lower limit", "upper limit", "Cp", "Cpk", "Pp", "Ppk"});
  for (int i = 0; i < rows.size(); ++i) {
    table.row(rows.text(i, 0), component_link(rows.text(i, 0), c.reference, c.name))
        .text(short_hash(rows.text(i, 1)));
    for (int column = 2; column < 8; ++column) table.count(rows.integer(i, column));
    for (int column = 8; column < 19; ++column) table.number(rows.number(i, column), 6);
  }
  return heading(2, "Over recipes") + table.html();
}

std::string makings_table(PlantDatabase& plant, const Chosen& c) {
  const PlantRows rows = plant.ask(R"sql(
SELECT h.handle, r.sha256, m.calibration_sha256, m.code, x.first_day, x.last_day, x.n, x.invalid, i.mean, i.s, i.s_within, 2 * x.largest_u, i.cp, i.cpk, i.pp, i.ppk
FROM spc_sums x JOIN characteristic k USING (characteristic) JOIN recipe r USING (recipe) JOIN cell h USING (cell) JOIN making m USING (making)
  CROSS JOIN LATERAL spc_indices(x.n, x.total, x.squares, x.within_squares, x.within_df, x.invalid, k.lower_limit, k.upper_limit) i
WHERE x.characteristic = ANY ($1::int[]) ORDER BY h.handle, x.last_day DESC, x.making DESC LIMIT 1000)sql",
                                   {c.ids});
  NumberTable table(
      "spc",
      fmt::format("A row for each cell, calibration, code and text of the recipe, at most 1,000; unit {}.",
                  c.unit),
      {"cell", "recipe's text", "calibration", "code", "first day", "last day", "n", "INVALID", "mean", "s",
       "s within", "largest U (k=2)", "Cp", "Cpk", "Pp", "Ppk"});
  for (int i = 0; i < rows.size(); ++i) {
    table.row(rows.text(i, 0))
        .text(short_hash(rows.text(i, 1)))
        .text(short_hash(rows.text(i, 2)))
        .text(rows.text(i, 3));
    for (const int column : {4, 5}) table.text(rows.text(i, column));
    for (const int column : {6, 7}) table.count(rows.integer(i, column));
    for (int column = 8; column < 16; ++column) table.number(rows.number(i, column), 6);
  }
  return heading(2, "By cell, calibration and code") + table.html();
}

/// Those that lie farthest from the others' mean first.
std::vector<CellMean> cell_means(PlantDatabase& plant, const Chosen& c) {
  const PlantRows rows = plant.ask(R"sql(
SELECT handle, n, invalid, mean, lowest, highest FROM (
  SELECT h.handle, sum(n)::bigint AS n, sum(invalid)::bigint AS invalid, (sum(total) / nullif(sum(n), 0) / 1000000)::float8 AS mean,
    min(lowest) / 1e6::float8 AS lowest, max(highest) / 1e6::float8 AS highest, (sum(sum(total)) OVER () / nullif(sum(sum(n)) OVER (), 0) / 1000000)::float8 AS all_mean
  FROM spc_sums JOIN cell h USING (cell) WHERE characteristic = ANY ($1::int[]) GROUP BY h.handle) x
ORDER BY abs(mean - all_mean) DESC NULLS LAST, handle LIMIT 2000)sql",
                                   {c.ids});
  std::vector<CellMean> cells;
  for (int i = 0; i < rows.size(); ++i)
    cells.push_back({rows.text(i, 0), rows.integer(i, 1), rows.integer(i, 2), rows.number(i, 3),
                     rows.number(i, 4), rows.number(i, 5)});
  return cells;
}

void take_limits(Reach& reach, const Chosen& c) {
  for (const auto& limit : {c.lower, c.upper})
    if (limit) reach.take(*limit);
}

void draw_limits(Plot& plot, const Chosen& c) {
  if (c.lower) plot.limit(*c.lower, "lower limit");
  if (c.upper) plot.limit(*c.upper, "upper limit");
}

std::string cells_chart(const Chosen& c, const std::vector<CellMean>& cells) {
  Reach reach;
  take_limits(reach, c);
  std::int64_t n = 0;
  double sum = 0;
  for (const CellMean& cell : cells) {
    for (const auto& value : {cell.mean, cell.lowest, cell.highest})
      if (value) reach.take(*value);
    if (cell.mean) n += cell.n, sum += *cell.mean * static_cast<double>(cell.n);
  }
  Plot plot(fmt::format("{} {} by cell, {}", c.reference, c.name, c.unit),
            "Points: mean of each cell. Vertical lines: least to most. Dashed: limits of the recipe's newest "
            "text. The table has the numbers.",
            reach.axis(), cells.size());
  draw_limits(plot, c);
  if (n > 0) plot.centre(sum / static_cast<double>(n), "mean of all");
  NumberTable table(
      "cells", fmt::format("Cells; those that lie farthest from the mean of all first. Unit {}.", c.unit),
      {"cell", "n", "INVALID", "mean", "least", "most"});
  const std::size_t told = std::max<std::size_t>(1, (cells.size() + days_told - 1) / days_told);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const CellMean& cell = cells[i];
    const auto place = static_cast<double>(i);
    if (cell.mean) plot.whisker(place, *cell.lowest, *cell.highest), plot.dot(place, *cell.mean);
    if (i % told == 0) plot.label(place, cell.handle.substr(0, 20));
    table.row(cell.handle, component_link(c.recipe, c.reference, c.name) + "&cell=" + url_part(cell.handle))
        .count(cell.n)
        .count(cell.invalid)
        .number(cell.mean, 8)
        .number(cell.lowest, 8)
        .number(cell.highest, 8);
  }
  return heading(2, "Over cells") + plot.html() + table.html();
}

std::map<std::string, std::vector<CellDay>> days_of(PlantDatabase& plant, const Chosen& c,
                                                    const std::vector<CellMean>& cells,
                                                    const std::string& only, const std::string& today,
                                                    std::size_t days) {
  std::map<std::string, std::vector<CellDay>> found;
  for (const CellMean& cell : cells) {
    if (!only.empty() && cell.handle != only) continue;
    if (found.size() == most_charts) break;
    const PlantRows rows = plant.ask(R"sql(
SELECT day, sum(n)::bigint, round(sum(total) / nullif(sum(n), 0))::bigint, min(lowest) / 1e6::float8, max(highest) / 1e6::float8, sum(invalid)::bigint, max(making)
FROM sums JOIN cell USING (cell) WHERE handle = $1 AND characteristic = ANY ($2::int[]) AND series = 0 AND day > $3::date - $4::int AND day <= $3::date
GROUP BY day ORDER BY day LIMIT 366)sql",
                                     {cell.handle, c.ids, today, std::to_string(days)});
    for (int i = 0; i < rows.size(); ++i)
      found[cell.handle].push_back(
          {rows.text(i, 0), rows.integer(i, 1), rows.integer(i, 5), rows.integer(i, 6),
           rows.is_null(i, 2) ? quality::Point{} : rows.integer(i, 2), rows.number(i, 3), rows.number(i, 4)});
  }
  return found;
}

/// Days at which rules are completed, with their words.
std::map<std::size_t, std::string> signals_of(const std::vector<CellDay>& days,
                                              const quality::IndividualsChart& chart) {
  std::vector<std::optional<double>> z;
  for (const CellDay& d : days)
    z.push_back(d.mean && chart.sigma > 0 ? std::optional((value_of(*d.mean) - chart.mean) / chart.sigma)
                                          : std::nullopt);
  std::map<std::size_t, std::string> signals;
  for (const quality::RuleHit& hit : quality::rule_hits(z, quality::rule_set_of(chart_rules))) {
    std::string& words = signals[hit.last];
    words += (words.empty() ? "" : "; ") + std::string(quality::rule_text(hit.rule));
  }
  return signals;
}

std::string days_chart(const Chosen& c, const std::string& handle, const std::vector<CellDay>& days,
                       std::size_t number) {
  std::vector<quality::Point> points;
  for (const CellDay& d : days) points.push_back(d.mean);
  const auto chart = quality::individuals_chart(points, count_digits);
  const auto signals = signals_of(days, chart);
  const bool has_limits = chart.ranges_n > 0;
  Reach reach;
  if (has_limits)
    for (const double v : {chart.values.lower, chart.values.upper}) reach.take(v);
  for (const CellDay& d : days)
    if (d.mean) reach.take(value_of(*d.mean));
  Plot plot(fmt::format("{}: daily means, {}", handle, c.unit),
            "Points: mean of each day with measurements; a gap has INVALID alone. Diamonds: a rule is hit. "
            "Dashed: control limits. Vertical: "
            "another calibration or code from here on. The table has the numbers.",
            reach.axis(), days.size());
  if (has_limits) {
    plot.centre(chart.mean, "mean");
    plot.limit(chart.values.lower, "lower control limit");
    plot.limit(chart.values.upper, "upper control limit");
  }
  NumberTable table(fmt::format("days_{}", number),
                    has_limits ? fmt::format("Control limits {:.7g} to {:.7g}, centre {:.7g}: daily means as "
                                             "individuals, 3 sigma of their moving range. Rules {}.",
                                             chart.values.lower, chart.values.upper, chart.mean, chart_rules)
                               : std::string("No control limits: two days with measurements are needed."),
                    {"day (UTC)", "n", "INVALID", "mean", "least", "most", "signal"});
  std::vector<std::optional<double>> line;
  const std::size_t told = std::max<std::size_t>(1, (days.size() + days_told - 1) / days_told);
  for (std::size_t i = 0; i < days.size(); ++i) {
    const CellDay& d = days[i];
    const auto place = static_cast<double>(i);
    const bool is_signal = signals.count(i) > 0;
    line.push_back(d.mean ? std::optional(value_of(*d.mean)) : std::nullopt);
    if (line.back()) plot.dot(place, *line.back(), is_signal);
    if (i % told == 0) plot.label(place, d.day);
    if (i > 0 && d.making != days[i - 1].making) plot.post(place - 0.5, "calibration, code");
    table.row(d.day)
        .count(d.n)
        .count(d.invalid)
        .number(line.back(), 8)
        .number(d.lowest, 8)
        .number(d.highest, 8)
        .text(is_signal ? signals.at(i) : "");
  }
  plot.line(line);
  return heading(3, handle) + plot.html() + table.html();
}

std::string characteristics_list(PlantDatabase& plant, const std::string& recipe) {
  const PlantRows rows = plant.ask(fmt::format("SELECT DISTINCT reference, k.name FROM characteristic k JOIN "
                                               "recipe r USING (recipe) JOIN product p USING (product) WHERE "
                                               "p.name = $1 ORDER BY 1, 2 LIMIT {}",
                                               most_names),
                                   {recipe});
  std::vector<std::pair<std::string, std::string>> links;
  for (int i = 0; i < rows.size(); ++i)
    links.emplace_back(rows.text(i, 0) + " " + rows.text(i, 1),
                       component_link(recipe, rows.text(i, 0), rows.text(i, 1)));
  return heading(2, "Characteristics of " + recipe) + link_list("names", links);
}

std::string charts_of(PlantDatabase& plant, const PageRequest& request, const Chosen& c, std::int64_t utc_s,
                      std::size_t days) {
  const auto cells = cell_means(plant, c);
  if (cells.empty()) return paragraph("Nothing was measured of it.", "none");
  const std::string only = asked(request, "cell");
  std::string html = cells_chart(c, cells) + heading(2, "By day");
  if (only.empty() && cells.size() > most_charts)
    html +=
        paragraph(fmt::format("Drawn: {} of {} cells, those that lie farthest from the mean of all. The "
                              "table of cells leads to each.",
                              most_charts, cells.size()));
  std::size_t number = 0;
  for (const auto& [handle, of_cell] : days_of(plant, c, cells, only, day_text(utc_s), days))
    html += days_chart(c, handle, of_cell, ++number);
  return html + plant_table(plant, c) + makings_table(plant, c);
}

}  // namespace

std::string component_body(PlantDatabase& plant, const PageRequest& request, std::int64_t utc_s) {
  const std::string recipe = asked(request, "recipe"), reference = asked(request, "reference");
  const std::size_t days = asked_number(request, "days", usual_chart_days, most_chart_days);
  std::string html =
      heading(1, "Component " + reference + " " + asked(request, "characteristic")) +
      PageForm("/component").choice("Recipe", "recipe", recipe_names(plant), recipe, "-").html();
  if (!reference.empty()) {
    const auto chosen = chosen_of(plant, request);
    html += chosen ? charts_of(plant, request, *chosen, utc_s, days)
                   : paragraph("No recipe of the plant has this characteristic.", "none");
  }
  return recipe.empty() ? html : html + characteristics_list(plant, recipe);
}

}  // namespace datum

#include "daemon/plant_view/plant_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "daemon/plant_view/page_form.h"
#include "daemon/report/page_text.h"

namespace datum {
namespace {

constexpr int usual_days = 2, most_bars = 25;

/// Bars beside the table of their numbers.
std::string pareto(const std::string& title, const PlantRows& rows, NumberTable& table,
                   const std::function<std::string(int row)>& label) {
  if (rows.size() == 0) return heading(2, title) + paragraph("None.");
  Reach reach;
  reach.take(0);
  for (int i = 0; i < rows.size(); ++i) reach.take(*rows.number(i, 0));
  Plot plot(title, "Bars: the largest numbers of the table below, in its order.", reach.axis(),
            static_cast<std::size_t>(std::min(rows.size(), most_bars)));
  for (int i = 0; i < std::min(rows.size(), most_bars); ++i) {
    plot.bar(i - 0.4, i + 0.4, *rows.number(i, 0));
    if (rows.size() <= 8 || i % 4 == 0) plot.label(i, label(i));
  }
  return heading(2, title) + plot.html() + table.html();
}

/// As the view first_pass_yield, of units that entered on these days alone. It reads each of them: where they are too many, it says so.
std::string first_pass_section(PlantDatabase& plant, const DayRange& days) {
  try {
    // What the page has read before takes the rest of its time.
    plant.ask("SELECT set_config('statement_timeout', $1, true)",
              {std::to_string(plant.page_limit().count() / 2)});
    const PlantRows units = plant.ask(R"sql(
WITH candidate AS (SELECT DISTINCT product, unit FROM unit WHERE entered >= $1::date AND entered < $2::date + 1),
attempt AS (
  SELECT product, (array_agg(first_decision ORDER BY first, cell) FILTER (WHERE first IS NOT NULL))[1] AS first_decision,
    (array_agg(last_decision ORDER BY last DESC, cell))[1] AS last_decision, sum(attempts) AS attempts
  FROM unit JOIN candidate USING (product, unit) GROUP BY product, unit HAVING min(entered) >= $1::date),
counted AS (
  SELECT product, first_decision, last_decision, count(*) AS units, sum(attempts) AS attempts FROM attempt GROUP BY 1, 2, 3
  UNION ALL
  SELECT r.product, CASE WHEN decision < 3 THEN decision END, decision, sum(boards), sum(boards)
  FROM board_sums JOIN recipe r USING (recipe) WHERE series = 3 AND day BETWEEN $1::date AND $2::date GROUP BY 1, 2, 3)
SELECT p.name, sum(units)::bigint, coalesce(sum(units) FILTER (WHERE first_decision = 0), 0)::bigint,
    coalesce(sum(units) FILTER (WHERE first_decision = 1), 0)::bigint, coalesce(sum(units) FILTER (WHERE first_decision = 2), 0)::bigint,
    coalesce(sum(units) FILTER (WHERE first_decision IS NULL), 0)::bigint, coalesce(sum(units) FILTER (WHERE last_decision = 0), 0)::bigint,
  sum(attempts)::bigint
FROM counted JOIN product p USING (product) GROUP BY p.name ORDER BY p.name LIMIT 2000)sql",
                                      {days.from, days.to});
    NumberTable fpy(
        "first_pass_yield",
        "Units that entered on these days, over all cells. Their first attempt that is not INVALID "
        "decides the first pass, the last "
        "attempt the final yield; an INCONCLUSIVE first attempt makes the yield an interval.",
        {"recipe", "units", "first PASS", "first INCONCLUSIVE", "first FAIL", "INVALID alone",
         "first pass yield %, at least", "at most", "final yield %", "attempts"});
    for (int i = 0; i < units.size(); ++i) {
      fpy.row(units.text(i, 0), components_link(units.text(i, 0)));
      add_yield(fpy, units, i, 1);
      fpy.number(percent(units.integer(i, 6), units.integer(i, 1)), 5).count(units.integer(i, 7));
    }

    if (fpy.empty()) return "";
    return heading(2, "First pass yield by recipe") + fpy.html();
  } catch (const PlantTimeout&) {
    return heading(2, "First pass yield by recipe") +
           paragraph(
               "Too many units entered on these days for one page. Ask for fewer days, or the view "
               "first_pass_yield of the database.",
               "too_many_units");
  }
}

}  // namespace

std::string yield_body(PlantDatabase& plant, const PageRequest& request, std::int64_t utc_s) {
  const DayRange days = asked_days(request, utc_s, usual_days);
  const std::vector<std::string> bounds{days.from, days.to};
  std::string html =
      heading(1, "Yield") +
      PageForm("/yield").text("from", "from", days.from, 12).text("to", "to", days.to, 12).html();
  const PlantRows cells = plant.ask(R"sql(
SELECT p.name, c.handle, coalesce(sum(boards) FILTER (WHERE b.series <> 1), 0)::bigint,
  coalesce(sum(boards) FILTER (WHERE b.series <> 1 AND b.decision = 0), 0)::bigint, coalesce(sum(boards) FILTER (WHERE b.series <> 1 AND b.decision = 1), 0)::bigint,
  coalesce(sum(boards) FILTER (WHERE b.series <> 1 AND b.decision = 2), 0)::bigint, coalesce(sum(boards) FILTER (WHERE b.series <> 1 AND b.decision = 3), 0)::bigint,
  coalesce(sum(boards) FILTER (WHERE b.series = 1), 0)::bigint
FROM board_sums b JOIN recipe r USING (recipe) JOIN product p USING (product) JOIN cell c USING (cell)
WHERE b.series <> 2 AND day BETWEEN $1::date AND $2::date GROUP BY p.name, c.handle ORDER BY p.name, c.handle LIMIT 5000)sql",
                                    bounds);
  NumberTable by_cell("yield",
                      "First measurements, and boards without a serial number. INVALID is never good; "
                      "repeats are in none of the others.",
                      {"recipe", "cell", "boards", "PASS", "INCONCLUSIVE", "FAIL", "INVALID",
                       "yield %, at least", "at most", "repeats"});
  for (int i = 0; i < cells.size(); ++i) {
    by_cell.row(cells.text(i, 0), components_link(cells.text(i, 0))).text(cells.text(i, 1));
    add_yield(by_cell, cells, i, 2);
    by_cell.count(cells.integer(i, 7));
  }
  if (by_cell.empty()) return html + paragraph("No board was measured on these days.", "none");
  return html + first_pass_section(plant, days) + heading(2, "Yield by recipe and cell") + by_cell.html();
}

std::string pareto_body(PlantDatabase& plant, const PageRequest& request, std::int64_t utc_s) {
  const DayRange days = asked_days(request, utc_s, usual_days);
  const std::string recipe = asked(request, "recipe"), cell = asked(request, "cell");
  const std::vector<std::string> chosen{days.from, days.to, recipe, cell};
  const std::string html = heading(1, "Pareto") + PageForm("/pareto")
                                                      .text("from", "from", days.from, 12)
                                                      .text("to", "to", days.to, 12)
                                                      .choice("Recipe", "recipe", recipe_names(plant), recipe)
                                                      .text("Cell", "cell", cell, 24)
                                                      .html();
  const PlantRows reasons = plant.ask(R"sql(
SELECT sum(boards)::bigint AS n, b.decision, e.name, count(DISTINCT b.cell)
FROM board_sums b JOIN recipe r USING (recipe) JOIN product p USING (product) JOIN cell c USING (cell) JOIN reason e ON e.reason = b.reason
WHERE b.series <> 2 AND b.decision <> 0 AND day BETWEEN $1::date AND $2::date AND $3 IN ('', p.name) AND $4 IN ('', c.handle)
GROUP BY b.decision, e.name ORDER BY n DESC, b.decision, e.name LIMIT 200)sql",
                                      chosen);
  NumberTable by_reason(
      "reasons",
      "Boards that are not PASS, repeats included. FAIL has its causes in the table of characteristics.",
      {"reason", "boards", "decision", "cells"});
  for (int i = 0; i < reasons.size(); ++i)
    by_reason.row(reasons.text(i, 2))
        .count(reasons.integer(i, 0))
        .decision(decision_of(reasons, i, 1))
        .count(reasons.integer(i, 3));
  const PlantRows parts = plant.ask(R"sql(
SELECT sum(s.fail)::bigint AS n, sum(s.inconclusive)::bigint, sum(s.invalid)::bigint, p.name, k.reference, k.name, count(DISTINCT s.cell)
FROM sums s JOIN characteristic k USING (characteristic) JOIN recipe r USING (recipe) JOIN product p USING (product) JOIN cell c USING (cell)
WHERE s.series <> 2 AND s.day BETWEEN $1::date AND $2::date AND $3 IN ('', p.name) AND $4 IN ('', c.handle) AND s.fail + s.inconclusive + s.invalid > 0
GROUP BY p.name, k.reference, k.name ORDER BY n DESC, 3 DESC, 2 DESC, p.name, k.reference, k.name LIMIT 200)sql",
                                    chosen);
  NumberTable by_part("characteristics",
                      "Characteristics that were not PASS, by the number of their FAIL; at most 200.",
                      {"component", "FAIL", "INCONCLUSIVE", "INVALID", "characteristic", "recipe", "cells"});
  for (int i = 0; i < parts.size(); ++i)
    by_part
        .row(parts.text(i, 4), components_link(parts.text(i, 3)) +
                                   "&reference=" + url_part(parts.text(i, 4)) +
                                   "&characteristic=" + url_part(parts.text(i, 5)))
        .count(parts.integer(i, 0))
        .count(parts.integer(i, 1))
        .count(parts.integer(i, 2))
        .text(parts.text(i, 5))
        .text(parts.text(i, 3))
        .count(parts.integer(i, 6));
  return html + pareto("Boards by reason", reasons, by_reason, [&](int i) { return reasons.text(i, 2); }) +
         pareto("Characteristics by FAIL", parts, by_part,
                [&](int i) { return parts.text(i, 4) + " " + parts.text(i, 5); });
}

}  // namespace datum

#include "daemon/plant_view/plant_tables.h"

#include <fmt/format.h>

#include "daemon/plant_view/page_form.h"
#include "daemon/report/page_text.h"

namespace datum {
namespace {

constexpr std::int64_t s_per_hour = 3600;
constexpr std::size_t usual_hours = 24, most_hours = 8784;

}  // namespace

std::string fails_body(PlantDatabase& plant, const PageRequest& request, std::int64_t utc_s) {
  const std::size_t hours = asked_number(request, "hours", usual_hours, most_hours);
  const std::string recipe = asked(request, "recipe"), cell = asked(request, "cell");
  const std::vector<std::string> decisions{"FAIL", "INVALID", "INCONCLUSIVE"};
  const std::string decision = asked(request, "decision");
  std::string html = heading(1, "Newest boards that are not PASS") +
                     PageForm("/fails")
                         .text("hours", "hours", std::to_string(hours), 5)
                         .choice("Decision", "decision", decisions, decision)
                         .choice("Recipe", "recipe", recipe_names(plant), recipe)
                         .text("Cell", "cell", cell, 24)
                         .html();
  const PlantRows boards = plant.ask(
      R"sql(
WITH newest AS (
  SELECT b.measured, b.store, b.link, b.sequence, b.unit, b.decision, c.handle, p.name AS recipe, e.name AS reason
  FROM board b JOIN recipe r USING (recipe) JOIN product p USING (product) JOIN store s USING (store) JOIN cell c USING (cell)
    JOIN decision d ON d.decision = b.decision JOIN reason e ON e.reason = b.reason
  WHERE b.measured >= to_timestamp($1::float8) AND b.decision <> 0 AND b.series <> 2 AND $2 IN ('', d.name) AND $3 IN ('', p.name) AND $4 IN ('', c.handle)
  ORDER BY b.measured DESC, b.store, b.sequence LIMIT 50)
SELECT n.handle, to_char(n.measured, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), n.decision, n.reason, n.unit, n.recipe, n.sequence, w.what
FROM newest n LEFT JOIN LATERAL (
  SELECT string_agg(words, '; ') AS what FROM (
    SELECT k.reference || ' ' || k.name || ' ' || f.name || coalesce(' ' || round(m.count / 1e6, 3) || ' ' || k.unit, '') ||
      CASE WHEN m.decision = 3 THEN ' ' || e.name ELSE '' END AS words
    FROM measurement m JOIN characteristic k USING (characteristic) JOIN decision f ON f.decision = m.decision JOIN reason e ON e.reason = m.reason
    WHERE m.measured = n.measured AND m.store = n.store AND m.link = n.link AND m.decision <> 0
    ORDER BY m.decision = n.decision DESC, m.decision DESC, k.reference, k.name LIMIT 4) x) w ON true
ORDER BY n.measured DESC, n.store, n.sequence)sql",
      {std::to_string(utc_s - static_cast<std::int64_t>(hours) * s_per_hour), decision, recipe, cell});
  if (boards.size() == 0) return html + paragraph("There is none.", "none");
  NumberTable table("fails",
                    "The newest first, at most 50. What: up to four characteristics of the board's decision.",
                    {"cell", "measured (UTC)", "decision", "why", "what", "unit", "recipe", "result"});
  for (int i = 0; i < boards.size(); ++i)
    table.row(boards.text(i, 0), "/fails?cell=" + url_part(boards.text(i, 0)))
        .text(boards.text(i, 1))
        .decision(decision_of(boards, i, 2))
        .text(boards.text(i, 3))
        .text(boards.text(i, 7))
        .text(boards.text(i, 4))
        .text(boards.text(i, 5))
        .count(boards.integer(i, 6));
  return html + table.html();
}

std::string unit_body(PlantDatabase& plant, const PageRequest& request) {
  const std::string unit = asked(request, "unit");
  std::string html = heading(1, "Unit " + unit);
  const PlantRows boards = plant.ask(
      "SELECT handle, to_char(measured, 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), d.decision, reason, recipe, "
      "place, "
      "series, sequence FROM boards JOIN decision d ON d.name = boards.decision WHERE unit = $1 AND unit <> "
      "'' ORDER BY measured DESC, handle, "
      "sequence DESC LIMIT 200",
      {unit});
  if (boards.size() == 0) return html + paragraph("No board of any cell has this serial number.", "none");
  NumberTable table(
      "attempts", "Every attempt that is kept, in all cells, the newest first; at most 200.",
      {"cell", "measured (UTC)", "decision", "why", "recipe", "place in its panel", "series", "result"});
  for (int i = 0; i < boards.size(); ++i)
    table.row(boards.text(i, 0))
        .text(boards.text(i, 1))
        .decision(decision_of(boards, i, 2))
        .text(boards.text(i, 3))
        .text(boards.text(i, 4))
        .text(boards.text(i, 5))
        .text(boards.text(i, 6))
        .count(boards.integer(i, 7));
  return html + table.html();
}

}  // namespace datum

#include "daemon/plant_view/plant_tables.h"

#include <fmt/format.h>

#include "config/utc_time.h"
#include "daemon/plant_view/page_form.h"
#include "daemon/plant_view/plant_tables.h"
#include "daemon/report/page_text.h"

namespace datum {
namespace {

std::string gaps_and_alarms(PlantDatabase& plant) {
  std::string html = heading(2, "Missing entries");
  const PlantRows gaps = plant.ask(
      "SELECT handle, first, last, entries, to_char(since, 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), CASE WHEN "
      "removed_by_retention THEN 'removed by the cell''s retention: nothing can be done' ELSE 'on that cell: "
      "datumd-plant --resend-from ' || first || ', and restart it' END FROM gaps ORDER BY handle, first "
      "LIMIT 200");
  if (gaps.size() == 0) html += paragraph("No entry of any cell is missing.", "no_gaps");
  NumberTable missing("gaps", "Entries of cells' chains that are not here; at most 200 rows.",
                      {"cell", "from", "to", "entries", "since (UTC)", "what to do"});
  for (int i = 0; i < gaps.size(); ++i)
    missing.row(gaps.text(i, 0))
        .count(gaps.integer(i, 1))
        .count(gaps.integer(i, 2))
        .count(gaps.integer(i, 3))
        .text(gaps.text(i, 4))
        .text(gaps.text(i, 5));
  if (!missing.empty()) html += missing.html();
  const PlantRows alarms = plant.ask(
      "SELECT alarm, kind, coalesce(cell, '-'), coalesce(link::text, '-'), times, to_char(last_seen, "
      "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), detail FROM alarm ORDER BY last_seen DESC, alarm DESC LIMIT 50");
  html += heading(2, "Alarms");
  if (alarms.size() == 0) return html + paragraph("There is none.", "no_alarms");
  NumberTable table("alarms", "What was set aside or is to be looked at, the newest first; at most 50.",
                    {"alarm", "kind", "cell", "entry", "times", "last (UTC)", "what"});
  for (int i = 0; i < alarms.size(); ++i)
    table.row(alarms.text(i, 0))
        .text(alarms.text(i, 1))
        .text(alarms.text(i, 2))
        .text(alarms.text(i, 3))
        .count(alarms.integer(i, 4))
        .text(alarms.text(i, 5))
        .text(alarms.text(i, 6));
  return html + table.html();
}

/// In words: what a cell's chain lacks here.
std::string chain_words(std::int64_t missing, std::int64_t behind, std::int64_t alarms) {
  std::string words;
  if (missing > 0) words = fmt::format("{} entries missing", missing);
  if (behind > 0) words += fmt::format("{}{} behind", words.empty() ? "" : ", ", behind);
  if (alarms > 0) words += fmt::format("{}{} alarms", words.empty() ? "" : ", ", alarms);
  return words.empty() ? "whole" : words;
}

std::string cells_table(const PlantRows& cells) {
  NumberTable table(
      "cells",
      "Those with missing entries, entries behind or alarms first; at most 2,000. Delay: from the newest "
      "result's measurement to "
      "its arrival here. Silent: since anything came. Boards, decisions and yield: first "
      "measurements of the shift; INVALID is never good, INCONCLUSIVE makes the yield an interval.",
      {"cell", "chain", "newest entry", "delay, s", "silent, s", "newest result", "decision", "why", "unit",
       "recipe", "boards", "PASS", "INCONCLUSIVE", "FAIL", "INVALID", "yield %, at least", "at most"});
  for (int i = 0; i < cells.size(); ++i) {
    table.row(cells.text(i, 0), "/fails?cell=" + url_part(cells.text(i, 0)))
        .text(chain_words(cells.integer(i, 2), cells.integer(i, 3), cells.integer(i, 4)))
        .count(cells.integer(i, 1))
        .number(cells.number(i, 5), 4)
        .number(cells.number(i, 6), 6)
        .text(cells.text(i, 7));
    cells.is_null(i, 8) ? table.text("-") : table.decision(decision_of(cells, i, 8));
    for (int column = 9; column < 12; ++column) table.text(cells.text(i, column));
    add_yield(table, cells, i, 12);
  }
  return table.html();
}

}  // namespace

std::string cells_body(PlantDatabase& plant, const Shift& shift, std::size_t back) {
  const PlantRows cells = plant.ask(
      R"sql(SELECT l.handle, l.newest_entry, l.missing, l.behind, coalesce(a.alarms, 0), l.delay_s, l.silent_s,
  to_char(l.measured, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), d.decision, l.reason, l.unit, l.recipe,
  coalesce(b.boards, 0), coalesce(b.pass, 0), coalesce(b.inconclusive, 0), coalesce(b.fail, 0), coalesce(b.invalid, 0)
FROM lag l LEFT JOIN decision d ON d.name = l.decision
  LEFT JOIN (SELECT cell AS handle, count(*) AS alarms FROM alarm GROUP BY cell) a USING (handle)
  LEFT JOIN (SELECT c.handle, sum(n) AS boards, sum(n) FILTER (WHERE g.decision = 0) AS pass, sum(n) FILTER (WHERE g.decision = 1) AS inconclusive,
      sum(n) FILTER (WHERE g.decision = 2) AS fail, sum(n) FILTER (WHERE g.decision = 3) AS invalid
    FROM (SELECT store, decision, count(*) AS n FROM board WHERE measured >= to_timestamp($1::float8) AND measured < to_timestamp($2::float8)
      AND series IN (0, 3) GROUP BY store, decision) g JOIN store USING (store) JOIN cell c USING (cell) GROUP BY c.handle) b USING (handle)
ORDER BY (l.missing > 0 OR l.behind > 0 OR a.alarms > 0) DESC NULLS LAST, handle LIMIT 2000)sql",
      {std::to_string(shift.from), std::to_string(shift.to)});
  std::int64_t whole = 0, boards = 0;
  for (int i = 0; i < cells.size(); ++i) {
    whole += chain_words(cells.integer(i, 2), cells.integer(i, 3), cells.integer(i, 4)) == "whole" ? 1 : 0;
    boards += cells.integer(i, 12);
  }
  std::string html =
      heading(1, "Cells") +
      paragraph(
          fmt::format("{} cells; the chains of {} are whole here. {} boards were measured for the first "
                      "time from {} to {} (UTC).",
                      cells.size(), whole, boards, iso8601_from_utc(shift.from), iso8601_from_utc(shift.to)),
          "summary");
  std::vector<std::pair<std::string, std::string>> links{
      {"the shift before", fmt::format("/?back={}", back + 1)}};
  if (back > 0) links.push_back({"the running shift", "/"});
  html += link_list("shifts", links);
  if (cells.size() == 0) html += paragraph("No cell has sent anything yet.", "no_cells");
  return html + cells_table(cells) + gaps_and_alarms(plant);
}

}  // namespace datum

#include "daemon/store/result_export.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <stdexcept>

#include "config/utc_time.h"

namespace datum {
namespace {

constexpr int component_cells = 16;  // beside the cells of the board
constexpr std::uint64_t batch = 64;  // results in memory at once

/// A spreadsheet takes such a cell for a formula, and other systems name units, frames and components. A leading
/// apostrophe makes it text (OWASP, "CSV Injection").
std::string no_formula(const std::string& text) {
  const bool formula = !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
  return formula ? "'" + text : text;
}

std::string quoted(const std::string& cell) {
  const std::string text = no_formula(cell);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// Shortest form that parses to the same number; empty for none.
std::string number(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

class Row {
 public:
  Row& text(const std::string& cell) {
    line_ += (line_.empty() ? "" : ",") + quoted(cell);
    return *this;
  }
  Row& value(std::optional<double> cell) {
    line_ += "," + number(cell);
    return *this;
  }
  std::string end() const { return line_ + "\r\n"; }

 private:
  std::string line_;
};

constexpr const char* board_columns =
    "sequence,store_id,measured_at,unit_id,recipe,recipe_sha256,calibration,calibration_sha256,sensor_serial,"
    "frame_id,"
    "frame_sha256,board_decision,board_reason,board_detail,code,backend,chain_sha256";

Row board_cells(const BoardVerdict& v, const std::string& chain) {
  Row row;
  row.text(std::to_string(v.sequence)).text(v.store_id).text(v.measured_at).text(v.unit_id);
  row.text(v.recipe).text(v.recipe_sha256).text(v.calibration).text(v.calibration_sha256);
  row.text(v.sensor_serial).text(v.frame_id).text(v.frame_sha256).text(name_of(v.decision));
  return row.text(name_of(v.reason)).text(v.detail).text(v.code).text(v.backend).text(chain);
}

std::string board_row(const BoardVerdict& v, const std::string& chain) {
  std::size_t decided[4] = {};
  for (const ComponentVerdict& c : v.components) ++decided[static_cast<std::size_t>(c.decision)];
  Row row = board_cells(v, chain);
  for (const Decision d : {Decision::pass, Decision::inconclusive, Decision::fail, Decision::invalid})
    row.text(std::to_string(decided[static_cast<std::size_t>(d)]));
  return row.end();
}

std::string check_row(const BoardVerdict& v, const std::string& chain, const ComponentVerdict& component,
                      const CheckVerdict& check) {
  const bool measured =
      check.decision != Decision::invalid;  // a number beside INVALID could be mistaken for a measurement
  const auto known = [&](double x) { return measured ? std::optional(x) : std::nullopt; };
  Row row = board_cells(v, chain);
  row.text(component.reference).text(component.package).text(name_of(component.decision));
  row.text(name_of(check.check.characteristic)).value(check.check.parameter);
  row.text(unit_of(check.check.characteristic)).value(known(check.value)).value(known(2 * check.u));
  row.value(check.check.nominal).value(check.check.lower).value(check.check.upper);
  row.value(known(check.p_conform)).value(known(check.capability));
  return row.text(name_of(check.decision)).text(name_of(check.reason)).text(check.detail).end();
}

std::string component_rows(const BoardVerdict& v, const std::string& chain) {
  std::string rows;
  for (const ComponentVerdict& component : v.components)
    for (const CheckVerdict& check : component.checks) rows += check_row(v, chain, component, check);
  if (!rows.empty()) return rows;
  Row row = board_cells(v, chain);
  for (int cell = 0; cell < component_cells; ++cell) row.value(std::nullopt);
  return row.end();
}

constexpr std::size_t date_only = 10;

/// Accepts only an existing day or second, so that no bound is misread.
void demand_time(const std::string& time) {
  if (!utc_from_iso8601(time.size() == date_only ? time + "T00:00:00Z" : time))
    throw std::invalid_argument("'" + time +
                                "' is no time; allowed: 2026-01-31 or 2026-01-31T10:00:00Z (UTC)");
}

}  // namespace

std::string export_header(ExportRows rows) {
  if (rows == ExportRows::json_lines) return "";
  const std::string board = board_columns;
  if (rows == ExportRows::boards)
    return board + ",components_pass,components_inconclusive,components_fail,components_invalid\r\n";
  return board +
         ",component,package,component_decision,characteristic,parameter,unit,value,U_k2,nominal,lower,upper,"
         "p_conform,"
         "capability,decision,reason,detail\r\n";
}

std::string export_rows(ExportRows rows, const StoredResult& result, const std::string& chain) {
  if (rows == ExportRows::json_lines)
    return fmt::format("{{\"chain_sha256\":\"{}\",\"verdict\":{}}}\n", chain, result.json);
  const BoardVerdict v = result.verdict();
  return rows == ExportRows::boards ? board_row(v, chain) : component_rows(v, chain);
}

Exported export_results(ResultStore& store, const ResultFilter& filter, ExportRows rows,
                        const std::function<void(const std::string&)>& write) {
  Exported done;
  ResultFilter next = filter;
  write(export_header(rows));
  for (;;) {
    const auto results = store.list(next, batch, ResultOrder::oldest_first);
    for (const StoredResult& result : results) {
      write(export_rows(rows, result, store.chain_sha256(result.sequence)));
      if (done.results++ == 0) done.first = result.sequence;
      done.last = result.sequence;
    }
    if (results.size() < batch) return done;
    next.after = results.back().sequence;
  }
}

// Stored times have microseconds ("...:00.000000Z"). Compared as text, a bound without its Z precedes all of them.
std::string from_bound(const std::string& time) {
  demand_time(time);
  return time.substr(0, time.size() - (time.size() > date_only));
}

std::string before_bound(const std::string& time) {
  demand_time(time);
  return time.size() == date_only ? time + "U" : time.substr(0, time.size() - 1);  // 'U' follows every "T..."
}

}  // namespace datum

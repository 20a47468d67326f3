#include "daemon/store/result_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "config/utc_time.h"
#include "daemon/inspection/verdict/plain_reason.h"
#include "daemon/store/export_columns.h"

namespace datum {
namespace {

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

/// `value` with so many decimals; empty for none.
std::string rounded(std::optional<double> value, int decimals) {
  return value && std::isfinite(*value) ? fmt::format("{:.{}f}", *value, decimals) : "";
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
  Row& value(std::optional<double> cell, int decimals) {
    line_ += "," + rounded(cell, decimals);
    return *this;
  }
  std::string end() const { return line_ + "\r\n"; }

 private:
  std::string line_;
};

Row board_cells(const BoardVerdict& v, const std::string& chain) {
  Row row;
  row.text(std::to_string(v.sequence)).text(v.store_id).text(v.measured_at).text(v.unit_id);
  row.text(v.recipe).text(v.recipe_sha256).text(v.calibration).text(v.calibration_sha256);
  row.text(v.sensor_serial).text(v.frame_id).text(v.frame_sha256).text(name_of(v.decision));
  return row.text(name_of(v.reason)).text(v.detail).text(v.code).text(v.backend).text(chain);
}

std::string board_row(const BoardVerdict& v, const std::string& chain) {
  const std::array<std::uint32_t, 4> decided = component_counts(v);
  Row row = board_cells(v, chain);
  for (const Decision d : {Decision::pass, Decision::inconclusive, Decision::fail, Decision::invalid})
    row.text(std::to_string(decided[static_cast<std::size_t>(d)]));
  std::string not_passed;
  for (const ComponentVerdict& c : v.components)
    if (c.decision != Decision::pass && !is_skipped(c))
      not_passed += (not_passed.empty() ? "" : " ") + c.reference;
  const BoardCounts boards = counts_of(v.boards);
  row.text(not_passed).text(plain_reason(v));
  for (const std::uint32_t n : boards.of) row.text(v.boards.empty() ? "" : std::to_string(n));
  return row.text(v.boards.empty() ? "" : std::to_string(boards.skipped)).end();
}

/// Board of a panel that the component belongs to; null: of a single board.
const PanelBoard* board_of(const BoardVerdict& v, const ComponentVerdict& component) {
  const auto at = component.reference.rfind('@');
  if (v.boards.empty() || at == std::string::npos) return nullptr;
  const std::string name = component.reference.substr(at + 1);
  const auto board =
      std::find_if(v.boards.begin(), v.boards.end(), [&](const PanelBoard& b) { return b.name == name; });
  return board == v.boards.end() ? nullptr : &*board;
}

std::string check_row(const BoardVerdict& v, const std::string& chain, const ComponentVerdict& component,
                      const CheckVerdict& check) {
  const bool measured =
      check.decision != Decision::invalid;  // a number beside INVALID could be mistaken for a measurement
  const auto known = [&](double x) { return measured ? std::optional(x) : std::nullopt; };
  const int decimals = decimals_of(2 * check.u);
  constexpr int of_probability = 6, of_capability = 3;
  Row row = board_cells(v, chain);
  row.text(component.reference).text(component.package).text(name_of(component.decision));
  row.text(name_of(check.check.characteristic)).value(check.check.parameter);
  row.text(unit_of(check.check.characteristic))
      .value(known(check.value), decimals)
      .value(known(2 * check.u), decimals);
  row.value(check.check.nominal).value(check.check.lower).value(check.check.upper);
  row.value(known(check.p_conform), of_probability).value(known(check.capability), of_capability);
  row.text(name_of(check.decision)).text(name_of(check.reason)).text(check.detail);
  const PanelBoard* board = board_of(v, component);
  const auto& defect = component.defect;
  return row.text(board ? board->name : "")
      .text(board ? board->unit_id : "")
      .text(board ? word_of(*board) : "")
      .text(defect ? name_of(defect->word) : "")
      .text(defect ? defect->detail : "")
      .end();
}

std::string component_rows(const BoardVerdict& v, const std::string& chain) {
  std::string rows;
  for (const ComponentVerdict& component : v.components)
    for (const CheckVerdict& check : component.checks) rows += check_row(v, chain, component, check);
  if (!rows.empty()) return rows;
  Row row = board_cells(v, chain);
  for (std::size_t cell = 0; cell < check_columns().size(); ++cell) row.value(std::nullopt);
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

int decimals_of(double uncertainty) {
  if (!(uncertainty > 0) || !std::isfinite(uncertainty)) return 9;
  const int exponent = static_cast<int>(std::floor(std::log10(uncertainty)));
  return std::clamp(1 - exponent, 0, 9);
}

std::string export_header(ExportRows rows) {
  if (rows == ExportRows::json_lines) return "";
  std::string header;
  const auto add = [&](std::span<const ExportColumn> columns) {
    for (const ExportColumn& column : columns)
      header += (header.empty() ? "" : ",") + std::string(column.name);
  };
  add(board_columns());
  add(rows == ExportRows::boards ? count_columns() : check_columns());
  return header + "\r\n";
}

std::string export_rows(ExportRows rows, const StoredResult& result, const std::string& chain) {
  if (rows == ExportRows::json_lines)
    return fmt::format("{{\"chain_sha256\":\"{}\",\"verdict\":{}}}\n", chain, result.json);
  const BoardVerdict v = result.verdict();
  return rows == ExportRows::boards ? board_row(v, chain) : component_rows(v, chain);
}

void for_each_result(ResultStore& store, const ResultFilter& filter,
                     const std::function<bool(const StoredResult&)>& see) {
  ResultFilter next = filter;
  for (;;) {
    const auto results = store.list(next, batch, ResultOrder::oldest_first);
    for (const StoredResult& result : results)
      if (!see(result)) return;
    if (results.size() < batch) return;
    next.after = results.back().sequence;
  }
}

Exported export_results(ResultStore& store, const ResultFilter& filter, ExportRows rows,
                        const std::function<void(const std::string&)>& write) {
  Exported done;
  write(export_header(rows));
  for_each_result(store, filter, [&](const StoredResult& result) {
    write(export_rows(rows, result, store.chain_sha256(result.sequence)));
    if (done.results++ == 0) done.first = result.sequence;
    done.last = result.sequence;
    return true;
  });
  return done;
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

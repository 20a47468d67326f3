#include "daemon/quality/study/study_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "config/utc_time.h"
#include "daemon/design/text_decoding.h"
#include "daemon/quality/study/table_line.h"

namespace datum::quality {
namespace {

const std::set<std::string> units{"um", "mm", "mdeg", "permille", "percent", "%"};
constexpr std::size_t longest_name = 200;

struct Columns {
  std::map<std::string, std::size_t> at;
  std::string unit;  // of the head line

  bool has(const std::string& name) const { return at.contains(name); }
};

void take_unit(Columns& columns, const std::string& unit, const TableLine& place) {
  if (!units.contains(unit))
    place.refuse(fmt::format("unit '{}'; allowed: um, mm, mdeg, permille, percent", unit.substr(0, 20)));
  if (!columns.unit.empty() && columns.unit != unit)
    place.refuse(fmt::format("two units, {} and {}: values of a study have one", columns.unit, unit));
  columns.unit = unit;
}

Columns columns_of(const std::vector<std::string>& head, const std::string& unit, const TableLine& place) {
  Columns columns;
  if (!unit.empty()) take_unit(columns, unit, place);
  for (std::size_t i = 0; i < head.size(); ++i) {
    std::string name = design::lower_case(head[i]);
    for (const char* stem : {"value_", "reference_"}) {
      if (!name.starts_with(stem)) continue;
      take_unit(columns, name.substr(std::string(stem).size()), place);
      name = name.substr(0, std::string(stem).size() - 1);
    }
    if (name == "appraiser") name = "operator";
    static const std::set<std::string> known{"part", "operator",  "trial",    "value",
                                             "unit", "reference", "decision", "measured_at"};
    if (!known.contains(name))
      place.refuse(
          fmt::format("column '{}' is not known; allowed: part, operator, trial, value_um, unit, "
                      "reference_um, decision, measured_at{}",
                      head[i].substr(0, 40), head.size() == 1 ? " (separated by commas)" : ""));
    if (!columns.at.emplace(name, i).second) place.refuse("column '" + name + "' stands there twice");
  }
  if (!columns.has("value") && !columns.has("decision"))
    place.refuse("no column value_um (or decision, of an attribute study)");
  return columns;
}

std::string name_in(const std::vector<std::string>& cells, const Columns& columns, const char* column,
                    const TableLine& place) {
  const auto found = columns.at.find(column);
  if (found == columns.at.end()) return "";
  const std::string& text = cells[found->second];
  if (text.empty()) place.refuse(fmt::format("{} is empty", column));
  if (text.size() > longest_name)
    place.refuse(fmt::format("{} has more than {} bytes", column, longest_name));
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }))
    place.refuse(fmt::format("{} has a control character", column));
  return text;
}

std::optional<Decimal> number_in(const std::string& text, const char* column, const TableLine& place) {
  if (text.empty() || text == "INVALID") return std::nullopt;
  try {
    return decimal_of(text);
  } catch (const std::invalid_argument& error) {
    place.refuse(fmt::format("{} {}; a missing value is left empty, or INVALID", column, error.what()));
  }
}

std::optional<std::int64_t> time_in(const std::string& text, const TableLine& place) {
  if (text.empty()) return std::nullopt;
  const auto time = utc_seconds(text);
  if (!time)
    place.refuse(fmt::format("measured_at '{}'; wanted: UTC as 2026-01-31T10:00:00Z", text.substr(0, 40)));
  return time;
}

const std::set<std::string> decisions{"PASS", "INCONCLUSIVE", "FAIL", "INVALID"};

void read_attribute(Reading& r, const std::vector<std::string>& cells, const Columns& columns,
                    const TableLine& place) {
  r.decision = cells[columns.at.at("decision")];
  if (columns.has("reference") && !columns.has("value"))
    r.reference_decision = cells[columns.at.at("reference")];
  for (const std::string& d : {r.decision, r.reference_decision})
    if (!d.empty() && !decisions.contains(d))
      place.refuse(fmt::format("decision '{}'; allowed: PASS, INCONCLUSIVE, FAIL, INVALID", d.substr(0, 40)));
  if (r.decision == "INVALID") r.value.reset();
}

}  // namespace

std::optional<std::int64_t> utc_seconds(const std::string& text) {
  constexpr std::size_t to_seconds = 19;  // 2026-01-31T10:00:00
  if (text.size() < to_seconds + 1 || text.back() != 'Z') return std::nullopt;
  const std::string_view fraction(text.data() + to_seconds, text.size() - to_seconds - 1);
  const bool whole = fraction.empty() || (fraction[0] == '.' && fraction.size() > 1 &&
                                          fraction.find_first_not_of("0123456789", 1) == fraction.npos);
  return whole ? utc_from_iso8601(text.substr(0, to_seconds) + "Z") : std::nullopt;
}

int StudyTable::digits() const {
  int most = 0;
  for (const Reading& r : readings)
    if (r.value) most = std::max(most, r.value->digits);
  return most;
}

StudyTable read_study_table(std::string_view csv, const std::string& name, const std::string& unit,
                            const std::string& encoding) {
  const std::string text = table_text(csv, encoding, name);
  StudyTable table;
  Columns columns;
  std::set<std::tuple<std::string, std::string, std::string>> runs;
  int line = 0;
  bool head = false;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    std::string_view row(text.data() + from, end - from);
    from = end + 1;
    ++line;
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (row.empty()) continue;
    const TableLine place(name, line);
    const auto cells = design::split_fields(row, ',');
    if (!head) {
      columns = columns_of(cells, unit, place);
      head = true;
      continue;
    }
    std::size_t wanted = 0;
    for (const auto& [column, at] : columns.at) wanted = std::max(wanted, at + 1);
    if (cells.size() != wanted)
      place.refuse(
          fmt::format("{} cells, the head line has {}; decimals have a point", cells.size(), wanted));
    if (columns.has("unit")) take_unit(columns, cells[columns.at["unit"]], place);
    Reading r;
    r.line = line;
    r.part = name_in(cells, columns, "part", place);
    r.op = name_in(cells, columns, "operator", place);
    r.trial = name_in(cells, columns, "trial", place);
    if (columns.has("value")) {
      r.value = number_in(cells[columns.at["value"]], "value", place);
      if (columns.has("reference"))
        r.reference = number_in(cells[columns.at["reference"]], "reference", place);
    }
    if (columns.has("decision")) read_attribute(r, cells, columns, place);
    if (columns.has("measured_at")) r.at_s = time_in(cells[columns.at["measured_at"]], place);
    if (!r.trial.empty() && !runs.emplace(r.part, r.op, r.trial).second)
      place.refuse(fmt::format("part {}, operator {}, trial {} stands there twice", r.part, r.op, r.trial));
    table.readings.push_back(std::move(r));
  }
  if (!head)
    throw StudyRefused(
        name + ": empty; wanted: a head line such as part,operator,trial,value_um, then a line per reading");
  if (columns.has("value") && columns.unit.empty())
    throw StudyRefused(name + ":1: no unit; name the column value_um, add a column unit, or state --unit");
  table.unit = columns.unit;
  return table;
}

void refuse_typed_zeros(const StudyTable& table) {
  const int digits = table.digits();
  std::int64_t low = 0, high = 0;
  std::size_t others = 0;
  const Reading* zero = nullptr;
  for (const Reading& r : table.readings) {
    if (!r.value) continue;
    const std::int64_t count = count_at(*r.value, digits);
    if (count == 0) {
      if (!zero) zero = &r;
      continue;
    }
    low = others == 0 ? count : std::min(low, count);
    high = others == 0 ? count : std::max(high, count);
    ++others;
  }
  if (!zero || others < 2 || (low < 0 && high > 0)) return;
  const std::int64_t nearest = low > 0 ? low : -high;
  if (nearest > high - low)
    throw StudyRefused(
        fmt::format("line {}: part {}: the value 0 lies farther from all others than they lie from each "
                    "other; a missing value is left empty, or "
                    "INVALID. Where it was measured, --zero-is-a-value takes it",
                    zero->line, zero->part));
}

GaugeData gauge_data(const StudyTable& table) {
  GaugeData data;
  data.unit = table.unit;
  data.digits = table.digits();
  std::map<std::string, std::size_t> parts, operators;
  std::vector<std::map<std::size_t, Trials>> cells;
  for (const Reading& r : table.readings) {
    const auto [part, new_part] = parts.emplace(r.part, parts.size());
    const auto [op, new_operator] = operators.emplace(r.op, operators.size());
    if (new_part) {
      data.parts.push_back(r.part);
      cells.emplace_back();
    }
    if (new_operator) data.operators.push_back(r.op);
    Trials& cell = cells[part->second][op->second];
    if (r.value) cell.push_back(count_at(*r.value, data.digits));
  }
  if (data.parts.size() * data.operators.size() > 4'000'000)
    throw StudyRefused(fmt::format("{} parts by {} operators: more than 4 million cells", data.parts.size(),
                                   data.operators.size()));
  for (auto& row : cells) {
    std::vector<Trials> full(data.operators.size());
    for (auto& [op, trials] : row) {
      data.trials = std::max(data.trials, static_cast<int>(trials.size()));
      full[op] = std::move(trials);
    }
    data.cells.push_back(std::move(full));
  }
  return data;
}

std::vector<Master> masters_of(const StudyTable& table) {
  std::vector<Master> masters;
  const int digits = table.digits();
  for (const Reading& r : table.readings) {
    if (!r.value) continue;
    if (!r.reference)
      throw StudyRefused(
          fmt::format("line {}: no reference; a linearity study needs the column reference_um", r.line));
    const auto same = std::find_if(masters.begin(), masters.end(), [&](const Master& m) {
      return m.reference.count == r.reference->count && m.reference.digits == r.reference->digits;
    });
    Master& m = same != masters.end() ? *same : masters.emplace_back(Master{*r.reference, {}});
    m.counts.push_back(count_at(*r.value, digits));
    if (masters.size() > 10'000)
      throw StudyRefused("more than 10 000 references: a reference belongs to a master, not to a reading");
  }
  return masters;
}

std::vector<std::int64_t> counts_of(const StudyTable& table) {
  std::vector<std::int64_t> counts;
  const int digits = table.digits();
  for (const Reading& r : table.readings)
    if (r.value) counts.push_back(count_at(*r.value, digits));
  return counts;
}

std::vector<Rating> ratings_of(const StudyTable& table) {
  std::vector<Rating> ratings;
  for (const Reading& r : table.readings)
    if (!r.decision.empty())
      ratings.push_back({r.part, r.op.empty() ? "cell" : r.op, r.decision, r.reference_decision});
  if (ratings.empty()) throw StudyRefused("no decisions; an attribute study needs the column decision");
  return ratings;
}

}  // namespace datum::quality

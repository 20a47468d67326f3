#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "daemon/design/text_decoding.h"
#include "daemon/quality/statistics/exact.h"
#include "daemon/quality/study/study_plan.h"
#include "daemon/quality/study/table_line.h"

namespace datum::quality {
namespace {

constexpr const char* wanted_head =
    "part,component,characteristic,reference_um,u_um; or of right decisions part,decision (boards), "
    "part,component,decision, or part,component,characteristic,decision";

struct CsvHead {
  std::map<std::string, std::size_t> at;  // by the column's name without its unit
  std::string unit;                       // of reference and u
  std::size_t columns = 0;

  bool has(const char* column) const { return at.contains(column); }
};

CsvHead head_of(const std::vector<std::string>& cells, const TableLine& line) {
  static const std::set<std::string> plain{"part", "component", "characteristic", "decision"},
      with_unit{"reference", "u"};
  CsvHead head;
  head.columns = cells.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string text = design::lower_case(cells[i]);
    const std::size_t cut = std::min(text.find('_'), text.size());
    const std::string name = text.substr(0, cut), unit = text.substr(std::min(cut + 1, text.size()));
    if (!(unit.empty() ? plain : with_unit).contains(name) || !head.at.emplace(name, i).second)
      line.refuse(fmt::format("column '{}'; wanted: {}", cells[i].substr(0, 40), wanted_head));
    if (!unit.empty() && !head.unit.empty() && head.unit != unit)
      line.refuse(fmt::format("two units, {} and {}", head.unit, unit));
    if (!unit.empty()) head.unit = unit;
  }
  const bool names_characteristic = head.has("component") && head.has("characteristic");
  if (!head.has("part") || head.has("reference") == head.has("decision") ||
      (!names_characteristic && (head.has("reference") || head.has("characteristic"))))
    line.refuse(fmt::format("wanted: a head line with {}", wanted_head));
  return head;
}

Decimal certified_number(const std::string& text, const TableLine& line) {
  try {
    return decimal_of(text);
  } catch (const std::invalid_argument& error) {
    line.refuse(error.what());
  }
}

CertifiedValue value_in(const std::vector<std::string>& cells, const CsvHead& head, const TableLine& line) {
  if (cells.size() != head.columns)
    line.refuse(
        fmt::format("{} cells, the head line has {}; decimals have a point", cells.size(), head.columns));
  const auto cell = [&](const char* column) { return cells[head.at.at(column)]; };
  const auto name = [&](const char* column) {
    if (!head.has(column)) return std::string();
    if (cell(column).empty()) line.refuse(fmt::format("{} is empty", column));
    return cell(column);
  };
  CertifiedValue c{name("part"), name("component"), name("characteristic"), {}, 0, head.unit, ""};
  if (head.has("decision")) {
    c.decision = cell("decision");
    if (c.decision != "PASS" && c.decision != "FAIL")
      line.refuse(fmt::format("decision '{}'; allowed: PASS, FAIL", c.decision.substr(0, 40)));
    return c;
  }
  c.value = certified_number(cell("reference"), line);
  if (!head.has("u")) return c;
  const Decimal u = certified_number(cell("u"), line);
  if (u.count < 0) line.refuse("u: a standard uncertainty is not negative");
  c.u = ratio(u.count, 1, u.digits);
  return c;
}

}  // namespace

std::vector<CertifiedValue> read_certified_values(std::string_view csv, const std::string& name,
                                                  const std::string& encoding) {
  const std::string text = table_text(csv, encoding, name);
  std::vector<CertifiedValue> values;
  std::optional<CsvHead> head;
  int number = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    std::string_view row(text.data() + from, end - from);
    from = end + 1;
    ++number;
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (row.empty()) continue;
    const TableLine line(name, number);
    const auto cells = design::split_fields(row, ',');
    if (!head)
      head = head_of(cells, line);
    else
      values.push_back(value_in(cells, *head, line));
  }
  if (values.empty())
    throw StudyRefused(fmt::format("{}: no certified value; wanted: {}", name, wanted_head));
  return values;
}

}  // namespace datum::quality

#include "tests/statistics/statistics_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

namespace datum::statistics {
namespace {

double percent(int part, int whole) { return whole > 0 ? 100.0 * part / whole : 0; }

std::string commonest_reason(const Tally& t) {
  const auto most = std::max_element(t.reasons.begin(), t.reasons.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == t.reasons.end() ? "" : name_of(most->first);
}

/// Largest first, without terms below a hundredth of the largest.
std::string budget_text(const Tally& t) {
  std::vector<std::pair<double, std::string>> terms;
  for (const auto& [name, square] : t.terms) terms.emplace_back(std::sqrt(square / t.accepted()), name);
  std::sort(terms.rbegin(), terms.rend());
  std::string text;
  for (const auto& [u, name] : terms)
    if (u > 0.01 * terms.front().first) text += fmt::format("  {} {:.3g}", name, u);
  return text;
}

}  // namespace

Table::Table(const std::string& csv, bool shortfalls_only, bool budget)
    : shortfalls_only_(shortfalls_only), budget_(budget) {
  fmt::print("{:<42} {:<6} {:<10} {:>5} {:>9} {:>9} {:>8} {:>8} {:>8} {:>5} {:>8}  {}\n", "row", "body",
             "column", "n", "bias", "worst", "mean U", "out U %", "limit %", "1.25", "INVALID%",
             "falls short; commonest reason");
  if (csv.empty()) return;
  csv_.open(csv);
  if (!csv_) throw std::runtime_error(csv + " can't be written");
  csv_ << "row,body,column,cases,invalid,outside,at_limit,at_limit_passed,beyond,beyond_passed,bias,worst,"
          "mean_U,short\n";
}

void Table::add(const Cells& cells) {
  for (std::size_t i = 0; i < column_count; ++i)
    if (const auto column = static_cast<Column>(i); cells.tallies[i].cases > 0)
      add(cells.row.name, cells.body.name, name_of(column), cells.tallies[i],
          wanted_in(cells.row, cells.body, column));
  std::fflush(stdout);
}

void Table::add(const SurfaceCells& cells) {
  for (std::size_t i = 0; i < surface_column_count; ++i)
    add(cells.row.name, name_of(cells.form), name_of(static_cast<SurfaceColumn>(i)), cells.tallies[i],
        wanted_in(cells.row));
  std::fflush(stdout);
}

void Table::add(const DesignCells& cells) {
  const std::string floors = fmt::format("{}/{}", cells.floors, cells.parts);
  add(cells.row.name, floors, "height", cells.height, wanted_in(cells));
  add(cells.row.name, floors, "missing", cells.missing, Wanted{});
  std::fflush(stdout);
}

void Table::add(const std::string& row, const std::string& body, const std::string& column, const Tally& t,
                const Wanted& wanted) {
  const std::string why = shortfall(t, wanted, alpha);
  ++cells_;
  short_ += !why.empty();
  const double mean_U = t.accepted() > 0 ? 2 * t.u / t.accepted() : 0;
  if (!shortfalls_only_ || !why.empty())
    fmt::print(
        "{:<42} {:<6} {:<10} {:>5} {:>9.2f} {:>9.2f} {:>8.2f} {:>8.1f} {:>8.1f} {:>5} {:>8.1f}  {}{}\n", row,
        body, column, t.cases, t.bias(), t.worst, mean_U, percent(t.outside, t.accepted()),
        percent(t.at_limit_passed, t.at_limit), t.beyond_passed, percent(t.invalid, t.cases),
        why.empty() ? "" : "SHORT: " + why + "; ", commonest_reason(t));
  if (budget_ && t.accepted() > 0 && (!shortfalls_only_ || !why.empty()))
    fmt::print("{:<60} u:{}\n", "", budget_text(t));
  if (csv_.is_open())
    csv_ << fmt::format("\"{}\",{},{},{},{},{},{},{},{},{},{},{},{},\"{}\"\n", row, body, column, t.cases,
                        t.invalid, t.outside, t.at_limit, t.at_limit_passed, t.beyond, t.beyond_passed,
                        t.bias(), t.worst, mean_U, why);
}

int Table::finish() {
  fmt::print(
      "{} of {} cells fall short: more than 6 % outside U (k = 2), more than 5 % PASS at the limit, any PASS "
      "at 1.25 "
      "times it, or what else the row asks for;\n  a share counts as too large where chance would give it "
      "with less "
      "than {:g} (binomial), a bias beyond four of its standard errors\n",
      short_, cells_, alpha);
  return short_;
}

}  // namespace datum::statistics

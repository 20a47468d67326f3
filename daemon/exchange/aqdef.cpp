#include "daemon/exchange/aqdef.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "daemon/store/result_export.h"

namespace datum {
namespace {

// Characters that a key takes.
constexpr std::size_t part_number = 30, name = 80, short_name = 20, revision = 20, serial = 40;

std::string ascii(const std::string& bytes) {
  std::string out;
  for (const char c : bytes)
    if (c < ' ' || c > '~' || c == '%')
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      out += c;
  return out;
}

std::string line(const char* key, const std::string& value) { return fmt::format("{} {}\r\n", key, value); }
std::string line(const char* key, std::size_t number, const std::string& value) {
  return fmt::format("{}/{} {}\r\n", key, number, value);
}

/// No exponent, which readers of the format do not take; a millionth of a unit is far below any U.
std::string decimal(double value) {
  std::string digits = fmt::format("{:.6f}", value);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

/// "2026-03-01T10:15:30.123456Z" as "01.03.2026/10:15:30".
std::string date(const std::string& utc) {
  if (utc.size() < 19) return "";
  return fmt::format("{}.{}.{}/{}", utc.substr(8, 2), utc.substr(5, 2), utc.substr(0, 4), utc.substr(11, 8));
}

std::string name_of_check(const ComponentVerdict& component, const Check& check) {
  return check.parameter == 0
             ? fmt::format("{} {}", component.reference, name_of(check.characteristic))
             : fmt::format("{} {} {}", component.reference, name_of(check.characteristic), check.parameter);
}

struct NamedRow {
  std::string name;
  const CheckVerdict* row;
};

/// In the verdict's order; a requirement that a component states twice has its number.
std::vector<NamedRow> named_rows(const BoardVerdict& verdict) {
  std::vector<NamedRow> rows;
  std::map<std::string, int> times;
  for (const ComponentVerdict& component : verdict.components)
    for (const CheckVerdict& row : component.checks) {
      const std::string of_row = ascii(name_of_check(component, row.check));
      const int n = ++times[of_row];
      rows.push_back({n == 1 ? of_row : fmt::format("{} #{}", of_row, n), &row});
    }
  return rows;
}

void demand(const std::string& what, const std::string& written, std::size_t most, const char* key) {
  if (written.size() > most)
    throw std::invalid_argument(
        fmt::format("{} '{}' has {} characters in a DFQ file; {} takes {}; nothing is cut", what, written,
                    written.size(), key, most));
}

}  // namespace

void AqdefFile::describe(const BoardVerdict& verdict) {
  if (first_ == 0) {
    first_ = verdict.sequence;
    recipe_ = ascii(verdict.recipe);
    recipe_sha256_ = verdict.recipe_sha256;
    demand("recipe", recipe_, part_number, "K1001");
  }
  if (verdict.recipe_sha256 != recipe_sha256_)
    throw std::invalid_argument(fmt::format(
        "result {} is of recipe {} {:.12}, result {} of {} {:.12}; a DFQ file describes one: choose by "
        "--recipe, "
        "--from, --to or --recipe-sha256",
        first_, recipe_, recipe_sha256_, verdict.sequence, verdict.recipe, verdict.recipe_sha256));
  for (const auto& [of_row, row] : named_rows(verdict)) {
    const auto [known, is_new] = numbers_.try_emplace(of_row, characteristics_.size() + 1);
    if (is_new) {
      demand("characteristic", of_row, name, "K2002");
      characteristics_.push_back({of_row, unit_of(row->check.characteristic), row->check});
    }
    Characteristic& of = characteristics_[known->second - 1];
    if (row->decision != Decision::invalid) of.decimals = std::max(of.decimals, decimals_of(2 * row->u));
  }
}

std::string AqdefFile::description() const {
  if (characteristics_.empty())
    throw std::invalid_argument(
        "no result has a component; a DFQ file needs one to describe its characteristics");
  std::string out = line("K0100", std::to_string(characteristics_.size()));
  out += line("K1001", 1, recipe_) + line("K1002", 1, recipe_) +
         line("K1004", 1, recipe_sha256_.substr(0, revision));
  for (std::size_t i = 0; i < characteristics_.size(); ++i) {
    const auto& [full, unit, check, decimals] = characteristics_[i];
    out += line("K2001", i + 1, full.size() <= short_name ? full : fmt::format("No.{}", i + 1));
    out += line("K2002", i + 1, full) + line("K2004", i + 1, "0") +
           line("K2022", i + 1, std::to_string(decimals));
    if (check.nominal) out += line("K2101", i + 1, decimal(*check.nominal));
    if (check.lower) out += line("K2110", i + 1, decimal(*check.lower));
    if (check.upper) out += line("K2111", i + 1, decimal(*check.upper));
    out += line("K2142", i + 1, unit);
  }
  return out;
}

std::string AqdefFile::values(const BoardVerdict& verdict) const {
  std::vector<const CheckVerdict*> rows(characteristics_.size());
  for (const auto& [of_row, row] : named_rows(verdict)) rows[numbers_.at(of_row) - 1] = row;
  const std::string unit = ascii(verdict.unit_id);
  const char* beside = unit.size() > serial ? ", its serial number is longer than K0014 takes" : "";
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CheckVerdict* row = rows[i];
    const bool measured = row && row->decision != Decision::invalid;
    const Decision decision = row ? row->decision : Decision::invalid;
    const Reason reason = row ? row->reason : verdict.reason;
    const std::string said = fmt::format("{}{}, result {}, {} UTC{}", name_of(decision),
                                         reason == Reason::none ? "" : fmt::format(" {}", name_of(reason)),
                                         verdict.sequence, verdict.measured_at, beside);
    out += line("K0001", i + 1, measured ? decimal(row->value) : "") +
           line("K0002", i + 1, measured ? "0" : "255");
    out += line("K0004", i + 1, date(verdict.measured_at)) + line("K0009", i + 1, said);
    if (!unit.empty() && unit.size() <= serial) out += line("K0014", i + 1, unit);
  }
  return out;
}

}  // namespace datum

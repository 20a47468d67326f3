#include "daemon/exchange/aqdef.h"

#include <fmt/format.h>

#include <stdexcept>

namespace datum {
namespace {

// Characters that a key takes.
constexpr std::size_t part_number = 30, name = 80, short_name = 20, revision = 20, serial = 40;

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

void demand(const std::string& what, const std::string& written, std::size_t most, const char* key) {
  if (written.size() > most)
    throw std::invalid_argument(
        fmt::format("{} '{}' has {} characters in a DFQ file; {} takes {}; nothing is cut", what, written,
                    written.size(), key, most));
}

}  // namespace

void AqdefFile::describe(const BoardVerdict& verdict) { table_.describe(verdict); }

std::string AqdefFile::description() const {
  const auto& characteristics = table_.all();
  const std::string recipe = ascii_of(table_.recipe());
  demand("recipe", recipe, part_number, "K1001");
  std::string out = line("K0100", std::to_string(characteristics.size()));
  out += line("K1001", 1, recipe) + line("K1002", 1, recipe) +
         line("K1004", 1, table_.recipe_sha256().substr(0, revision));
  for (std::size_t i = 0; i < characteristics.size(); ++i) {
    const std::string full = ascii_of(characteristics[i].name);
    const Check& check = characteristics[i].check;
    demand("characteristic", full, name, "K2002");
    out += line("K2001", i + 1, full.size() <= short_name ? full : fmt::format("No.{}", i + 1));
    out += line("K2002", i + 1, full) + line("K2004", i + 1, "0") +
           line("K2022", i + 1, std::to_string(characteristics[i].decimals));
    if (check.nominal) out += line("K2101", i + 1, decimal(*check.nominal));
    if (check.lower) out += line("K2110", i + 1, decimal(*check.lower));
    if (check.upper) out += line("K2111", i + 1, decimal(*check.upper));
    out += line("K2142", i + 1, unit_of(check.characteristic));
  }
  return out;
}

std::string AqdefFile::values(const BoardVerdict& verdict) const {
  const auto rows = table_.rows_of(verdict);
  const std::string unit = ascii_of(verdict.unit_id);
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

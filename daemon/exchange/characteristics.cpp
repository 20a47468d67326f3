#include "daemon/exchange/characteristics.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "daemon/store/result_export.h"

namespace datum {
namespace {

std::string name_of_check(const ComponentVerdict& component, const Check& check) {
  return check.parameter == 0
             ? fmt::format("{} {}", component.reference, name_of(check.characteristic))
             : fmt::format("{} {} {}", component.reference, name_of(check.characteristic), check.parameter);
}

struct NamedRow {
  std::string name;
  int times;
  const ComponentVerdict* component;
  const CheckVerdict* row;
};

/// In the verdict's order.
std::vector<NamedRow> named_rows(const BoardVerdict& verdict) {
  std::vector<NamedRow> rows;
  std::map<std::string, int> times;
  for (const ComponentVerdict& component : verdict.components)
    for (const CheckVerdict& row : component.checks) {
      const std::string of_row = name_of_check(component, row.check);
      const int n = ++times[of_row];
      rows.push_back({n == 1 ? of_row : fmt::format("{} #{}", of_row, n), n, &component, &row});
    }
  return rows;
}

}  // namespace

std::string ascii_of(const std::string& bytes) {
  std::string out;
  for (const char c : bytes)
    if (c < ' ' || c > '~' || c == '%')
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      out += c;
  return out;
}

void CharacteristicTable::describe(const BoardVerdict& verdict) {
  if (first_ == 0) {
    first_ = verdict.sequence;
    recipe_ = verdict.recipe;
    recipe_sha256_ = verdict.recipe_sha256;
  }
  if (verdict.recipe_sha256 != recipe_sha256_)
    throw std::invalid_argument(fmt::format(
        "result {} is of recipe {} {:.12}, result {} of {} {:.12}; {} describes one: choose by --recipe, "
        "--from, --to or --recipe-sha256",
        first_, recipe_, recipe_sha256_, verdict.sequence, verdict.recipe, verdict.recipe_sha256, file_));
  for (const auto& [of_row, times, component, row] : named_rows(verdict)) {
    const auto [known, is_new] = indices_.try_emplace(of_row, characteristics_.size());
    if (is_new)
      characteristics_.push_back({of_row, component->reference, component->package, times, row->check, 0});
    ExchangedCharacteristic& of = characteristics_[known->second];
    if (row->decision != Decision::invalid) of.decimals = std::max(of.decimals, decimals_of(2 * row->u));
  }
}

const std::vector<ExchangedCharacteristic>& CharacteristicTable::all() const {
  if (characteristics_.empty())
    throw std::invalid_argument(
        fmt::format("no result has a component; {} needs one to describe its characteristics", file_));
  return characteristics_;
}

std::vector<const CheckVerdict*> CharacteristicTable::rows_of(const BoardVerdict& verdict) const {
  std::vector<const CheckVerdict*> rows(characteristics_.size());
  for (const NamedRow& named : named_rows(verdict)) rows[indices_.at(named.name)] = named.row;
  return rows;
}

}  // namespace datum

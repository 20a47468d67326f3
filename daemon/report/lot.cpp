#include "daemon/report/lot.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "daemon/inspection/verdict/plain_reason.h"

namespace datum {
namespace {

std::size_t index_of(Decision d) { return static_cast<std::size_t>(d); }

/// "FAIL median" of a decision by value and limits, the reason's name of any other.
std::string cause_of(const CheckVerdict& check) {
  if (check.reason != Reason::none) return name_of(check.reason);
  return fmt::format("{} {}", name_of(check.decision), name_of(check.check.characteristic));
}

Yield yield_of(const DecisionCounts& counts, std::size_t of) {
  const std::size_t sure = counts[index_of(Decision::pass)];
  return {sure, sure + counts[index_of(Decision::inconclusive)], of};
}

}  // namespace

std::size_t total(const DecisionCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

void Lot::add_component(const ComponentVerdict& c) {
  ++components_[index_of(c.decision)];
  for (const CheckVerdict& check : c.checks) {
    ++checks_;
    if (check.decision != Decision::pass) ++reasons_[cause_of(check)];
    Values& values = values_[{c.package, name_of(check.check.characteristic)}];
    if (check.decision == Decision::invalid)
      ++values.not_measured;
    else if (const auto share = share_of_tolerance(check))
      values.shares.push_back(*share);
  }
  if (c.decision == Decision::pass) return;
  ++references_[c.reference];
  ++packages_[c.package.empty() ? "(no package)" : c.package];
}

void Lot::add(const StoredResult& r) {
  LotBoard board{r.sequence, r.measured_at, r.unit_id, r.recipe, r.decision, ""};
  try {
    const BoardVerdict v = r.verdict();
    board.why = plain_reason(v);
    for (const ComponentVerdict& c : v.components) add_component(c);
    // A board without components has its own reason alone.
    if (v.components.empty() && v.decision != Decision::pass) ++reasons_[name_of(v.reason)];
  } catch (const StoreError& error) {
    ++unreadable_;
    board.why = error.what();
  }
  boards_.push_back(std::move(board));
}

DecisionCounts Lot::decisions() const {
  DecisionCounts counts{};
  for (const LotBoard& b : boards_) ++counts[index_of(b.decision)];
  return counts;
}

Lot::Units Lot::units() const {
  struct Attempts {
    Decision first, last;
    bool failed;
    std::size_t number;
  };
  std::map<std::pair<std::string, std::string>, Attempts> named;
  std::vector<Attempts> all;
  for (const LotBoard& b : boards_) {
    const Attempts one{b.decision, b.decision, b.decision == Decision::fail, 1};
    if (b.unit_id.empty()) {
      all.push_back(one);
      continue;
    }
    const auto [at, is_new] = named.try_emplace({b.recipe, b.unit_id}, one);
    if (is_new) continue;
    Attempts& a = at->second;
    a.last = b.decision;
    a.failed = a.failed || b.decision == Decision::fail;
    ++a.number;
  }
  for (const auto& [name, a] : named) all.push_back(a);
  Units units;
  units.entered = all.size();
  for (const Attempts& a : all) {
    ++units.first[index_of(a.first)];
    ++units.last[index_of(a.last)];
    units.repeated += a.number > 1;
    units.passed_again += a.failed && a.last == Decision::pass;
  }
  units.first_pass = yield_of(units.first, units.entered);
  units.final = yield_of(units.last, units.entered);
  return units;
}

std::vector<Cause> Lot::sorted(const Causes& causes, std::size_t most) {
  std::vector<Cause> rows;
  for (const auto& [name, count] : causes) rows.push_back({name, count});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Cause& a, const Cause& b) { return a.count > b.count; });
  if (rows.size() <= most) return rows;
  Cause other{"other", 0};
  for (std::size_t i = most; i < rows.size(); ++i) other.count += rows[i].count;
  rows.resize(most);
  rows.push_back(other);
  return rows;
}

std::vector<Spread> Lot::spreads() const {
  std::vector<Spread> spreads;
  for (const auto& [name, values] : values_)
    if (!values.shares.empty())
      spreads.push_back({name.first, name.second, five_numbers(values.shares), values.not_measured});
  return spreads;
}

}  // namespace datum

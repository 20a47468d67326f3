#include "daemon/report/lot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

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

std::uint32_t WordBook::id(const std::string& text) {
  const auto [at, is_new] = ids_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return at->second;
}

BoardSummary summary_of(const StoredResult& r, const ReadResult& read, WordBook& words) {
  BoardSummary s;
  s.board = {r.sequence, r.measured_at, r.unit_id, r.recipe, r.decision, "", 1, false, {}};
  s.cause = words.id("");
  s.readable = read.verdict.has_value();
  if (!s.readable) {
    s.board.why = read.fault;
    return s;
  }
  const BoardVerdict& v = *read.verdict;
  if (v.serial) {
    s.board.attempt = v.serial->attempt;
    s.board.repaired = v.serial->repair.has_value();
  }
  for (const PanelBoard& b : v.boards)
    s.board.panel.push_back({b.name, b.unit_id, word_of(b), b.detail, b.attempt.value_or(0)});
  s.artefact = is_artefact(v);
  s.recipe_sha256 = words.id(v.recipe_sha256);
  s.board.why = plain_reason(v);
  for (const ComponentVerdict& c : v.components) {
    if (is_skipped(c)) continue;
    s.parts.push_back({words.id(c.reference), words.id(c.package),
                       static_cast<std::uint32_t>(c.checks.size()), c.decision});
    for (const CheckVerdict& check : c.checks)
      s.checks.push_back({words.id(name_of(check.check.characteristic)),
                          words.id(check.decision == Decision::pass ? "" : cause_of(check)), check.decision,
                          check.decision == Decision::invalid
                              ? std::nan("")
                              : share_of_tolerance(check).value_or(std::nan(""))});
  }
  if (v.components.empty() && v.decision != Decision::pass) s.cause = words.id(name_of(v.reason));
  return s;
}

void Lot::add(BoardSummary s) {
  if (s.artefact) return;  // of a reference check, no product
  if (studied_.contains(s.board.sequence)) {
    ++left_out_;
    return;
  }
  const std::uint32_t none = words_.id("");
  unreadable_ += !s.readable;
  if (s.cause != none) ++reasons_[s.cause];
  OfRecipe* recipe = nullptr;
  if (!s.parts.empty()) {
    recipe = &recipes_[s.recipe_sha256];
    recipe->name = s.board.recipe;
  }
  auto check = s.checks.begin();
  for (const BoardSummary::Part& part : s.parts) {
    ++recipe->parts[part.reference][index_of(part.decision)];
    ++components_[index_of(part.decision)];
    ++seen_[part.reference];
    for (std::uint32_t i = 0; i < part.checks; ++i, ++check) {
      ++checks_;
      if (check->decision != Decision::pass) ++reasons_[check->cause];
      Values& values = values_[{part.package, check->what}];
      if (check->decision == Decision::invalid)
        ++values.not_measured;
      else if (!std::isnan(check->share))
        values.shares.push_back(check->share);
    }
    if (part.decision == Decision::pass) continue;
    ++references_[part.reference];
    ++packages_[part.package == none ? words_.id("(no package)") : part.package];
  }
  boards_.push_back(std::move(s.board));
}

std::vector<Lot::PartCount> Lot::parts() const {
  std::vector<PartCount> parts;
  for (const auto& [word, of] : seen_) {
    const auto defects = references_.find(word);
    parts.push_back({words_.text(word), of, defects == references_.end() ? 0 : defects->second});
  }
  std::sort(parts.begin(), parts.end(),
            [](const PartCount& a, const PartCount& b) { return a.reference < b.reference; });
  return parts;
}

std::vector<Lot::RecipeParts> Lot::parts_by_recipe() const {
  std::vector<RecipeParts> recipes;
  for (const auto& [sha256, of] : recipes_) {
    RecipeParts& one = recipes.emplace_back(RecipeParts{of.name, words_.text(sha256), {}});
    for (const auto& [reference, counts] : of.parts) one.parts.emplace_back(words_.text(reference), counts);
    std::sort(one.parts.begin(), one.parts.end());
  }
  std::sort(recipes.begin(), recipes.end(), [](const RecipeParts& a, const RecipeParts& b) {
    const std::size_t n = a.parts.size(), m = b.parts.size();
    return n != m ? n > m : a.recipe_sha256 < b.recipe_sha256;
  });
  return recipes;
}

DecisionCounts Lot::decisions() const {
  DecisionCounts counts{};
  for (const LotBoard& b : boards_) ++counts[index_of(b.decision)];
  return counts;
}

namespace {

/// What a lot has seen of a unit.
struct Attempts {
  explicit Attempts(const LotBoard& b)
      : first(b.decision), last(b.decision), before(b.attempt > 1 || b.repaired), measured(before) {
    add(b);
  }
  void add(const LotBoard& b) {
    const bool is_measured = b.decision != Decision::invalid;
    reworks += b.repaired;
    retests += !b.repaired && measured && is_measured;  // as serial.attempt, which INVALID ones do not count
    measured = measured || is_measured;
    failed = failed && !b.repaired;
    retest_pass = failed && b.decision == Decision::pass;
    failed = failed || b.decision == Decision::fail;
    last = b.decision;
  }
  Decision first, last;
  bool before, measured, failed = false, retest_pass = false;  // failed: since the last repair
  std::size_t retests = 0, reworks = 0;
};

}  // namespace

Lot::Units Lot::units() const {
  std::map<std::pair<std::string, std::string>, std::size_t> named;
  std::vector<Attempts> all;
  for (const LotBoard& b : boards_) {
    const auto [at, is_new] = named.try_emplace({b.recipe, b.unit_id}, all.size());
    if (is_new || b.unit_id.empty())
      all.emplace_back(b);
    else
      all[at->second].add(b);
  }
  Units units;
  std::size_t sure = 0, perhaps = 0;
  for (const Attempts& a : all) {
    ++units.last[index_of(a.last)];
    units.retests += a.retests;
    units.reworks += a.reworks;
    units.retested += a.retests > 0;
    units.reworked += a.reworks > 0;
    units.retest_pass += a.retest_pass;
    ++(a.before ? units.before : units.entered);
    if (a.before) continue;
    ++units.first[index_of(a.first)];
    sure += a.first == Decision::pass && a.reworks == 0;
    perhaps += a.first == Decision::inconclusive && a.reworks == 0;
  }
  units.first_pass = {sure, sure + perhaps, units.entered};
  units.final = yield_of(units.last, all.size());
  return units;
}

std::vector<Cause> Lot::sorted(const Causes& causes, std::size_t most) const {
  std::vector<Cause> rows;
  for (const auto& [word, count] : causes) rows.push_back({words_.text(word), count});
  std::sort(rows.begin(), rows.end(), [](const Cause& a, const Cause& b) {
    return std::tie(b.count, a.name) < std::tie(a.count, b.name);
  });
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
      spreads.push_back({words_.text(name.first), words_.text(name.second), five_numbers(values.shares),
                         values.not_measured});
  std::sort(spreads.begin(), spreads.end(), [](const Spread& a, const Spread& b) {
    return std::tie(a.package, a.what) < std::tie(b.package, b.what);
  });
  return spreads;
}

}  // namespace datum

// Numbers of a lot: yields, defects by reason, component and package, and the places of values in their tolerances.
//
// A unit is its serial number with its recipe; a board without a serial number is a unit of its own. Attempts are in the store's
// order. An attempt behind the first is a rework where a host stated a repair before it (serial.repair), else a retest; INVALID is no
// retest, nor is what follows it alone. First pass
// yield: units whose first attempt is PASS and that were not reworked, over all units whose first attempt is in the lot; a first
// attempt INVALID is neither passed nor failed, one that is INCONCLUSIVE makes the yield an interval. A unit whose first result here
// says a later attempt, or a repair, entered before the lot. Final yield: units whose last attempt is PASS over all units.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "daemon/report/chart.h"
#include "daemon/report/read_result.h"
#include "daemon/store/result_store.h"

namespace datum {

/// Number of each Decision, by its value.
using DecisionCounts = std::array<std::size_t, 4>;
std::size_t total(const DecisionCounts& counts);

/// A share from all boards that surely passed to all that may have passed.
struct Yield {
  std::size_t least = 0, most = 0, of = 0;
};

/// A row of a Pareto chart.
struct Cause {
  std::string name;
  std::size_t count = 0;
};

/// Values of one characteristic of one package, as shares of their tolerances (share_of_tolerance).
struct Spread {
  std::string package, what;
  FiveNumbers shares;
  std::size_t not_measured = 0;  // INVALID
};

struct LotBoard {
  std::uint64_t sequence = 0;
  std::string measured_at, unit_id, recipe;
  Decision decision = Decision::invalid;
  std::string why;
  std::uint64_t attempt = 1;  // serial.attempt; 1 where it is not stored
  bool repaired = false;      // a repair was stated before this attempt
  struct PanelPlace {
    std::string name, unit_id, word;  // word_of: a decision or SKIPPED
    std::string why;                  // of what is no PASS
    std::uint64_t attempt = 0;        // of its number with this recipe; 0: not stored
  };
  std::vector<PanelPlace> panel;  // its boards; empty: no panel
};

/// Texts by number, each once, so that a lot's hundred thousands of checks need no text of their own.
class WordBook {
 public:
  std::uint32_t id(const std::string& text);
  const std::string& text(std::uint32_t id) const { return texts_[id]; }

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<std::string> texts_;
};

/// What a lot needs of one result. Numbers are of a WordBook.
struct BoardSummary {
  struct Check {
    std::uint32_t what = 0, cause = 0;  // cause: "FAIL median", or the reason's name; "" of a PASS
    Decision decision = Decision::invalid;
    double share = 0;  // share_of_tolerance; NaN: none
  };
  struct Part {
    std::uint32_t reference = 0, package = 0, checks = 0;  // checks: number of its checks
    Decision decision = Decision::invalid;
  };
  LotBoard board;
  bool readable = true;
  bool artefact = false;    // of a reference check: no lot counts it
  std::uint32_t cause = 0;  // of a board without components
  std::uint32_t recipe_sha256 = 0;
  std::vector<Part> parts;
  std::vector<Check> checks;  // of all parts, in their order
};
/// Components of skipped boards of a panel are left out. A result whose JSON can't be read is not readable, and says so in board.why.
BoardSummary summary_of(const StoredResult& result, const ReadResult& read, WordBook& words);

class Lot {
 public:
  /// Results of gauge studies, by number: they measure the gauge with the same boards again and again, and no lot counts them. To be
  /// stated before add().
  void leave_out(std::set<std::uint64_t> studied) { studied_ = std::move(studied); }
  /// How many of them were added.
  std::size_t left_out() const { return left_out_; }
  /// Adds a result; results come in the store's order. One whose JSON can't be read counts as unreadable alone.
  void add(const StoredResult& result) { add(summary_of(result, read_result(result), words_)); }
  /// The same of a summary by words().
  void add(BoardSummary summary);
  WordBook& words() { return words_; }

  const std::vector<LotBoard>& boards() const { return boards_; }
  std::size_t unreadable() const { return unreadable_; }
  DecisionCounts decisions() const;
  /// Of components, each by its worst check.
  const DecisionCounts& components() const { return components_; }
  std::size_t checks() const { return checks_; }

  struct Units {
    std::size_t entered = 0, before = 0;  // first attempt in this lot, before it
    std::size_t retests = 0,
                reworks = 0;  // attempts behind a unit's first; of units from before, also their first here
    std::size_t retested = 0, reworked = 0;  // units with them
    std::size_t retest_pass = 0;             // units: PASS at last, after a FAIL without a repair between
    DecisionCounts first{}, last{};          // of units that entered, of all
    Yield first_pass, final;
  };
  Units units() const;

  /// By number, then by name; the smallest ones beyond `most` rows joined as "other", last.
  std::vector<Cause> by_reason(std::size_t most) const { return sorted(reasons_, most); }
  std::vector<Cause> by_component(std::size_t most) const { return sorted(references_, most); }
  std::vector<Cause> by_package(std::size_t most) const { return sorted(packages_, most); }
  std::vector<Spread> spreads() const;
  /// Of each reference, by name: how often it was measured, and how often without PASS.
  struct PartCount {
    std::string reference;
    std::size_t of = 0, defects = 0;
  };
  std::vector<PartCount> parts() const;
  /// Components of one version of a recipe, by reference, each with its decisions by its worst check.
  struct RecipeParts {
    std::string recipe, recipe_sha256;
    std::vector<std::pair<std::string, DecisionCounts>> parts;  // by reference
  };
  /// Without recipes that have no component; the one with most references first, then by hash.
  std::vector<RecipeParts> parts_by_recipe() const;

 private:
  using Causes = std::unordered_map<std::uint32_t, std::size_t>;  // by word
  struct Values {
    std::vector<double> shares;
    std::size_t not_measured = 0;
  };
  std::vector<Cause> sorted(const Causes& causes, std::size_t most) const;

  WordBook words_;
  std::set<std::uint64_t> studied_;
  std::size_t left_out_ = 0;
  std::vector<LotBoard> boards_;
  std::size_t unreadable_ = 0, checks_ = 0;
  DecisionCounts components_{};
  struct OfRecipe {
    std::string name;
    std::unordered_map<std::uint32_t, DecisionCounts> parts;  // by reference
  };
  std::unordered_map<std::uint32_t, OfRecipe> recipes_;               // by hash
  Causes reasons_, references_, packages_, seen_;                     // seen_: components by reference
  std::map<std::pair<std::uint32_t, std::uint32_t>, Values> values_;  // by package and characteristic
};

}  // namespace datum

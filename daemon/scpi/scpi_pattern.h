// Header patterns in the notation of manuals: "SYSTem:ERRor[:NEXT]?", "DIAGnostic:LINKs:STATe<n>?".
//
// Capitals are the short form; exactly the short or the long form is accepted, in any letter case. A node in
// brackets may be left out. <n> takes a numeric suffix; without one it is 1. A node without <n> accepts the
// suffix 1 alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace datum::scpi {

class Pattern {
 public:
  /// Throws std::invalid_argument for a pattern that can't be read: a slip in the table, not a host's.
  explicit Pattern(std::string_view text);

  struct Match {
    bool suffix_out_of_range = false;  // the words are right, a number behind one of them is not
    std::vector<int> suffixes;         // one per <n> of the pattern
  };
  /// `mnemonics` as typed, the query mark taken off. None: another command.
  std::optional<Match> match(const std::vector<std::string>& mnemonics, bool query) const;
  bool is_query() const { return query_; }
  const std::string& text() const { return text_; }

 private:
  struct Node {
    std::string short_form, long_form;  // upper case
    bool optional = false, takes_suffix = false;
  };
  bool match_from(std::size_t node, const std::vector<std::string>& words, std::size_t word,
                  Match& out) const;

  std::string text_;
  std::vector<Node> nodes_;
  bool query_ = false;
};

std::string upper(std::string_view text);

}  // namespace datum::scpi

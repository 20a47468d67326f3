// Header patterns in the notation of manuals: "SYSTem:ERRor[:NEXT]?", "DIAGnostic:LINKs:STATe<n>?".
//
// Capitals are the short form. Only the short or the long form is accepted, in any letter case. A node in brackets is
// optional. <n> accepts a numeric suffix, default 1. A node without <n> accepts only the suffix 1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace datum::scpi {

class Pattern {
 public:
  /// Throws std::invalid_argument for an invalid pattern: a mistake in the table, not a host's.
  explicit Pattern(std::string_view text);

  struct Match {
    bool suffix_out_of_range = false;  // the words match, but a suffix does not
    std::vector<int> suffixes;         // one per <n> of the pattern
  };
  /// `mnemonics` in received form, without the query mark. None: another command.
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

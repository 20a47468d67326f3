#include "daemon/scpi/scpi_pattern.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "daemon/scpi/scpi_characters.h"

namespace datum::scpi {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

struct Word {
  std::string letters;  // upper case
  std::optional<int> suffix;
};

/// "LIMit2" is LIMIT with suffix 2. A suffix above the range of int is out of range for every pattern.
Word split(const std::string& typed) {
  const auto digits = std::find_if_not(typed.rbegin(), typed.rend(), is_digit).base();
  Word word{upper(std::string(typed.begin(), digits)), std::nullopt};
  if (digits == typed.end()) return word;
  int n = 0;
  const char* from = &*digits;
  word.suffix = std::from_chars(from, typed.data() + typed.size(), n).ec == std::errc() ? n : 0;
  return word;
}

}  // namespace

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (is_lower(c)) c = static_cast<char>(c - 'a' + 'A');
  return out;
}

Pattern::Pattern(std::string_view text) : text_(text) {
  if (!text.empty() && text.back() == '?') {
    query_ = true;
    text.remove_suffix(1);
  }
  bool optional = false;
  while (!text.empty()) {
    if (text.front() == '[' || text.front() == ':' || text.front() == ']') {
      if (text.front() != ':') optional = text.front() == '[';
      text.remove_prefix(1);
      continue;
    }
    auto word = text.substr(0, std::min(text.find_first_of(":[]"), text.size()));
    text.remove_prefix(word.size());
    Node node;
    node.optional = optional;
    node.takes_suffix = word.size() > 3 && word.substr(word.size() - 3) == "<n>";
    if (node.takes_suffix) word.remove_suffix(3);
    node.long_form = upper(word);
    node.short_form = std::string(word.begin(), std::find_if(word.begin(), word.end(), is_lower));
    if (node.short_form.empty() || word.size() > 12) throw std::invalid_argument("header pattern " + text_);
    nodes_.push_back(std::move(node));
  }
  if (nodes_.empty()) throw std::invalid_argument("header pattern without a node");
}

bool Pattern::match_from(std::size_t n, const std::vector<std::string>& words, std::size_t w,
                         Match& out) const {
  if (n == nodes_.size()) return w == words.size();
  const Node& node = nodes_[n];
  if (w < words.size()) {
    const Word word = split(words[w]);
    if (word.letters == node.short_form || word.letters == node.long_form) {
      const Match before = out;
      if (node.takes_suffix) out.suffixes.push_back(word.suffix.value_or(1));
      if (!node.takes_suffix && word.suffix.value_or(1) != 1) out.suffix_out_of_range = true;
      if (match_from(n + 1, words, w + 1, out)) return true;
      out = before;
    }
  }
  if (!node.optional) return false;
  if (node.takes_suffix) out.suffixes.push_back(1);
  if (match_from(n + 1, words, w, out)) return true;
  if (node.takes_suffix) out.suffixes.pop_back();
  return false;
}

std::optional<Pattern::Match> Pattern::match(const std::vector<std::string>& mnemonics, bool query) const {
  Match out;
  if (query != query_ || !match_from(0, mnemonics, 0, out)) return std::nullopt;
  return out;
}

}  // namespace datum::scpi

#include "config/suggestion.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace datum::config {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// Number of insertions, deletions, replacements and exchanges of neighbours from `a` to `b`.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

/// The one known word that goes on with "_..."; empty: none, or several.
std::string completed(const std::string& word, const Words& known) {
  std::string found;
  for (const std::string& candidate : known) {
    if (!lower_case(candidate).starts_with(word + "_")) continue;
    if (!found.empty()) return "";
    found = candidate;
  }
  return found;
}

}  // namespace

std::string nearest(std::string_view word, const Words& known) {
  const std::string wanted = lower_case(word);
  if (wanted.empty() || wanted.size() > 64) return "";
  std::string best;
  std::size_t least = wanted.size() / 3 + 1;  // candidates are nearer
  int equal = 0;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(wanted, lower_case(candidate));
    if (!best.empty() && distance == least) ++equal;
    if (distance >= least) continue;
    least = distance;
    best = candidate;
    equal = 0;
  }
  if (best.empty()) return completed(wanted, known);
  return equal > 0 ? "" : best;
}

std::string did_you_mean(std::string_view word, const Words& known) {
  const std::string best = nearest(word, known);
  return best.empty() ? "" : " (did you mean '" + best + "'?)";
}

std::string one_of(const Words& known, const std::string& none) {
  std::string list;
  for (const std::string& word : known) list += (list.empty() ? "" : ", ") + word;
  return list.empty() ? none : "one of: " + list;
}

}  // namespace datum::config

// Removes confidential data of a plant from a support bundle: network, parts, people, credentials. Equal words get equal
// substitutes everywhere, so that a reader can still follow them from the log to the configuration.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace datum {

class Redaction {
 public:
  /// `computer`: its name, which is hidden too; empty: none.
  explicit Redaction(std::string computer = "");

  /// Replaces a word that stands alone by "KIND-1", "KIND-2" ... Words of less than four characters are not replaced: a
  /// unit "12" is also a number.
  void hide(const std::string& kind, const std::string& word);
  /// The same, also inside longer words and in any letter case: a unit's number in the name of its frame. A number inside
  /// a longer number is not replaced unless zeros precede it; a word of letters inside a longer one is not replaced
  /// either.
  void hide_inside(const std::string& kind, const std::string& word);

  /// Replaces network addresses by "address-N" (except loopback, any, masks), hardware addresses by "mac-N", names below
  /// /home by "user-N", values of keys as of is_secret() by "(left out)", and hidden words by their substitutes.
  std::string clean(std::string_view text);

  /// Number of replacements of each kind.
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
  /// True: the name of a key indicates a secret: password, secret, token ... datumd has no such key today, but a refused
  /// configuration may.
  static bool is_secret(std::string_view key);

 private:
  struct Hidden {
    std::string word, shown, kind;  // word: in lower case
  };
  std::string line(std::string_view text);
  std::string without_hidden(std::string_view text);
  const Hidden* hidden_at(std::string_view lower_text, std::size_t at) const;
  std::string word(std::string_view token);
  std::string stand_in(const std::string& kind, const std::string& word);

  const std::string computer_;
  std::map<std::string, std::string> stand_ins_;  // by original text
  std::map<std::string, std::uint64_t> numbers_, counts_;
  std::map<std::string, std::string, std::less<>> hidden_;
  // Keyed by the first characters, the longest first.
  std::unordered_map<std::string, std::vector<Hidden>> inside_;
};

}  // namespace datum

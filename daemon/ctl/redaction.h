// What a support bundle must not carry out of a plant: whose network, whose parts, who works there, what opens doors. The same
// thing becomes the same word everywhere, so that a reader can still follow it from the log to the configuration.
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

  /// A word that becomes "KIND-1", "KIND-2" ... wherever it stands by itself. Words of less than four characters are not
  /// looked for: a unit "12" is also a number.
  void hide(const std::string& kind, const std::string& word);
  /// The same, and inside longer words, in capitals or not: a unit's number in the name of its frame. A number within a longer
  /// number is another one, unless only zeros stand before it; a word of letters alone within a longer one is another one too.
  void hide_inside(const std::string& kind, const std::string& word);

  /// Addresses of networks become "address-N" (those that say nothing stay: loopback, any, masks), of network cards "mac-N",
  /// names below /home "user-N", values of keys as of is_secret() "(left out)", hidden words theirs.
  std::string clean(std::string_view text);

  /// How often each kind was replaced.
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
  /// Whether a key's value is a secret by its name: password, secret, token ... datumd has none today, and a configuration
  /// that is refused may.
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
  std::map<std::string, std::string> stand_ins_;  // of what was seen
  std::map<std::string, std::uint64_t> numbers_, counts_;
  std::map<std::string, std::string, std::less<>> hidden_;
  std::unordered_map<std::string, std::vector<Hidden>> inside_;  // by how they begin, the longest first
};

}  // namespace datum

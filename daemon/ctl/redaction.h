// What a support bundle must not carry out of a plant: whose network, whose parts, who works there, what opens doors. The same
// thing becomes the same word everywhere, so that a reader can still follow it from the log to the configuration.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace datum {

class Redaction {
 public:
  /// `computer`: its name, which is hidden too; empty: none.
  explicit Redaction(std::string computer = "");

  /// A word that becomes "KIND-1", "KIND-2" ... wherever it stands by itself. Words of less than four characters are not
  /// looked for: a unit "12" is also a number.
  void hide(const std::string& kind, const std::string& word);

  /// Addresses of networks become "address-N" (those that say nothing stay: loopback, any, masks), of network cards "mac-N",
  /// names below /home "user-N", values of keys as of is_secret() "(left out)", hidden words theirs.
  std::string clean(std::string_view text);

  /// How often each kind was replaced.
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
  /// Whether a key's value is a secret by its name: password, secret, token ... datumd has none today, and a configuration
  /// that is refused may.
  static bool is_secret(std::string_view key);

 private:
  std::string line(std::string_view text);
  std::string word(std::string_view token);
  std::string stand_in(const std::string& kind, const std::string& word);

  const std::string computer_;
  std::map<std::string, std::string> stand_ins_;  // of what was seen
  std::map<std::string, std::uint64_t> numbers_, counts_;
  std::map<std::string, std::string, std::less<>> hidden_;
};

}  // namespace datum

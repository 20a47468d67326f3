// LinePattern: a configured regular expression; the only user of PCRE2. Matching ends after a bounded number
// of steps for any expression and line.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace datum {

class LinePattern {
 public:
  /// PCRE2 syntax, matched against the whole line. Throws RefusedError with the fault and its position.
  explicit LinePattern(const std::string& expression);

  std::vector<std::string> groups() const;

  struct Match {
    bool found = false;
    std::string fault;                               // matching exceeded the bounded number of steps
    std::map<std::string, std::string_view> groups;  // groups that took part; views into the line
  };
  Match match(std::string_view line) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace datum

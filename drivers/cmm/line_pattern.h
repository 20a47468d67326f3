// LinePattern: a regular expression of the configuration, and the one place that knows PCRE2. Matching ends
// after a bounded number of steps, whatever the expression and the line.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace datum {

class LinePattern {
 public:
  /// PCRE2 syntax; it matches a line as a whole. Throws RefusedError with what is wrong and where.
  explicit LinePattern(const std::string& expression);

  std::vector<std::string> groups() const;

  struct Match {
    bool found = false;
    std::string fault;                               // not decided within the bounded number of steps
    std::map<std::string, std::string_view> groups;  // those that took part; views into the line
  };
  Match match(std::string_view line) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace datum

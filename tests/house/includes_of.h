// What the include lines of a source name.
#pragma once

#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace datum::testing {

/// The names in quotes. Only lines that begin with '#' meet the regular expression, which is slow.
inline std::vector<std::string> includes_of(const std::string& text) {
  static const std::regex include(R"re([ \t]*#[ \t]*include[ \t]*"([^"]+)".*)re");
  std::vector<std::string> named;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    std::smatch match;
    if (first != std::string::npos && line[first] == '#' && std::regex_match(line, match, include))
      named.push_back(match[1]);
  }
  return named;
}

}  // namespace datum::testing

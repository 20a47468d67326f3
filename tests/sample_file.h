// Samples that document every key: a line "#key = value" is a key with its default, "#|key = value" and
// "#-key = value" alternatives.
#pragma once

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/toml_reader.h"
#include "tests/fresh_folder.h"

namespace datum::testing {

inline std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Every key with '#' taken away. Alternatives ("#|", which would contradict what stands before them) stay
/// away.
inline std::string with_every_key(const std::string& sample) {
  std::string text;
  for (const std::string& line : lines_of(sample)) {
    static const std::regex key(R"(^#[\[a-z].*)");
    text += (std::regex_match(line, key) ? line.substr(1) : line) + "\n";
  }
  return text;
}

/// Keys that the sample shows under one header, whether active, commented out or an alternative.
inline std::set<std::string> shown_keys(const std::string& sample, const std::string& header) {
  static const std::regex head(R"(^#?[|-]?\[{1,2}([A-Za-z0-9_.-]+)\]{1,2}$)"),
      key(R"(^#?[|-]?([a-z0-9_]+) = .*)");
  std::set<std::string> keys;
  std::string now;  // header of the line's table
  for (const std::string& line : lines_of(sample)) {
    std::smatch found;
    if (std::regex_match(line, found, head)) {
      now = found[1];
      if (header.empty() || now.rfind(header + ".", 0) == 0) {  // a table is a key of the one above it
        const std::string below = header.empty() ? now : now.substr(header.size() + 1);
        keys.insert(below.substr(0, below.find('.')));
      }
    } else if (now == header && std::regex_match(line, found, key)) {
      keys.insert(found[1]);
    }
  }
  return keys;
}

/// The keys that a loader knows in one table: those that it lists when it refuses an unknown one. `load`
/// takes the path of the text and a config::Problems.
template <class Load>
inline std::set<std::string> known_keys(const FreshFolder& folder, std::string text,
                                        const std::string& header, Load load) {
  const std::string bogus = "not_a_key_at_all = 1\n";
  if (header.empty()) {
    text = bogus + text;
  } else {
    auto at = text.find("\n[" + header + "]\n");
    if (at == std::string::npos) at = text.find("\n[[" + header + "]]\n");
    if (at == std::string::npos) return {};
    text.insert(text.find('\n', at + 1) + 1, bogus);
  }
  config::Problems problems;
  load(folder.write("etc/known.toml", text), problems);
  std::set<std::string> keys;
  for (const auto& error : problems.errors()) {
    const std::string message = error.what(), list = "unknown key; allowed: one of: ";
    const auto at = message.find(list);
    if (at == std::string::npos || error.key().find("not_a_key_at_all") == std::string::npos) continue;
    std::istringstream in(message.substr(at + list.size()));
    for (std::string key; std::getline(in, key, ',');) keys.insert(key.substr(key.find_first_not_of(' ')));
  }
  return keys;
}

}  // namespace datum::testing

// A parser of Prometheus' text format 0.0.4 and OpenMetrics 1.0 for datumd's output; it checks the text where promtool is
// not installed.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace datum::testing {

struct Sample {
  std::string name, labels;
  double value = 0;
};

struct ParsedMetrics {
  std::map<std::string, std::string> types;  // by family
  std::vector<Sample> samples;
  std::vector<std::string> wrong;  // wrong lines with their fault

  std::optional<double> value(const std::string& name, const std::string& labels = "") const {
    for (const Sample& s : samples)
      if (s.name == name && s.labels == labels) return s.value;
    return std::nullopt;
  }
};

/// A sample belongs to the last declared family: families do not interleave.
inline bool belongs(const std::string& name, const std::string& family, const std::string& type, bool open) {
  if (type == "histogram")
    return name == family + "_bucket" || name == family + "_sum" || name == family + "_count";
  return open && type == "counter" ? name == family + "_total" : name == family;
}

/// Buckets of a series do not decrease, and the last one is +Inf and equals the count.
inline void check_buckets(ParsedMetrics& m) {
  std::map<std::string, double> last;
  static const std::regex bound(R"re(,?le="([^"]+)")re");
  for (const Sample& s : m.samples) {
    const bool bucket = s.name.size() > 7 && s.name.rfind("_bucket") == s.name.size() - 7;
    const std::string stem = s.name.substr(0, s.name.rfind('_'));
    const std::string series = stem + (bucket ? std::regex_replace(s.labels, bound, "") : s.labels);
    if (bucket && s.value < last[series]) m.wrong.push_back(s.name + s.labels + " falls");
    if (bucket) last[series] = s.value;
    if (s.name == stem + "_count" && last.count(series) && last[series] != s.value)
      m.wrong.push_back(s.name + s.labels + " is not its +Inf bucket");
  }
}

inline ParsedMetrics parse_metrics(const std::string& text, bool open) {
  static const std::regex help(R"(# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) [^\n]+)"),
      type(R"(# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram))"),
      sample(
          R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? ([-+0-9.eEInfNa]+))re");
  ParsedMetrics m;
  std::istringstream lines(text);
  std::set<std::string> seen;
  std::string family, helped;
  bool ended = false;
  for (std::string line; std::getline(lines, line);) {
    std::smatch hit;
    if (ended) m.wrong.push_back("behind # EOF: " + line);
    if (open && line == "# EOF") {
      ended = true;
    } else if (std::regex_match(line, hit, help)) {
      helped = hit[1];
    } else if (std::regex_match(line, hit, type)) {
      family = hit[1];
      if (family != helped || !m.types.try_emplace(family, hit[2]).second)
        m.wrong.push_back("twice or without help: " + line);
    } else if (std::regex_match(line, hit, sample)) {
      if (!belongs(hit[1], family, m.types[family], open)) m.wrong.push_back("of another family: " + line);
      if (!seen.insert(line.substr(0, line.rfind(' '))).second) m.wrong.push_back("twice: " + line);
      m.samples.push_back({hit[1], hit[2], std::stod(hit[3])});
    } else {
      m.wrong.push_back("no line of this format: " + line);
    }
  }
  if (open && !ended) m.wrong.push_back("no # EOF");
  if (!text.empty() && text.back() != '\n') m.wrong.push_back("the last line has no end");
  check_buckets(m);
  return m;
}

}  // namespace datum::testing
